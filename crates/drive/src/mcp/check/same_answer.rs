//! Whether two calls were the same, and whether their answers were.

use serde_json::Value;

use crate::mcp::outcome::{Exchange, Outcome};

/// Whether both exchanges called the same tool with the same arguments.
pub(crate) fn is_same_call(left: &Exchange, right: &Exchange) -> bool {
    left.tool == right.tool && left.arguments == right.arguments
}

/// What an answer says: the structured content, or the content if there is none; nothing if there was no answer.
pub(crate) fn substance(outcome: &Outcome) -> Option<(&'static str, &Value)> {
    let (Outcome::Answered { result } | Outcome::ErrorResult { result }) = outcome else {
        return None;
    };
    let said = result.get("structuredContent").or_else(|| result.get("content"))?;
    Some((outcome.name(), said))
}

/// Both answers in one line, for a message.
pub(crate) fn contrast(first: &Exchange, second: &Exchange) -> String {
    let said = |exchange: &Exchange| {
        let text = substance(&exchange.outcome).map(|(_, said)| said.to_string()).unwrap_or_default();
        text.chars().take(200).collect::<String>()
    };
    format!("first {}, then {}", said(first), said(second))
}
