//! How models are told apart: by a number that the user gives, by their hash, or by what they show of themselves.
//!
//! A number found without being asked for must cost little and never fail a test: a model too large to be looked at
//! after every step, or one that panics when it is shown, has none.

use std::fmt::{self, Debug, Write};
use std::hash::{Hash, Hasher};

use crate::dice::mix;
use crate::quiet::quietly;

type Look<M> = Box<dyn Fn(&M) -> Option<u64>>;

/// Tells models apart.
pub(crate) struct Fingerprint<M> {
    pub(crate) of: Look<M>,
    /// Whether nobody asked for it.
    pub(crate) is_automatic: bool,
}

impl<M: 'static> Fingerprint<M> {
    /// A fingerprint that the user gave.
    pub(crate) fn given(of: impl Fn(&M) -> u64 + 'static) -> Self {
        Self { of: Box::new(move |model| Some(of(model))), is_automatic: false }
    }

    pub(crate) fn by_hash() -> Self
    where
        M: Hash,
    {
        let of = |model: &M| {
            let mut digest = Digest::default();
            quietly(|| model.hash(&mut digest)).ok()?;
            (digest.n_bytes <= MAX_BYTES).then_some(digest.state)
        };
        Self { of: Box::new(of), is_automatic: true }
    }

    pub(crate) fn by_debug() -> Self
    where
        M: Debug,
    {
        let of = |model: &M| {
            let mut pieces = Pieces::default();
            quietly(|| write!(pieces, "{model:?}")).ok()?.ok()?;
            Some(pieces.finish())
        };
        Self { of: Box::new(of), is_automatic: true }
    }
}

/// A model that is larger is not looked at after every step.
const MAX_BYTES: usize = 4096;

/// A hasher that is the same on every machine.
#[derive(Default)]
struct Digest {
    state: u64,
    n_bytes: usize,
}

impl Hasher for Digest {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.state = mix(self.state.rotate_left(5) ^ word);
        self.n_bytes += 8;
    }

    fn finish(&self) -> u64 {
        self.state
    }
}

/// A digest of a shown value that does not depend on the order of what stands between commas and braces: maps and sets
/// without an order show theirs in another one each time.
#[derive(Default)]
struct Pieces {
    total: u64,
    piece: u64,
    n_bytes: usize,
}

impl Pieces {
    fn end_piece(&mut self) {
        self.total = self.total.wrapping_add(mix(self.piece));
        self.piece = 0;
    }

    fn finish(mut self) -> u64 {
        self.end_piece();
        self.total
    }
}

impl Write for Pieces {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.n_bytes += text.len();
        for letter in text.chars() {
            match letter {
                ',' | '{' | '}' => self.end_piece(),
                ' ' | '\n' => {}
                _ => self.piece = mix(self.piece.rotate_left(5) ^ u64::from(letter)),
            }
        }
        if self.n_bytes <= MAX_BYTES { Ok(()) } else { Err(fmt::Error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Hash)]
    struct Jugs {
        small: u8,
        big: u8,
    }

    #[test]
    fn different_models_differ_and_the_order_of_a_set_does_not_matter() {
        let debug = |model: &Jugs| (Fingerprint::by_debug().of)(model);
        let hash = |model: &Jugs| (Fingerprint::by_hash().of)(model);
        for of in [&debug as &dyn Fn(&Jugs) -> Option<u64>, &hash] {
            assert_ne!(of(&Jugs { small: 3, big: 0 }), of(&Jugs { small: 0, big: 3 }));
            assert_eq!(of(&Jugs { small: 3, big: 0 }), of(&Jugs { small: 3, big: 0 }));
        }
        let shown = |text: &str| {
            let mut pieces = Pieces::default();
            pieces.write_str(text).expect("it is short");
            pieces.finish()
        };
        assert_eq!(shown("M { seen: {1, 2, 3} }"), shown("M { seen: {3, 1, 2} }"));
        assert_ne!(shown("M { seen: {1, 2, 3} }"), shown("M { seen: {1, 2} }"));
        assert_ne!(shown("[1, 2]"), shown("[2, 1]"));
    }

    #[test]
    fn a_large_model_and_one_that_panics_have_no_fingerprint() {
        struct Shy;
        impl Debug for Shy {
            fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
                panic!("do not look")
            }
        }
        assert_eq!((Fingerprint::by_debug().of)(&Shy), None);
        assert_eq!((Fingerprint::by_debug().of)(&vec![7; 9000]), None);
        assert_eq!((Fingerprint::by_hash().of)(&vec![7u64; 9000]), None);
    }
}
