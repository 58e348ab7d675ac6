//! Why a run over a folder of schemas ended badly.

/// Why the run ended badly.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// What was typed makes no sense, or the folder cannot be read.
    #[error("{0}")]
    Usage(String),
    /// Not everything is as it should be.
    #[error("{0}")]
    Failed(String),
}

impl Trouble {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }

    /// 2 for wrong use, 1 for schemas that are not served as they should be.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Failed(_) => 1,
        }
    }
}
