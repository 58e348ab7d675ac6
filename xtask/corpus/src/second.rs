//! The same draws in a second process, to see that the bytes do not depend on the process they are made in.

use std::collections::BTreeMap;
use std::process::{Command, Output, Stdio};
use std::thread::JoinHandle;

use crate::options::{DIGEST, Options};
use probity_testkit::trouble::Trouble;

/// This same program drawing the same instances in another process, while we draw and judge.
pub(crate) struct SecondProcess(JoinHandle<std::io::Result<Output>>);

impl SecondProcess {
    pub(crate) fn start(options: &Options) -> Result<Self, Trouble> {
        let Options { folder, n, seed, part, task: _ } = options;
        let program = std::env::current_exe().map_err(|error| Trouble::failed(error.to_string()))?;
        let mut command = Command::new(program);
        command.arg(folder).args(["--seed", &seed.to_string(), "--part", part, DIGEST]);
        if let Some(n) = n {
            command.args(["--n", &n.to_string()]);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let child = child.map_err(|error| Trouble::failed(format!("no second process: {error}")))?;
        Ok(Self(std::thread::spawn(|| child.wait_with_output())))
    }

    /// The digests it prints, by schema name.
    pub(crate) fn digests(self) -> Result<BTreeMap<String, String>, Trouble> {
        let output = self.0.join().expect("waiting for a process does not panic");
        let output = output.map_err(|error| Trouble::failed(format!("no second process: {error}")))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs.map(|(digest, id)| (id.to_owned(), digest.to_owned())).collect())
    }
}
