//! What was meant: files read, numbers checked, defaults decided.

mod kind;
mod origin;
mod supplied;
pub(crate) mod openapi;
mod contract;
mod mcp;

use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use probity_schema::coverage::{Dimension, PROFILES, Profile};
use probity_schema::{Dialect, Document, Formats, Job, Limits, ReadOptions, SourceOptions, TextForm};

use crate::args::{ContractArgs, CoverageArgs, CoverageMode, FormatMode, GenerateArgs};
use crate::clock::clock;
use crate::exit_code::Trouble;

pub(crate) use kind::not_a_schema;
pub(crate) use mcp::{ANNOTATED, Mcp, placed, seconds, server, shell, variables};
pub(crate) use origin::{LEAST, Origin};

use origin::CoverageOrigins;
use supplied::{Supplied, supplied};

/// A contract that was read, with how it is to be judged.
pub(crate) struct ContractFile {
    pub(crate) document: Document,
    pub(crate) options: SourceOptions,
    /// What was left out of `--ref-dir`, and why.
    pub(crate) left_out: Vec<String>,
}

impl ContractFile {
    pub(crate) fn of(schema: &Path, args: &ContractArgs, limits: Limits) -> Result<Self, Trouble> {
        let text = read_text(schema)?;
        let (form, base) = (form_of(schema), address_of(schema));
        let Supplied { documents, left_out, .. } = supplied(&args.reading, &base, &text, form, &limits)?;
        let options = ReadOptions {
            form,
            dialect: args.draft.as_deref().map(dialect).transpose()?,
            base: Some(base),
            supplied: documents,
            limits: limits.clone(),
        };
        let document = Document::read(&text, &options).map_err(|error| in_file(schema, &error))?;
        let formats = formats_of(args.reading.formats);
        Ok(Self { document, options: SourceOptions { formats, limits, clock: Some(clock) }, left_out })
    }
}

/// A run of `generate`, ready to start.
pub(crate) struct Generate {
    pub(crate) contract: ContractFile,
    pub(crate) job: Job,
    pub(crate) coverage: Coverage,
}

impl Generate {
    pub(crate) fn of(args: &GenerateArgs) -> Result<Self, Trouble> {
        let limits = Limits { max_depth: args.max_depth, ..Limits::default() };
        let coverage = Coverage::of(&args.coverage)?;
        let mode = args.coverage.mode(args.mode)?;
        let usual = if mode == CoverageMode::Guided { coverage.profile.max_instances } else { 10 };
        let whole =
            Job { seed: args.seed, range: 0..args.n.unwrap_or(usual), n_threads: threads_of(args.threads)? };
        let job = match &args.shard {
            Some(_) if mode == CoverageMode::Guided => {
                return Err(Trouble::misused(
                    "--shard: a guided run is planned as a whole; use --coverage measure in shards",
                ));
            }
            Some(shard) => shard_of(&whole, shard)?,
            None => whole,
        };
        Ok(Self { contract: ContractFile::of(&args.schema, &args.contract, limits)?, job, coverage })
    }
}

/// The profile of whoever names none.
const USUAL_PROFILE: &str = "balanced";

/// What is to be reported about coverage.
pub(crate) struct Coverage {
    pub(crate) profile: &'static Profile,
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) least: Option<f64>,
}

impl Coverage {
    pub(crate) fn of(args: &CoverageArgs) -> Result<Self, Trouble> {
        Self::among(args, &CoverageOrigins::TYPED, &[])
    }

    /// Reads the arguments where these dimensions are known beside those of a schema.
    fn among(args: &CoverageArgs, origins: &CoverageOrigins, beside: &[Dimension]) -> Result<Self, Trouble> {
        let name = args.coverage_profile.as_deref().unwrap_or(USUAL_PROFILE);
        let profile = PROFILES.iter().find(|profile| profile.name == name).ok_or_else(|| {
            let place = origins.profile.with_text(name);
            Trouble::misused(format!("{place}: no such profile; choose quick, balanced or thorough"))
        })?;
        let mut dimensions = Vec::new();
        for name in &args.coverage_dimensions {
            let is_there = |one: &Dimension| *one != Dimension::Operations || beside.contains(one);
            dimensions.push(Dimension::parse(name.trim()).filter(is_there).ok_or_else(|| {
                let more: Vec<&str> = [""].into_iter().chain(beside.iter().map(|one| one.name())).collect();
                let more = more.join(", ");
                let place = origins.dimensions.with_text(name);
                Trouble::misused(format!(
                    "{place}: no such dimension here; choose among structure, branches, enum, boundaries{more}"
                ))
            })?);
        }
        if dimensions.is_empty() {
            dimensions = profile.dimensions.to_vec();
        }
        Ok(Self { profile, dimensions, least: least(args.coverage_min, &origins.least)? })
    }

    /// What a gate does not look at because the profile counts less than the usual one: a share of 100 % hides it.
    pub(crate) fn narrowed(&self) -> Option<String> {
        let Self { profile, dimensions, least } = self;
        let usual = PROFILES.iter().find(|profile| profile.name == USUAL_PROFILE)?;
        let names = |all: &[Dimension]| all.iter().map(|one| one.name()).collect::<Vec<_>>().join(", ");
        let left: Vec<Dimension> =
            usual.dimensions.iter().copied().filter(|one| !profile.dimensions.contains(one)).collect();
        let is_by_profile = !left.iter().any(|one| dimensions.contains(one))
            && profile.dimensions.iter().all(|one| dimensions.contains(one));
        (least.is_some() && !left.is_empty() && is_by_profile).then(|| {
            let (name, counted, left) = (profile.name, names(dimensions), names(&left));
            format!("the threshold looks at {counted} only: the profile {name} does not count {left}")
        })
    }
}

/// The threshold that was asked for, if it is one.
pub(crate) fn least(typed: Option<f64>, origin: &Origin) -> Result<Option<f64>, Trouble> {
    match typed.filter(|share| !(0.0..=1.0).contains(share)) {
        Some(share) => {
            let message = format!("{}: give a share from 0 to 1, such as 0.8", origin.with(share));
            Err(Trouble::misused(message))
        }
        None => Ok(typed),
    }
}

/// An error about a file, with the file's name in front.
pub(crate) fn in_file(path: &Path, error: &dyn std::fmt::Display) -> Trouble {
    Trouble::misused(format!("{}: {error}", shown(path)))
}

/// A file as messages name it.
pub(crate) fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

pub(crate) fn read_text(path: &Path) -> Result<String, Trouble> {
    text_of(read_bytes(path)?).map_err(|reason| in_file(path, &reason))
}

/// Bytes as text, or why they are none.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        format!("byte {place} is not UTF-8; save the file as UTF-8")
    })
}

pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Trouble> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else if path.is_dir() {
        return Err(in_file(path, &"this is a folder; name a file"));
    } else if is_address(path) {
        return Err(in_file(path, &"nothing is fetched; download it and name the file"));
    } else {
        fs::read(path)
    };
    bytes.map_err(|error| in_file(path, &format!("cannot be read: {error}")))
}

fn is_address(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with("https://") || text.starts_with("http://"))
        && !path.exists()
}

fn form_of(path: &Path) -> TextForm {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => TextForm::Json,
        Some("yaml" | "yml") => TextForm::Yaml,
        _ => TextForm::Detect,
    }
}

/// The address that relative references start from.
fn address_of(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    format!("file://{}", encoded(&absolute.to_string_lossy()))
}

/// A path with everything spelled out that an address cannot hold.
pub(crate) fn encoded(path: &str) -> String {
    let mut address = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => {
                address.push(char::from(byte));
            }
            other => write!(address, "%{other:02X}").expect("writing to a string cannot fail"),
        }
    }
    address
}

fn dialect(name: &str) -> Result<Dialect, Trouble> {
    Dialect::parse(name).ok_or_else(|| {
        Trouble::misused(format!("--draft {name}: no such draft; choose 4, 6, 7, 2019-09 or 2020-12"))
    })
}

fn formats_of(mode: FormatMode) -> Formats {
    match mode {
        FormatMode::Assert => Formats::Assert,
        FormatMode::Annotate => Formats::Annotate,
    }
}

fn threads_of(typed: Option<usize>) -> Result<usize, Trouble> {
    match typed {
        Some(0) => Err(Trouble::misused("--threads 0: there must be at least one thread")),
        Some(threads) => Ok(threads.min(256)),
        None => Ok(std::thread::available_parallelism().map_or(1, NonZeroUsize::get)),
    }
}

fn shard_of(whole: &Job, text: &str) -> Result<Job, Trouble> {
    let wrong = || Trouble::misused(format!("--shard {text}: write I/N with I from 1 to N, such as 1/4"));
    let (index, n) = text.split_once('/').ok_or_else(wrong)?;
    let index: u64 = index.trim().parse().map_err(|_| wrong())?;
    let n: u64 = n.trim().parse().map_err(|_| wrong())?;
    if index < 1 || index > n {
        return Err(wrong());
    }
    Ok(whole.shard(index - 1, n))
}

/// Every file with one of these endings in a folder and the folders in it, in a fixed order.
pub(crate) fn files_below(folder: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Trouble> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries =
            fs::read_dir(&folder).map_err(|error| in_file(&folder, &format!("cannot be read: {error}")))?;
        for entry in entries {
            let path = entry.map_err(|error| in_file(&folder, &format!("cannot be read: {error}")))?.path();
            let is_document =
                path.extension().and_then(|end| end.to_str()).is_some_and(|ending| endings.contains(&ending));
            // Whoever waits for a pipe may wait for ever. A link that leads nowhere is told when it is read.
            let is_file = path.metadata().map_or(true, |data| data.is_file());
            if path.is_dir() && !path.is_symlink() {
                open.push(path);
            } else if is_document && is_file {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
