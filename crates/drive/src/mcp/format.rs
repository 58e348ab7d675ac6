//! The report in the forms that others read; each format is a function from the report to a text.

mod junit;
mod page;

pub use junit::junit;
pub use page::page;
