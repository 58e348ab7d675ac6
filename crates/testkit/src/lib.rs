//! What our own tests and chores share: the corpus, AJV as a second opinion, fixture servers, the house rules, and how a
//! chore fails; published to nobody.

pub mod workspace;
pub mod trouble;
pub mod skip;
pub mod draft;
pub mod corpus;
pub mod ajv;
pub mod browser;
pub mod servers;
pub mod tidy;

pub use draft::Draft;
pub use skip::skip;

/// The examples in the README and in the guides, run as tests of the documentation.
#[cfg(doctest)]
mod papers {
    #[doc = include_str!("../../../README.md")]
    mod readme {}
    #[doc = include_str!("../../engine/README.md")]
    mod engine {}
    #[doc = include_str!("../../schema/README.md")]
    mod schema {}
    #[doc = include_str!("../../drive/README.md")]
    mod drive {}
}
