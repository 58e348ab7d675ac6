//! `probity generate`, option by option.

mod run;

use run::probity;

const PET: &str = r#"{"type": "object", "required": ["name"], "additionalProperties": false,
  "properties": {"name": {"type": "string", "format": "email"}, "age": {"type": "integer", "minimum": 0}}}"#;

#[track_caller]
fn check(arguments: &[&str], schema: &str) -> String {
    let run = probity(&[&["generate", "-"], arguments].concat(), schema);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    run.stdout
}

#[test]
fn ten_lines_come_by_default() {
    let out = check(&[], PET);
    assert_eq!(out.lines().count(), 10);
    for line in out.lines() {
        let pet: serde_json::Value = serde_json::from_str(line).expect("each line is JSON");
        assert!(pet["name"].is_string());
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_on_any_number_of_threads_and_in_shards() {
    let whole = check(&["--n", "101", "--seed", "7", "--threads", "1"], PET);
    assert_eq!(whole, check(&["--n", "101", "--seed", "7", "--threads", "3"], PET));
    let parts =
        ["1/4", "2/4", "3/4", "4/4"].map(|part| check(&["--n", "101", "--seed", "7", "--shard", part], PET));
    assert_eq!(whole, parts.concat());
    assert_ne!(whole, check(&["--n", "101", "--seed", "8"], PET));
}

#[test]
fn an_array_is_written_whole() {
    for form in ["json", "pretty"] {
        let out = check(&["--out", form, "--n", "4"], PET);
        let all: Vec<serde_json::Value> = serde_json::from_str(&out).expect("an array");
        assert_eq!(all.len(), 4);
        assert_eq!(check(&["--out", form, "--n", "0"], PET), "[]\n");
    }
}

#[test]
fn a_file_holds_what_standard_output_would() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let goal = folder.path().join("pets.ndjson");
    assert_eq!(check(&["-o", goal.to_str().expect("text")], PET), "");
    assert_eq!(std::fs::read_to_string(&goal).expect("the file"), check(&[], PET));
}

#[test]
fn formats_can_be_remarks() {
    let judge = |out: String| out.lines().filter(|line| line.contains('@')).count();
    assert_eq!(judge(check(&["--n", "50"], PET)), 50);
    assert!(judge(check(&["--n", "50", "--formats", "annotate"], PET)) < 50);
}

#[test]
fn the_dialect_can_be_given() {
    let schema = r#"{"type": "integer", "minimum": 3, "exclusiveMinimum": true, "maximum": 4}"#;
    assert_eq!(check(&["--draft", "4", "--n", "1"], schema), "4\n");
}

#[test]
fn yaml_is_read_as_well() {
    assert_eq!(check(&["--n", "1"], "type: string\nenum: [one]\n"), "\"one\"\n");
    assert_eq!(check(&["--n", "1"], "type: string\nconst: on\n"), "\"on\"\n");
    assert_eq!(check(&["--n", "1"], "const: {no: true}\n"), "{\"no\":true}\n");
}

#[test]
fn an_openapi_document_is_recognised_and_the_right_command_named() {
    let run = probity(&["generate", "-", "--n", "1"], "openapi: 3.0.0\npaths: {}\n");
    assert_eq!(run.code, Some(0));
    assert!(run.stderr.contains("probity openapi"), "{}", run.stderr);
}

#[test]
fn other_documents_are_supplied_by_file_and_by_folder() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write =
        |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file is written");
    write("order.json", r#"{"$ref": "shared/id.json"}"#);
    std::fs::create_dir(folder.path().join("shared")).expect("a folder is made");
    write("shared/id.json", r#"{"const": "from a file"}"#);
    write("byid.json", r#"{"$ref": "https://example.com/id.json"}"#);
    let path = |name: &str| folder.path().join(name).display().to_string();

    let run = probity(&["generate", &path("order.json"), "--n", "1", "--ref-dir", &path("")], "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "\"from a file\"\n"), "{}", run.stderr);

    // What a contract with an address of its own refers to is seen from there, and from its file.
    write("named.json", r#"{"$id": "https://example.com/a/named.json", "$ref": "shared/id.json"}"#);
    write("shared/notes.json", "// no document");
    for (flag, value) in
        [("--ref-dir", path("")), ("--ref", format!("shared/id.json={}", path("shared/id.json")))]
    {
        let run = probity(&["generate", &path("named.json"), "--n", "1", flag, &value], "");
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), "\"from a file\"\n"), "{}", run.stderr);
        let said = run.stderr.contains("shared/notes.json: at line 1, column 1: not JSON");
        assert_eq!(said, flag == "--ref-dir", "{}", run.stderr);
    }

    let pair = format!("https://example.com/id.json={}", path("shared/id.json"));
    let run = probity(&["generate", &path("byid.json"), "--n", "1", "--ref", &pair], "");
    assert_eq!((run.code, run.stdout.as_str()), (Some(0), "\"from a file\"\n"), "{}", run.stderr);
}

#[test]
fn metrics_go_to_standard_error_and_quiet_silences_notes() {
    let run = probity(&["generate", "-", "--metrics"], PET);
    for phase in ["normalize", "compose", "generate", "repair", "validate"] {
        assert!(run.stderr.contains(phase), "{}", run.stderr);
    }
    let twice = r#"{"type": "integer", "type": "string"}"#;
    assert_eq!(probity(&["generate", "-", "--quiet"], twice).stderr, "");
}

#[test]
fn depth_bounds_what_is_optional() {
    let tree = r##"{"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}, "additionalProperties": false}"##;
    let flat = check(&["--max-depth", "0", "--n", "20"], tree);
    assert!(flat.lines().all(|line| line == "{}"), "{flat}");
}

#[test]
fn help_comes_with_examples() {
    let run = probity(&["generate", "--help"], "");
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("Examples:"));
}

#[cfg(unix)]
mod goal {
    //! Where output goes: what is there decides how it is written.

    use std::fs::{self, Permissions};
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::{PET, check};

    fn text(path: &Path) -> &str {
        path.to_str().expect("a path that is text")
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    /// Every way to write a file, each as arguments of its own; the last is the file.
    const WAYS: &[&[&str]] = &[&["-o"], &["-o", "-", "--junit"], &["-o", "-", "--coverage-report"]];

    #[test]
    fn a_new_file_has_the_permissions_of_any_new_file_and_an_old_one_keeps_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let usual = folder.path().join("usual");
        fs::write(&usual, "").expect("a file is written");
        for way in WAYS {
            let goal = folder.path().join("goal");
            check(&[way, &[text(&goal)][..]].concat(), PET);
            assert_eq!(mode(&goal), mode(&usual), "{way:?}");
            fs::set_permissions(&goal, Permissions::from_mode(0o640)).expect("permissions are set");
            check(&[way, &[text(&goal)][..]].concat(), PET);
            assert_eq!(mode(&goal), 0o640, "{way:?}");
            fs::remove_file(&goal).expect("it was written");
        }
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 1, "nothing else is left");
    }

    #[test]
    fn a_link_stays_and_what_it_leads_to_is_written() {
        for (way, is_there) in WAYS.iter().flat_map(|way| [(way, true), (way, false)]) {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let (far, near, goal) = (folder.path().join("far"), folder.path().join("near"), "far/data");
            fs::create_dir(&far).expect("a folder is made");
            symlink(goal, &near).expect("a link is made");
            if is_there {
                fs::write(far.join("data"), "old").expect("a file is written");
            }
            check(&[way, &[text(&near)][..]].concat(), PET);
            assert_eq!(fs::read_link(&near).expect("still a link"), Path::new(goal), "{way:?}");
            assert!(fs::read_to_string(far.join("data")).expect("the file").len() > 3, "{way:?}");
        }
    }

    #[test]
    fn a_pipe_with_a_name_is_written_through_and_stays() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
        for way in WAYS {
            let named = pipe.clone();
            let reader = std::thread::spawn(move || fs::read_to_string(named));
            check(&[way, &[text(&pipe)][..]].concat(), PET);
            let read = reader.join().expect("the reader ends").expect("the pipe is readable");
            assert!(!read.is_empty(), "{way:?}");
            assert!(fs::symlink_metadata(&pipe).expect("it is there").file_type().is_fifo(), "{way:?}");
        }
    }

    #[test]
    fn an_interrupt_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (schema, here) = (folder.path().join("pet.json"), folder.path().join("here"));
        fs::write(&schema, PET).expect("a schema is written");
        fs::create_dir(&here).expect("a folder is made");
        for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
            let mut child = Command::new(env!("CARGO_BIN_EXE_probity"))
                .args(["generate", text(&schema), "--n", "1000000000", "-o", text(&here.join("pets"))])
                .stderr(Stdio::null())
                .spawn()
                .expect("the program starts");
            let n_files = || fs::read_dir(&here).expect("the folder").count();
            while n_files() == 0 && child.try_wait().expect("the program is ours").is_none() {
                std::thread::yield_now();
            }
            let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
            assert!(sent.expect("kill runs").success());
            assert_eq!(child.wait().expect("the program ends").code(), Some(code));
            assert_eq!(n_files(), 0, "{signal}");
        }
    }

    #[test]
    fn a_dash_is_standard_output() {
        let usual = check(&[], PET);
        for name in ["-", "/dev/stdout"] {
            assert_eq!(check(&["-o", name], PET), usual);
        }
    }
}
