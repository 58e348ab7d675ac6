//! What our own tests share; published to nobody.
