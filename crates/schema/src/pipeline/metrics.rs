//! What a run did and where its time went, phase by phase.

use std::ops::AddAssign;

/// Tells the time in nanoseconds since some fixed moment.
pub type Clock = fn() -> u64;

pub(super) fn now(clock: Option<Clock>) -> u64 {
    clock.map_or(0, |clock| clock())
}

/// Counts and durations of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// Reading the contract and building its view and its oracle.
    pub normalize_ns: u64,
    /// Composing the contract and compiling its sampler.
    pub compose_ns: u64,
    /// Drawing instances.
    pub generate_ns: u64,
    /// Mending instances.
    pub repair_ns: u64,
    /// Judging instances.
    pub validate_ns: u64,
    /// Looking at what instances cover.
    pub observe_ns: u64,
    /// Instances that were given out.
    pub n_instances: u64,
    /// Draws that were made for them.
    pub n_draws: u64,
    /// Instances that were valid only after mending.
    pub n_repaired: u64,
    /// Edits that mending kept.
    pub n_edits: u64,
    /// Draws that were thrown away because they stayed invalid.
    pub n_discarded: u64,
    /// Instances that were looked at for what they cover; a guided run looks at candidates more than once.
    pub n_observed: u64,
}

impl AddAssign for Metrics {
    fn add_assign(&mut self, other: Self) {
        let Self {
            normalize_ns,
            compose_ns,
            generate_ns,
            repair_ns,
            validate_ns,
            observe_ns,
            n_instances,
            n_draws,
            n_repaired,
            n_edits,
            n_discarded,
            n_observed,
        } = other;
        self.normalize_ns += normalize_ns;
        self.compose_ns += compose_ns;
        self.generate_ns += generate_ns;
        self.repair_ns += repair_ns;
        self.validate_ns += validate_ns;
        self.observe_ns += observe_ns;
        self.n_instances += n_instances;
        self.n_draws += n_draws;
        self.n_repaired += n_repaired;
        self.n_edits += n_edits;
        self.n_discarded += n_discarded;
        self.n_observed += n_observed;
    }
}
