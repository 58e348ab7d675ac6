//! What a test did: how often each command ran, and what kept others from running.

use std::fmt;

use crate::plural::counted;

/// Counts over all runs of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// The seed of the test.
    pub seed: u64,
    /// Runs made.
    pub n_runs: u32,
    /// Runs that began with a recorded failure.
    pub n_replayed: u32,
    /// One row per command, in the order of declaration.
    pub commands: Vec<CommandCount>,
    /// Different models met, if novelty is on.
    pub n_models: usize,
}

/// The counts of one command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandCount {
    /// The command.
    pub name: String,
    /// Times it ran, in recorded failures as well.
    pub n_ran: u64,
    /// Times it was chosen while its precondition on the model was false.
    pub n_forbidden: u64,
    /// Times its arguments could not be drawn, or its precondition refused them.
    pub n_undrawable: u64,
    /// Steps by label.
    pub labels: Vec<(String, u64)>,
}

impl Statistics {
    /// What deserves attention: commands that never ran.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let silent = self.commands.iter().filter(|command| command.n_ran == 0 && self.n_runs > 0);
        silent.map(|command| format!("command {:?} never ran: {}", command.name, command.reason())).collect()
    }
}

impl CommandCount {
    /// Why a command did not run, as far as the counts tell.
    pub(crate) fn reason(&self) -> String {
        match (self.n_forbidden, self.n_undrawable) {
            (0, 0) => "it was never chosen".to_owned(),
            (1, 0) => "its precondition was false the only time".to_owned(),
            (forbidden, 0) => format!("its precondition was false all {forbidden} times"),
            (0, 1) => "its arguments could not be drawn or were refused the only time".to_owned(),
            (0, refused) => format!("its arguments could not be drawn or were refused all {refused} times"),
            (forbidden, refused) => {
                let [forbidden, refused] = [forbidden, refused].map(|count| counted(count, "time"));
                format!("its precondition was false {forbidden}, its arguments were refused {refused}")
            }
        }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seed, n_runs, n_replayed, commands, n_models } = self;
        write!(f, "{}, {n_replayed} replayed", counted(*n_runs, "run"))?;
        // Without a run, nothing came of the seed.
        if *n_runs > 0 {
            write!(f, ", seed {seed}")?;
        }
        writeln!(f)?;
        if *n_models > 0 {
            writeln!(f, "{}", counted(*n_models, "different model"))?;
        }
        for CommandCount { name, n_ran, n_forbidden, n_undrawable, labels } in commands {
            writeln!(f, "  {name}: ran {n_ran}, forbidden {n_forbidden}, refused {n_undrawable}")?;
            for (label, count) in labels {
                writeln!(f, "    {label}: {count}")?;
            }
        }
        self.warnings().iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}
