//! Which tools were called, which could not be, and rules about it.

use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use serde::Serialize;
use serde_json::{Value, json};

use crate::callable::Shortage;
use crate::mcp::contract::ContractOptions;

/// What coverage is expected; only a guided run changes how tools are called.
#[derive(Debug, Clone, Default)]
pub struct CoverageOptions {
    /// Only these tools count; all if there are none.
    pub allow: Vec<String>,
    /// These tools do not count.
    pub block: Vec<String>,
    /// What the counts have to satisfy.
    pub rules: Vec<Rule>,
    /// What is measured about the contracts of tools.
    pub contract: ContractOptions,
}

/// What a rule sees.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Counts {
    /// Successful calls of each eligible tool.
    pub calls: BTreeMap<String, u64>,
    /// Eligible tools that could not be called with what was known at the end, and why.
    pub uncallable: BTreeMap<String, Shortage>,
}

/// A rule in code.
pub type CustomRule = Rc<dyn Fn(&Counts) -> Vec<Ruling>>;

/// What the counts have to satisfy.
#[derive(Clone)]
#[non_exhaustive]
pub enum Rule {
    /// Every eligible tool was called successfully at least so often.
    MinCallsPerTool(u64),
    /// Every eligible tool was called successfully.
    NoUncalledTools,
    /// At least this share, in percent, of the eligible tools that could be called was.
    PercentCalled(f64),
    /// Whatever the caller says.
    Custom(CustomRule),
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::MinCallsPerTool(least) => write!(formatter, "MinCallsPerTool({least})"),
            Rule::NoUncalledTools => formatter.write_str("NoUncalledTools"),
            Rule::PercentCalled(least) => write!(formatter, "PercentCalled({least})"),
            Rule::Custom(_) => formatter.write_str("Custom"),
        }
    }
}

/// What a rule says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// Whether the run fails because of it.
    pub is_failure: bool,
    /// A stable code.
    pub code: String,
    /// What was expected and what was there.
    pub details: Value,
}

/// Most tools that a sentence names.
const MAX_NAMED: usize = 10;

impl Ruling {
    /// What the rule says as a sentence for people; that of a rule in code is its data.
    #[must_use]
    pub fn told(&self) -> String {
        let Ruling { is_failure: _, code, details } = self;
        let number = |name: &str| details.get(name).map(Value::to_string).unwrap_or_default();
        let list = |name: &str| details.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        match code.as_str() {
            "min_calls_per_tool" => {
                let few = list("violations").iter().map(few_calls).collect();
                let times = match number("minimum").as_str() {
                    "1" => "once".to_owned(),
                    minimum => format!("{minimum} times"),
                };
                format!("every tool should succeed at least {times}; {}", named(few))
            }
            "no_uncalled_tools" => {
                let uncalled = list("uncalled").iter().map(|tool| plain(Some(tool))).collect();
                format!("every tool should succeed at least once, and these never did: {}", named(uncalled))
            }
            "percent_called" => format!(
                "at least {} % of the tools that can be called should succeed; {} of {} did",
                number("minimum"),
                number("called"),
                number("eligible")
            ),
            _ => format!("the coverage rule {code} says {details}"),
        }
    }
}

fn few_calls(violation: &Value) -> String {
    let tool = plain(violation.get("tool"));
    match violation.get("calls").and_then(Value::as_u64) {
        Some(0) | None => format!("{tool} never did"),
        Some(1) => format!("{tool} did once"),
        Some(calls) => format!("{tool} did {calls} times"),
    }
}

fn plain(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn named(mut names: Vec<String>) -> String {
    let n_more = names.len().saturating_sub(MAX_NAMED);
    names.truncate(MAX_NAMED);
    if n_more > 0 {
        names.push(format!("and {n_more} more"));
    }
    names.join(", ")
}

/// Applies every rule in order.
#[must_use]
pub(crate) fn rule(rules: &[Rule], counts: &Counts) -> Vec<Ruling> {
    rules.iter().flat_map(|rule| apply(rule, counts)).collect()
}

fn apply(rule: &Rule, counts: &Counts) -> Vec<Ruling> {
    let failure =
        |code: &str, details: Value| vec![Ruling { is_failure: true, code: code.to_owned(), details }];
    let below = |least: u64| -> Vec<Value> {
        let few = counts.calls.iter().filter(|(_, calls)| **calls < least);
        few.map(|(tool, calls)| json!({ "tool": tool, "calls": calls })).collect()
    };
    match rule {
        Rule::MinCallsPerTool(least) => match below(*least) {
            few if few.is_empty() => Vec::new(),
            few => failure("min_calls_per_tool", json!({ "minimum": least, "violations": few })),
        },
        Rule::NoUncalledTools => {
            let uncalled = counts.calls.iter().filter(|(_, calls)| **calls == 0);
            let uncalled: Vec<&String> = uncalled.map(|(tool, _)| tool).collect();
            if uncalled.is_empty() {
                Vec::new()
            } else {
                failure("no_uncalled_tools", json!({ "uncalled": uncalled }))
            }
        }
        Rule::PercentCalled(least) => {
            let (n_called, n_callable) = n_called(counts);
            let percent = percent(n_called, n_callable);
            if percent >= *least {
                return Vec::new();
            }
            let details = json!({
                "minimum": least, "actual": percent, "called": n_called, "eligible": n_callable,
            });
            failure("percent_called", details)
        }
        Rule::Custom(judge) => judge(counts),
    }
}

/// How many eligible tools were called, and how many could be: what the corpus kept from being called does not count.
#[must_use]
pub(crate) fn n_called(counts: &Counts) -> (usize, usize) {
    let callable =
        counts.calls.iter().filter(|(tool, calls)| **calls > 0 || !counts.uncallable.contains_key(*tool));
    let (mut n_called, mut n_callable) = (0, 0);
    for (_, calls) in callable {
        n_called += usize::from(*calls > 0);
        n_callable += 1;
    }
    (n_called, n_callable)
}

/// A share in percent; of nothing, all.
#[must_use]
pub(crate) fn percent(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nobody has so many tools")]
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(rule: &Rule, calls: &[(&str, u64)], expected: &str) {
        let calls = calls.iter().map(|(tool, calls)| ((*tool).to_owned(), *calls)).collect();
        let rulings = apply(rule, &Counts { calls, uncallable: BTreeMap::new() });
        assert_eq!(rulings.iter().map(Ruling::told).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn a_broken_rule_is_told_in_a_sentence() {
        let calls = &[("add", 0), ("get", 1), ("list", 2), ("put", 3)];
        check(
            &Rule::MinCallsPerTool(3),
            calls,
            "every tool should succeed at least 3 times; add never did, get did once, list did 2 times",
        );
        check(
            &Rule::NoUncalledTools,
            calls,
            "every tool should succeed at least once, and these never did: add",
        );
        check(
            &Rule::PercentCalled(80.0),
            calls,
            "at least 80.0 % of the tools that can be called should succeed; 3 of 4 did",
        );
    }
}
