//! What our own tests share; published to nobody.

pub mod servers;
