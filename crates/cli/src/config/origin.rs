//! Where a value was written, so that a message about it names what the user can change.

use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A flag on the command line.
    Flag(&'static str),
    /// A key of a configuration file.
    Key { file: PathBuf, key: String },
}

impl Origin {
    /// The flag where it was typed, else the key of the file.
    pub(crate) fn of(is_typed: bool, flag: &'static str, file: &Path, key: &str) -> Self {
        if is_typed {
            Self::Flag(flag)
        } else {
            Self::Key { file: file.to_path_buf(), key: format!("mcp.{key}") }
        }
    }

    /// The place alone.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Flag(flag) => (*flag).to_owned(),
            Self::Key { file, key } => format!("{}: {key}", file.display()),
        }
    }

    /// The place with a number or the like.
    pub(crate) fn with(&self, value: impl Display) -> String {
        match self {
            Self::Flag(flag) => format!("{flag} {value}"),
            Self::Key { .. } => format!("{} = {value}", self.place()),
        }
    }

    /// The place with a text, in quotes where the file has them.
    pub(crate) fn with_text(&self, text: impl Display + Debug) -> String {
        match self {
            Self::Flag(_) => self.with(text),
            Self::Key { .. } => self.with(format!("{text:?}")),
        }
    }
}

/// Where the options about coverage were written.
#[derive(Debug, Clone)]
pub(crate) struct CoverageOrigins {
    pub(crate) profile: Origin,
    pub(crate) dimensions: Origin,
    pub(crate) least: Origin,
}

/// Where the least coverage is typed.
pub(crate) const LEAST: Origin = Origin::Flag("--coverage-min");

impl CoverageOrigins {
    /// On the command line, all of them.
    pub(crate) const TYPED: Self = Self {
        profile: Origin::Flag("--coverage-profile"),
        dimensions: Origin::Flag("--coverage-dimensions"),
        least: LEAST,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_with_the_flag_that_was_typed_or_with_the_file_and_its_key() {
        let of = |is_typed| Origin::of(is_typed, "--fail-on", Path::new("ci/probity.toml"), "fail-on");
        assert_eq!(of(true).with_text("bad"), "--fail-on bad");
        assert_eq!(of(false).with_text("bad"), "ci/probity.toml: mcp.fail-on = \"bad\"");
        assert_eq!(of(false).with(0.5), "ci/probity.toml: mcp.fail-on = 0.5");
        assert_eq!(of(false).place(), "ci/probity.toml: mcp.fail-on");
    }
}
