//! What a corpus run looks at: the schemas of the shared corpus, or every schema in a folder.

use std::path::{Path, PathBuf};

use probity_testkit::Draft;
use probity_testkit::corpus::Corpus;
use probity_testkit::corpus::suite::{self, Group};
use serde_json::Value;

use probity_testkit::trouble::Trouble;

/// A schema to draw from.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    /// Its name in the table of exceptions.
    pub(crate) id: String,
    /// The part of the corpus it is counted in.
    pub(crate) part: String,
    /// The draft that validators read it by.
    pub(crate) draft: Draft,
    /// The text as it stands in the file, which is what the pipeline reads.
    pub(crate) text: String,
    /// The schema as JSON text, or why there is none.
    pub(crate) json: Result<String, String>,
    /// What is known about it.
    pub(crate) known: Known,
}

/// What is known about a schema before anything is drawn from it.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    /// Nothing: it may be unsatisfiable, or not a schema at all.
    Nothing,
    /// It admits instances, and every instance of it must be served.
    Satisfiable,
    /// It is a group of the test suite.
    Suite {
        /// Instances as JSON texts, with the suite's verdict.
        tests: Vec<(String, bool)>,
        /// Whether the group belongs to what must be served.
        is_required: bool,
    },
}

impl Subject {
    /// Whether the floor of the table applies to it.
    pub(crate) fn is_required(&self) -> bool {
        match &self.known {
            Known::Nothing => false,
            Known::Satisfiable => true,
            Known::Suite { is_required, .. } => *is_required,
        }
    }

    /// Whether the suite itself has an instance of it.
    pub(crate) fn has_known_instance(&self) -> bool {
        matches!(&self.known, Known::Suite { tests, .. } if tests.iter().any(|(_, is_valid)| *is_valid))
    }
}

/// Every subject in a folder: by its index if it is laid out as the corpus, else every `.json`, `.yaml` and `.yml`.
pub(crate) fn read(folder: &Path) -> Result<Vec<Subject>, Trouble> {
    match Corpus::at(folder) {
        Some(corpus) => read_corpus(&corpus).map_err(|error| Trouble::usage(error.to_string())),
        None => read_folder(folder),
    }
}

fn read_corpus(corpus: &Corpus) -> Result<Vec<Subject>, probity_testkit::corpus::CorpusError> {
    let groups = corpus.groups()?;
    let mut subjects = Vec::new();
    for record in corpus.records()? {
        let group = suite::group(&groups, &record.id);
        let known = group.map_or(Known::Satisfiable, |group| known_of(group, true));
        let (text, json) = (record.schema.clone(), Ok(record.schema));
        subjects.push(Subject { id: record.id, part: record.part, draft: record.draft, text, json, known });
    }
    // Groups the index leaves out still must not lead to an invalid instance.
    let listed: Vec<String> = subjects.iter().map(|subject| subject.id.clone()).collect();
    let others = groups.iter().filter(|group| group.external.is_empty() && !listed.contains(&group.id));
    subjects.extend(others.map(|group| Subject {
        id: group.id.clone(),
        part: if group.is_optional { "jsts-optional" } else { "jsts-no-valid-test" }.to_owned(),
        draft: group.draft,
        text: group.schema.get().to_owned(),
        json: Ok(group.schema.get().to_owned()),
        known: known_of(group, false),
    }));
    Ok(subjects)
}

fn known_of(group: &Group, is_required: bool) -> Known {
    let tests = group.tests.iter().map(|test| (test.data.get().to_owned(), test.is_valid)).collect();
    Known::Suite { tests, is_required }
}

fn read_folder(folder: &Path) -> Result<Vec<Subject>, Trouble> {
    let mut paths = Vec::new();
    gather(folder, &mut paths)?;
    paths.sort();
    if paths.is_empty() {
        return Err(Trouble::usage(format!("{} holds no .json, .yaml or .yml file", folder.display())));
    }
    paths.iter().map(|path| read_file(folder, path)).collect()
}

fn gather(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    let unreadable = |error| Trouble::usage(format!("{} cannot be read: {error}", folder.display()));
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, kind) = (entry.path(), entry.file_type().map_err(unreadable)?);
        let is_schema =
            path.extension().is_some_and(|ending| ["json", "yaml", "yml"].iter().any(|e| ending == *e));
        // A link to a folder is not followed, so that there is no way round in a circle.
        if kind.is_dir() {
            gather(&path, paths)?;
        } else if is_schema {
            paths.push(path);
        }
    }
    Ok(())
}

fn read_file(folder: &Path, path: &Path) -> Result<Subject, Trouble> {
    let bytes = std::fs::read(path)
        .map_err(|error| Trouble::usage(format!("{} cannot be read: {error}", path.display())))?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let inside = path.strip_prefix(folder).unwrap_or(path);
    let subfolder = inside.parent().filter(|parent| !parent.as_os_str().is_empty());
    let part = subfolder.or(folder.file_name().map(Path::new)).unwrap_or(folder);
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let value = if is_json { from_json(&text) } else { from_yaml(&text) };
    let draft =
        value.as_ref().ok().and_then(|value| value.get("$schema")?.as_str().and_then(Draft::of_address));
    // JSON is passed on letter by letter, since numbers may lose digits on the way through a value.
    let json =
        value.map(
            |value| if is_json { text.trim_start_matches('\u{feff}').to_owned() } else { value.to_string() },
        );
    Ok(Subject {
        id: inside.display().to_string(),
        part: part.display().to_string(),
        draft: draft.unwrap_or(Draft::Draft202012),
        text,
        json,
        known: Known::Nothing,
    })
}

fn from_json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).map_err(|error| error.to_string())
}

fn from_yaml(text: &str) -> Result<Value, String> {
    serde_saphyr::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_with_its_subfolders_as_parts() {
        let folder = std::env::temp_dir().join(format!("probity-subjects-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("pets")).expect("temporary folders are writable");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.join(name), text).expect("temporary files are writable");
        };
        write("a.json", r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#);
        write("pets/b.yaml", "type: object\nrequired: [a]\n");
        write("pets/c.json", "{");
        write("notes.txt", "");
        let subjects = read(&folder);
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        let subjects = subjects.expect("the folder is readable");
        let rows: Vec<_> = subjects
            .iter()
            .map(|subject| (subject.id.as_str(), subject.draft.name(), subject.json.as_deref().ok()))
            .collect();
        assert_eq!(
            rows,
            [
                ("a.json", "draft7", Some(r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#)),
                ("pets/b.yaml", "2020-12", Some(r#"{"type":"object","required":["a"]}"#)),
                ("pets/c.json", "2020-12", None),
            ]
        );
        assert_eq!(subjects[1].part, "pets");
        assert!(subjects[0].part.starts_with("probity-subjects-"));
    }
}
