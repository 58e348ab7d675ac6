//! Findings as files: one for `probity replay`, one with the raw messages to pipe into the server.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use probity_drive::mcp::{Replay, Report, Server};

use crate::command::sheet::write_file;
use crate::config::in_file;
use crate::exit_code::Trouble;

/// The file of each finding, in the order of the report.
pub(crate) fn write(
    folder: &Path,
    report: &Report,
    server: &Server,
    call_limit: Duration,
) -> Result<Vec<PathBuf>, Trouble> {
    if report.findings.is_empty() {
        return Ok(Vec::new());
    }
    fs::create_dir_all(folder).map_err(|error| in_file(folder, &format!("cannot be made: {error}")))?;
    let mut files = Vec::new();
    for (index, finding) in report.findings.iter().enumerate() {
        let stem = format!("{}-{}", index + 1, finding.code);
        let path = folder.join(format!("{stem}.json"));
        let replay = Replay::of(finding, server, call_limit);
        let mut text = serde_json::to_string_pretty(&replay).expect("a replay is plain data");
        text.push('\n');
        write_file(&path, &text)?;
        let mut lines: Vec<&str> = finding.transcript.iter().map(|line| line.trim_end()).collect();
        lines.push("");
        write_file(&folder.join(format!("{stem}.jsonl")), &lines.join("\n"))?;
        files.push(path);
    }
    Ok(files)
}
