//! The documents that references may lead to: those of `--ref` and `--ref-dir`, each with every address it goes by.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use probity_schema::{Limits, ReadError, TextForm, read_value, resolve_uri, told_beside};
use serde_json::Value;

use crate::args::ReadingArgs;
use crate::config::{address_of, files_below, form_of, in_file, read_text};
use crate::exit_code::Trouble;

pub(super) struct Supplied {
    pub(super) documents: Vec<(String, Value)>,
    /// The file of each address.
    pub(super) files: Vec<(String, PathBuf)>,
    known: BTreeSet<String>,
    /// Files of folders that cannot be read as documents, and why.
    pub(super) left_out: Vec<String>,
}

/// Reads all of them. What a contract writes in a reference is seen from its file, and from its `$id` where it has one.
pub(super) fn supplied(
    args: &ReadingArgs,
    file: &str,
    contract: &str,
    form: TextForm,
    limits: &Limits,
) -> Result<Supplied, Trouble> {
    let ReadingArgs { references, ref_dir, .. } = args;
    let mut found =
        Supplied { documents: Vec::new(), files: Vec::new(), known: BTreeSet::new(), left_out: Vec::new() };
    if references.is_empty() && ref_dir.is_empty() {
        return Ok(found);
    }
    // That the contract cannot be read is told when it is read.
    let contract = read_value(contract, form, limits).unwrap_or_default();
    let bases: Vec<String> = [file.to_owned()].into_iter().chain(address(&contract)).collect();
    for pair in references {
        let Some((address, path)) = pair.rsplit_once('=') else {
            return Err(Trouble::misused(format!(
                "--ref {pair}: write URI=FILE, such as https://example.com/a.json=a.json"
            )));
        };
        let value = read_document(Path::new(path), limits)
            .map_err(|trouble| Trouble::misused(format!("--ref {pair}: {}", trouble.message)))?;
        let addresses = bases.iter().map(|base| seen_from(base, address));
        let addresses = addresses.filter(|address| !bases.contains(address)).collect();
        found.add(addresses, Path::new(path), &value);
    }
    let mut guessed = Vec::new();
    for folder in ref_dir {
        for path in files_below(folder, &["json", "yaml", "yml"])? {
            let value = match read_document(&path, limits) {
                Ok(value) => value,
                Err(trouble) => {
                    found.left_out.push(format!("{}; it is left out of --ref-dir", trouble.message));
                    continue;
                }
            };
            // Where it lies, seen from the file and from the address of the contract, and what it calls itself.
            let place = address_of(&path);
            let seen = bases.iter().map(|base| seen_from(base, &told_beside(file, &place)));
            let addresses: Vec<String> = seen.chain(address(&value)).collect();
            // The contract itself, under whatever other name it could go by here.
            if addresses.iter().any(|address| bases.contains(address)) {
                continue;
            }
            found.add(addresses, &path, &value);
            let inner = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
            guessed.push((inner, path, value));
        }
    }
    // As if the folder were the contract's own: only where no document lies there.
    for (inner, path, value) in guessed {
        let beside = bases.iter().map(|base| beside(base, &inner));
        found.add(beside.filter(|address| !bases.contains(address)).collect(), &path, &value);
    }
    Ok(found)
}

impl Supplied {
    /// Adds a document under its addresses; those of documents before stay theirs.
    fn add(&mut self, addresses: Vec<String>, file: &Path, value: &Value) {
        for address in addresses {
            if self.known.insert(address.clone()) {
                self.files.push((address.clone(), file.to_path_buf()));
                self.documents.push((address, value.clone()));
            }
        }
    }
}

/// The address that a document gives itself, if it is a full one.
fn address(document: &Value) -> Option<String> {
    let id = document.get("$id").or_else(|| document.get("id")).and_then(Value::as_str)?;
    id.contains("://").then(|| id.trim_end_matches('#').to_owned())
}

/// An address as references reach it: one without a scheme is seen from the contract, as a reference in it would be.
fn seen_from(base: &str, address: &str) -> String {
    resolve_uri(base, address).unwrap_or_else(|| address.to_owned())
}

/// The address of a file in a folder, as if the folder were the contract's own.
fn beside(base: &str, relative: &Path) -> String {
    let folder = base.rfind('/').map_or(base, |end| &base[..=end]);
    let encoded = address_of(&Path::new("/").join(relative));
    format!("{folder}{}", encoded.trim_start_matches("file:///"))
}

fn read_document(path: &Path, limits: &Limits) -> Result<Value, Trouble> {
    let text = read_text(path)?;
    read_value(&text, form_of(path), limits).map_err(|error: ReadError| in_file(path, &error))
}
