//! `probity openapi --list`: every operation with its key, its schemas and how many targets it has.

use probity_schema::coverage::{OperationTargets, Status, Target, counted};
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
    // What a report only shows, such as a schema that several operations use, counts for nothing there either.
    let is_counted = |target: &Target| target.status == Status::Active;
    let n_of = |one: &OperationTargets| {
        one.targets.iter().filter(|at| is_counted(&universe.universe.targets[**at])).count()
    };
    if let Some(goal) = &args.json {
        let operations = config.operations.iter().map(|at| &config.api.operations()[*at]);
        let operations = operations.zip(&universe.operations).map(|(operation, targets)| {
            json!({
                "operation": operation.key,
                "method": operation.method,
                "path": operation.path,
                "nTargets": n_of(targets),
                "nParameters": operation.parameters.len(),
                "sends": operation.request().map(|body| &body.media_type),
                "answers": operation.response().map(|answer| &answer.status),
                "sendsUnmade": operation.unmade_bodies,
                "answersUnmade": operation.unmade_answers,
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
                n_of(targets).to_string(),
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
    let n = universe.universe.targets.iter().filter(|target| is_counted(target)).count();
    let told_n = match rows.len() {
        1 => format!("1 operation, {}", counted(n as u64, "target")),
        n_operations => {
            let n = counted(n as u64, "target");
            format!("{n_operations} operations, {n}; what several operations use counts once")
        }
    };
    told.console.say(&told_n);
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
    if !operation.unmade_bodies.is_empty() {
        parts.push(format!("sends {} (not made)", operation.unmade_bodies.join(" or ")));
    }
    if !operation.unmade_answers.is_empty() {
        parts.push(format!("answers {} (not made)", operation.unmade_answers.join(" or ")));
    }
    if let Some(answer) = operation.response() {
        let name = config.api.schema_name(&answer.content);
        parts.push(format!("answers {} {} {name}", answer.status, answer.content.media_type));
    }
    parts.join(", ")
}
