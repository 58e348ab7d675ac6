//! Typed argument tuples that grow with each `forall`, and their way back from values without types.

use std::fmt::Debug;

use crate::value::Value;

/// A tuple of arguments; implemented for tuples of up to eight values.
pub trait Arguments: Clone + Debug + 'static {
    /// Takes the tuple out of the values of a step.
    fn take(values: &[Value]) -> Self;
}

/// A tuple with one more argument at its end.
pub trait Grow<T>: Arguments {
    /// The longer tuple.
    type Longer: Arguments;

    /// This tuple with one more argument.
    fn push(self, argument: T) -> Self::Longer;
}

impl Arguments for () {
    fn take(_: &[Value]) -> Self {}
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+))*) => {$(
        impl<$($name: Clone + Debug + 'static),+> Arguments for ($($name,)+) {
            fn take(values: &[Value]) -> Self {
                ($(values[$index].get::<$name>().expect("a slot draws values of its own type").clone(),)+)
            }
        }
    )*};
}

macro_rules! growth {
    ($(($($name:ident),*))*) => {$(
        impl<$($name: Clone + Debug + 'static,)* T: Clone + Debug + 'static> Grow<T> for ($($name,)*) {
            type Longer = ($($name,)* T,);

            #[allow(non_snake_case)]
            fn push(self, argument: T) -> Self::Longer {
                let ($($name,)*) = self;
                ($($name,)* argument,)
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

growth! {
    ()
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
}
