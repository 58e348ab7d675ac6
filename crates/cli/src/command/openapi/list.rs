//! `probity openapi --list`: every operation with its key, its schemas and how many targets it has.

use probity_schema::coverage::{OperationTargets, Status, Target, counted};
use probity_schema::openapi::{Feed, Operation, Part, Suite};

use serde_json::{Value, json};

use crate::args::openapi::OpenapiArgs;
use crate::command::openapi::{Told, suite};
use crate::command::sheet::write_json;
use crate::config::openapi::Openapi;
use crate::exit_code::{Outcome, Trouble};

pub(super) fn run(
    args: &OpenapiArgs,
    config: &Openapi,
    told: &mut Told<'_>,
    feed: &Feed<'_>,
) -> Result<Outcome, Trouble> {
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
                "main": operation.main_status(),
                "sendsUnmade": operation.unmade_bodies(),
                "answersUnmade": unmade_answers(args, operation),
                "problems": told.faults_of(&operation.key).collect::<Vec<String>>(),
            })
        });
        let list =
            json!({ "format": "probity-openapi-list/v1", "operations": operations.collect::<Vec<Value>>() });
        write_json(goal, &list)?;
        return Ok(Outcome::Done);
    }
    let mut lines = Vec::with_capacity(config.operations.len() + 1);
    let rows: Vec<[String; 4]> = config
        .operations
        .iter()
        .zip(&universe.operations)
        .map(|(at, targets)| {
            let operation = &config.api.operations()[*at];
            [
                operation.key.clone(),
                format!("{} {}", operation.method, operation.path),
                n_of(targets).to_string(),
                schemas(args, config, feed, *at),
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

/// What is sent and what comes back, by media type and schema, with what is broken or not made about it.
fn schemas(args: &OpenapiArgs, config: &Openapi, feed: &Feed<'_>, at: usize) -> String {
    let operation = &config.api.operations()[at];
    let broken = |part: Part| -> Vec<String> {
        let units = config.api.units(&[at], &[part], &args.status).into_iter();
        let broken = units.filter(|unit| feed.body_schema(unit).is_err());
        broken.map(|unit| unit.status.unwrap_or_default()).collect()
    };
    let mut parts = Vec::new();
    let parameters = config.api.units(&[at], &[Part::Parameters], &[]);
    let n_broken: usize = parameters.iter().map(|unit| feed.faults(unit).len()).sum();
    if !operation.parameters.is_empty() {
        let n = counted(operation.parameters.len() as u64, "parameter");
        parts.push(if n_broken == 0 { n } else { format!("{n} ({n_broken} broken)") });
    }
    let unmade = operation.unmade_bodies();
    match operation.request() {
        Some(body) => {
            let remarks = remarks(!broken(Part::Request).is_empty(), &unmade);
            parts.push(format!("sends {} {}{remarks}", body.media_type, config.api.schema_name(body)));
        }
        None if unmade.is_empty() => {}
        None => parts.push(format!("sends {} (not made)", unmade.join(" or "))),
    }
    let broken = broken(Part::Response);
    let answers = statuses(args, operation).into_iter().map(|status| {
        let unmade = operation.unmade_answers(status);
        match operation.answer(status) {
            Some(answer) => {
                let remarks = remarks(broken.iter().any(|known| known == status), &unmade);
                let name = config.api.schema_name(&answer.content);
                format!("{status} {} {name}{remarks}", answer.content.media_type)
            }
            None if unmade.is_empty() => format!("{status} (no body)"),
            None => format!("{status} {} (not made)", unmade.join(" or ")),
        }
    });
    let answers = answers.collect::<Vec<_>>().join(" or ");
    if !answers.is_empty() {
        parts.push(format!("answers {answers}"));
    }
    parts.join(", ")
}

fn remarks(is_broken: bool, unmade: &[String]) -> String {
    let unmade = (!unmade.is_empty()).then(|| format!("{} not made", unmade.join(", ")));
    let remarks: Vec<String> = is_broken.then(|| "broken".to_owned()).into_iter().chain(unmade).collect();
    if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) }
}

/// The responses that are listed: those that are meant, or all where none is.
fn statuses<'o>(args: &OpenapiArgs, operation: &'o Operation) -> Vec<&'o str> {
    let meant = operation.meant_statuses(&args.status);
    if meant.is_empty() && args.status.is_empty() {
        return operation.declared.iter().map(|declared| declared.status.as_str()).collect();
    }
    meant
}

fn unmade_answers(args: &OpenapiArgs, operation: &Operation) -> Vec<String> {
    let of = |status: &str| -> Vec<String> {
        operation.unmade_answers(status).iter().map(|name| format!("{status} {name}")).collect()
    };
    statuses(args, operation).into_iter().flat_map(of).collect()
}
