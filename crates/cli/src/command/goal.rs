//! What a path stands for as a place to write to: standard output, a device or a pipe, or a file that appears only when it is whole.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::command::interrupt::Interrupts;
use crate::config::in_file;
use crate::exit_code::Trouble;

/// The names of standard output. It is never opened anew: that would begin at the start of the file it leads to.
const OUTPUTS: &[&str] = &["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
/// Where other open streams have names; behind them may be files that others write to as well.
const STREAMS: &[&str] = &["/dev/stderr", "/dev/fd", "/proc/self/fd"];
/// Most links that lead to links, as the system has it.
const MOST_LINKS: usize = 40;

/// What a path stands for.
#[derive(Debug)]
enum Goal {
    Output,
    /// Something that is there and is no file: it is written to as it stands.
    Stream(PathBuf),
    /// A file, behind the links that lead to it, and the permissions that it has if it is there.
    File {
        path: PathBuf,
        permissions: Option<Permissions>,
    },
}

impl Goal {
    fn of(named: &Path) -> Result<Self, Trouble> {
        if is_output(named) {
            return Ok(Self::Output);
        }
        if STREAMS.iter().any(|name| named.starts_with(name)) {
            return Ok(Self::Stream(named.to_path_buf()));
        }
        if named.file_name().is_none() || named.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Err(in_file(named, &"this is a folder; name a file"));
        }
        match fs::metadata(named) {
            Ok(facts) if facts.is_dir() => Err(in_file(named, &"this is a folder; name a file")),
            Ok(facts) if facts.is_file() => {
                Ok(Self::File { path: followed(named), permissions: Some(facts.permissions()) })
            }
            Ok(_) => Ok(Self::Stream(named.to_path_buf())),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Ok(Self::File { path: followed(named), permissions: None })
            }
            Err(error) => Err(unwritable(named, &error)),
        }
    }
}

/// Whether a path is one of the names of standard output.
pub(crate) fn is_output(named: &Path) -> bool {
    OUTPUTS.iter().any(|name| named == Path::new(name))
}

/// Where a path leads, even when there is nothing yet.
fn followed(named: &Path) -> PathBuf {
    let mut path = named.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&path) else { break };
        path = folder_of(&path).join(next);
    }
    path
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn unwritable(named: &Path, error: &std::io::Error) -> Trouble {
    in_file(named, &format!("cannot be written: {error}"))
}

/// Refuses, before any work is done, what could not be written after it, and what would be written over something that is read.
/// Each path comes with the flag that names it; of a folder that is read, all files are.
pub(crate) fn check(goals: &[(&str, Option<&Path>)], inputs: &[&Path]) -> Result<(), Trouble> {
    let inputs: Vec<PathBuf> = inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
    let mut taken: Vec<(String, &str)> = Vec::new();
    for (flag, named) in goals.iter().filter_map(|(flag, named)| named.map(|named| (*flag, named))) {
        let place = match Goal::of(named)? {
            // To open a pipe would be to begin, and a device may well be named twice.
            Goal::Stream(_) => continue,
            Goal::Output => "standard output".to_owned(),
            Goal::File { path, permissions: None } => {
                check_room(named, folder_of(&path))?;
                plainly(&path)
            }
            Goal::File { path, permissions: Some(_) } => {
                let there = path.canonicalize().unwrap_or_else(|_| path.clone());
                if inputs.iter().any(|input| there.starts_with(input)) {
                    let shown = named.display();
                    return Err(Trouble::misused(format!(
                        "{flag} {shown}: this file is read, and would be written over; name another one"
                    )));
                }
                let opened = OpenOptions::new().write(true).open(&path);
                opened.map_err(|error| unwritable(named, &error))?;
                plainly(&path)
            }
        };
        if let Some((_, other)) = taken.iter().find(|(other, _)| *other == place) {
            let message = format!(
                "{other} and {flag} would both be written to {place}; name another file for one of them"
            );
            return Err(Trouble::misused(message));
        }
        taken.push((place, flag));
    }
    Ok(())
}

/// The one way to write the path of a file, whose folder is there.
fn plainly(path: &Path) -> String {
    let folder = folder_of(path).canonicalize().unwrap_or_else(|_| folder_of(path).to_path_buf());
    folder.join(path.file_name().unwrap_or_default()).display().to_string()
}

/// The same for a folder that is made where it is needed.
pub(crate) fn check_folder(named: &Path) -> Result<(), Trouble> {
    let there = named.ancestors().find(|one| one.exists()).unwrap_or(Path::new("."));
    check_room(named, there)
}

fn check_room(named: &Path, folder: &Path) -> Result<(), Trouble> {
    let shown = folder.display();
    if !folder.exists() {
        return Err(in_file(named, &format!("the folder {shown} is not there")));
    }
    if folder == named && !folder.is_dir() {
        return Err(in_file(named, &"this is a file; name a folder"));
    }
    if !folder.is_dir() {
        return Err(in_file(named, &format!("{shown} is no folder")));
    }
    // Permissions alone do not tell: the file system may be read-only. This file has no name.
    let tried = tempfile::tempfile_in(folder).map_err(|error| plain(&error));
    tried
        .map(|_| ())
        .map_err(|error| in_file(named, &format!("the folder {shown} cannot be written to: {error}")))
}

/// Why something was not written.
pub(crate) enum Unwritten {
    /// Nobody reads any more; that is no trouble.
    Closed,
    /// Where and why.
    Failed(String),
}

/// A closed pipe is no trouble; anything else is.
pub(crate) fn finished(ended: Result<(), Unwritten>) -> Result<(), Trouble> {
    match ended {
        Ok(()) | Err(Unwritten::Closed) => Ok(()),
        Err(Unwritten::Failed(error)) => Err(Trouble::misused(error)),
    }
}

/// How long a draft is being written, and so whether an interrupt can be expected to fall into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As long as a run takes: an interrupt removes the draft and ends the program.
    Long,
    /// All at once.
    Brief,
}

/// Something being written; a file appears under its name only when it is closed.
pub(crate) struct Draft {
    out: BufWriter<Box<dyn Write>>,
    /// How it is called in messages.
    name: String,
    /// The unfinished file, and the name that it is to have.
    file: Option<(TempPath, PathBuf)>,
}

impl Draft {
    pub(crate) fn open(named: &Path, pace: Pace) -> Result<Self, Trouble> {
        let name = named.display().to_string();
        let (out, name, file): (Box<dyn Write>, _, _) = match Goal::of(named)? {
            Goal::Output => (Box::new(std::io::stdout()), "standard output".to_owned(), None),
            Goal::Stream(path) => {
                // Whatever is there stays: this adds to it.
                let stream = OpenOptions::new().append(true).open(path);
                (Box::new(stream.map_err(|error| unwritable(named, &error))?), name, None)
            }
            Goal::File { path, permissions } => {
                // An interrupt that comes before the draft has a name is kept until it has one.
                let interrupts = (pace == Pace::Long).then(Interrupts::heard).flatten();
                let (out, draft) = match draft_beside(&path) {
                    Ok(both) => both,
                    // Where only the file itself may be written to, it is written in place.
                    Err(error) if error.kind() == ErrorKind::PermissionDenied && permissions.is_some() => {
                        let file = OpenOptions::new().write(true).truncate(true).open(&path);
                        let file = file.map_err(|error| unwritable(named, &error))?;
                        return Ok(Self { out: buffered(Box::new(file)), name, file: None });
                    }
                    Err(error) => return Err(unwritable(named, &error)),
                };
                if let Some(interrupts) = interrupts {
                    interrupts.then_remove(draft.to_path_buf());
                }
                let kept = permissions.map_or(Ok(()), |kept| out.set_permissions(kept));
                kept.map_err(|error| unwritable(named, &error))?;
                (Box::new(out), name, Some((draft, path)))
            }
        };
        Ok(Self { out: buffered(out), name, file })
    }

    pub(crate) fn put(&mut self, parts: &[&str]) -> Result<(), Unwritten> {
        let written = parts.iter().try_for_each(|part| self.out.write_all(part.as_bytes()));
        written.map_err(|error| self.told(&error))
    }

    /// Ends it; a file appears only now.
    pub(crate) fn close(mut self) -> Result<(), Unwritten> {
        let flushed = self.out.flush();
        flushed.map_err(|error| self.told(&error))?;
        match self.file.take() {
            Some((draft, path)) => draft.persist(path).map_err(|error| self.told(&plain(&error.error))),
            None => Ok(()),
        }
    }

    fn told(&self, error: &std::io::Error) -> Unwritten {
        match (error.kind(), self.name.as_str()) {
            (ErrorKind::BrokenPipe, _) => Unwritten::Closed,
            (_, name @ "standard output") => Unwritten::Failed(format!("{name} cannot be written: {error}")),
            (_, name) => Unwritten::Failed(format!("{name}: cannot be written: {error}")),
        }
    }
}

fn buffered(out: Box<dyn Write>) -> BufWriter<Box<dyn Write>> {
    BufWriter::with_capacity(64 << 10, out)
}

/// An unfinished file in the folder of the finished one, with the permissions that any new file has here.
fn draft_beside(path: &Path) -> std::io::Result<(fs::File, TempPath)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".probity-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
        .tempfile_in(folder_of(path))
        .map(tempfile::NamedTempFile::into_parts)
        .map_err(|error| plain(&error))
}

/// The error without the name of the draft, which nobody typed.
fn plain(error: &std::io::Error) -> std::io::Error {
    std::io::Error::from(error.kind())
}
