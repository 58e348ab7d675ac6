//! Why a chore ended badly: it was used wrongly, or what it looked at is not in order.

/// Why a chore ended badly.
#[derive(Debug, thiserror::Error)]
pub enum Trouble {
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The chore was understood and did not succeed.
    #[error("{0}")]
    Failed(String),
    /// The reason has been printed where it belongs.
    #[error("")]
    Told {
        /// What the chore ends with.
        exit_code: u8,
    },
}

impl Trouble {
    /// Wrong use, with what would be right.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    /// No success, with what is not in order.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// 2 for wrong use, 1 for a chore that found something wrong.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
            Self::Told { exit_code } => *exit_code,
        }
    }
}

/// Refuses arguments to a chore that takes none.
pub fn no_arguments(chore: &str, arguments: &[String]) -> Result<(), Trouble> {
    match arguments.first() {
        None => Ok(()),
        Some(first) => {
            Err(Trouble::usage(format!("{chore} takes no arguments, so \"{first}\" is one too many")))
        }
    }
}
