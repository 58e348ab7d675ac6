//! What our own tests share: the corpus, AJV as a second opinion, fixture servers, and the house rules; published to
//! nobody.

pub mod workspace;
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
