//! `probity openapi --list`: every operation with its key, its schemas and how many targets it has.

use probity_schema::openapi::{Operation, Suite};

use serde_json::{Value, json};

use crate::args::openapi::OpenapiArgs;
use crate::command::openapi::{Told, suite};
use crate::command::sheet::write_json;
use crate::config::openapi::Openapi;
use crate::exit_code::{Outcome, Trouble};

pub(super) fn run(args: &OpenapiArgs, config: &Openapi, told: &mut Told<'_>) -> Result<Outcome, Trouble> {
    let suite: Suite<'_> = suite(args, config, told)?;
    let universe = suite.analyze(&config.coverage.dimensions);
    if let Some(goal) = &args.json {
        let operations = config.operations.iter().map(|at| &config.api.operations()[*at]);
        let operations = operations.zip(&universe.operations).map(|(operation, targets)| {
            json!({
                "operation": operation.key,
                "method": operation.method,
                "path": operation.path,
                "nTargets": targets.targets.len(),
                "nParameters": operation.parameters.len(),
                "sends": operation.request().map(|body| &body.media_type),
                "answers": operation.response().map(|answer| &answer.status),
            })
        });
        let list =
            json!({ "format": "probity-openapi-list/v1", "operations": operations.collect::<Vec<Value>>() });
        write_json(goal, &list)?;
        return Ok(Outcome::Done);
    }
    let mut lines = Vec::with_capacity(config.operations.len() + 1);
    let operations = config.operations.iter().map(|at| &config.api.operations()[*at]);
    let rows: Vec<[String; 4]> = operations
        .zip(&universe.operations)
        .map(|(operation, targets)| {
            [
                operation.key.clone(),
                format!("{} {}", operation.method, operation.path),
                targets.targets.len().to_string(),
                schemas(config, operation),
            ]
        })
        .collect();
    let title = ["operation", "method and path", "targets", "schemas"].map(str::to_owned);
    let width = |column: usize| {
        let widths = rows.iter().chain([&title]).map(|row| row[column].chars().count());
        widths.max().unwrap_or(0).min(60)
    };
    let widths = [width(0), width(1), width(2)];
    for [key, path, n, schemas] in [&title].into_iter().chain(&rows) {
        let line = format!("{key:<0$}  {path:<1$}  {n:>2$}  {schemas}", widths[0], widths[1], widths[2]);
        lines.push(line.trim_end().to_owned());
    }
    told.console.listed(&lines.join("\n"))?;
    let n = universe.universe.targets.len();
    told.console.say(&format!("{} operations, {n} targets", rows.len()));
    Ok(Outcome::Done)
}

/// What is sent and what comes back, by media type and schema.
fn schemas(config: &Openapi, operation: &Operation) -> String {
    let mut parts = Vec::new();
    if !operation.parameters.is_empty() {
        let n_parameters = operation.parameters.len();
        parts.push(if n_parameters == 1 {
            "1 parameter".to_owned()
        } else {
            format!("{n_parameters} parameters")
        });
    }
    if let Some(body) = operation.request() {
        parts.push(format!("sends {} {}", body.media_type, config.api.schema_name(body)));
    }
    if let Some(answer) = operation.response() {
        let name = config.api.schema_name(&answer.content);
        parts.push(format!("answers {} {} {name}", answer.status, answer.content.media_type));
    }
    parts.join(", ")
}
