//! A folder of its own for each real server, and the proof that nobody stays in it.

use std::fs;
use std::path::{Path, PathBuf};

use probity_drive::mcp::StdioServer;
use probity_testkit::{skip, workspace};

/// The environment variable that marks everything that was started in a sandbox, whoever started it.
const MARK: &str = "PROBITY_TEST_SANDBOX";

/// A folder for temporary files that goes away with its owner.
pub(crate) struct Sandbox {
    folder: PathBuf,
}

impl Sandbox {
    /// An empty folder; the name must be that of one test.
    pub(crate) fn new(name: &str) -> Sandbox {
        let folder = std::env::temp_dir().join(format!("probity-real-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("home")).expect("the folder for temporary files is writable");
        // A server may tell paths with links resolved, and compares them so.
        Sandbox { folder: folder.canonicalize().expect("the folder was just made") }
    }

    /// A place in the sandbox.
    pub(crate) fn path(&self, name: &str) -> String {
        self.folder.join(name).to_str().expect("our own names are plain").to_owned()
    }

    /// A file in the sandbox, with the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        let path = self.folder.join(name);
        let above = path.parent().expect("a file lies in a folder");
        fs::create_dir_all(above).expect("the sandbox is writable");
        fs::write(&path, text).expect("the sandbox is writable");
        self.path(name)
    }

    /// What a program in the sandbox sees of the world: a home of its own, and our search path.
    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let path = std::env::var("PATH").unwrap_or_default();
        let own = [("HOME", "home"), ("TMPDIR", "home"), (MARK, "")];
        let own = own.map(|(name, place)| (name.to_owned(), self.path(place)));
        own.into_iter().chain([("PATH".to_owned(), path)]).collect()
    }

    /// A server from npm, or nothing if it is not installed.
    pub(crate) fn npm(&self, package: &str, args: &[&str]) -> Option<StdioServer> {
        let script = npm_script(package)?;
        Some(self.server("node", [script.as_str()].iter().chain(args)))
    }

    /// A server from the Python environment of a name, or nothing if it is not installed.
    pub(crate) fn python(&self, name: &str, args: &[&str]) -> Option<StdioServer> {
        let program = workspace::python(name).join("bin").join(format!("mcp-server-{name}"));
        let program = installed(&program)?;
        Some(self.server(&program, args))
    }

    fn server<'a>(&self, program: &str, args: impl IntoIterator<Item = &'a &'a str>) -> StdioServer {
        StdioServer {
            env: self.environment().into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            is_env_inherited: false,
            cwd: Some(self.folder.clone()),
            ..StdioServer::new(program, args.into_iter().copied())
        }
    }

    /// No process that was started in the sandbox, or by one that was, is left.
    #[track_caller]
    pub(crate) fn assert_deserted(&self) {
        let left: Vec<String> = self.inhabitants();
        assert!(left.is_empty(), "processes are left behind: {left:?}");
    }

    /// The command lines of living processes that carry the mark; only Linux tells.
    fn inhabitants(&self) -> Vec<String> {
        let mark = format!("{MARK}={}", self.path(""));
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let marked = entries.filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
        });
        let command = |process: fs::DirEntry| {
            let words = fs::read(process.path().join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&words).replace('\0', " ")
        };
        marked.map(command).collect()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // What cannot be removed lies in the system's folder for temporary files, where it is removed in time.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// The main script of a server from npm, or nothing if it is not installed.
pub(crate) fn npm_script(package: &str) -> Option<String> {
    let modules = workspace::npm().join("node_modules").join("@modelcontextprotocol");
    installed(&modules.join(package).join("dist").join("index.js"))
}

fn installed(path: &Path) -> Option<String> {
    if path.exists() {
        return path.to_str().map(str::to_owned);
    }
    let name = path.strip_prefix(workspace::root()).unwrap_or(path);
    skip(&format!("{} is not installed; `cargo xtask deps` does it", name.display()));
    None
}
