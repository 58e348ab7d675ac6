//! Every budget in one place: what is spent on one contract or one instance before Probity says so and goes on.

/// The budgets of a run. Hitting one is a note or an error, never a hang.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest text read as a contract, in bytes.
    pub text_bytes: usize,
    /// Deepest nesting read in a contract.
    pub nesting: usize,
    /// Most subschemas a contract may have.
    pub nodes: usize,
    /// How long composing one contract may take before parts of it are widened, in milliseconds.
    pub compose_ms: u64,
    /// Most nodes a sampler may have before the rest is drawn and judged instead of composed.
    pub sampler_nodes: usize,
    /// Deepest nesting drawn before recursion takes its shortest way out.
    pub max_depth: u32,
    /// Longest array, and most members of an object, drawn where the contract sets no bound.
    pub max_items: u64,
    /// Longest string drawn where the contract sets no bound.
    pub max_length: u64,
    /// Most values one instance may hold; a contract that demands more is refused.
    pub instance_values: u64,
    /// Draws for one instance before it is given up.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 64 << 20,
            nesting: 120,
            nodes: 1_000_000,
            compose_ms: 4_000,
            sampler_nodes: 400_000,
            max_depth: 6,
            max_items: 4,
            max_length: 24,
            instance_values: 2_000_000,
            attempts: 40,
        }
    }
}
