//! Model-based tests: a model, a system, commands, and sequences of them that shrink to an exact minimum.
