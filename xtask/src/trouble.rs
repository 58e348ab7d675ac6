//! Why a chore ended badly: it was used wrongly, or what it looked at is not in order.

/// Why a chore ended badly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// What was typed makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The chore was understood and did not succeed.
    #[error("{0}")]
    Failed(String),
    /// The reason has been printed where it belongs.
    #[error("")]
    Told { exit_code: u8 },
}

impl Trouble {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// 2 for wrong use, 1 for a chore that found something wrong.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
            Self::Told { exit_code } => *exit_code,
        }
    }
}

/// Refuses arguments to a chore that takes none.
pub(crate) fn no_arguments(chore: &str, arguments: &[String]) -> Result<(), Trouble> {
    match arguments.first() {
        None => Ok(()),
        Some(first) => {
            Err(Trouble::usage(format!("{chore} takes no arguments, so \"{first}\" is one too many")))
        }
    }
}
