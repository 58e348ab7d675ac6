//! What an operation declares and no data is made for: bodies in other media types, and successes without JSON.
//!
//! None of it is wrong. Coverage asks for one media type of a request, and for one response by which an operation is judged; a
//! user who builds on the data should know what stands beside these.

use crate::openapi::operation::{Declared, Operation};
use crate::openapi::problem::{Problem, ProblemKind};
use crate::openapi::unit::Part;

/// What some parts of an operation declare and no data is made for, responses as they are asked for.
pub(crate) fn unmade(operation: &Operation, parts: &[Part], statuses: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    if parts.contains(&Part::Request) {
        problems.extend(of_request(operation));
    }
    if parts.contains(&Part::Response) {
        problems.extend(if statuses.is_empty() {
            of_main(operation)
        } else {
            operation.declared_as(statuses).filter_map(|one| of_answer(operation, one)).collect()
        });
    }
    problems.into_iter().map(|problem| problem.of_operation(&operation.key)).collect()
}

fn of_request(operation: &Operation) -> Option<Problem> {
    let others = listed(&operation.unmade_bodies())?;
    let (text, kind) = match operation.request() {
        None => {
            let made = "bodies are made where they are in JSON or a form and have a schema";
            let text = format!("a request body in {others} is not made, so requests have none; {made}");
            (text, ProblemKind::Unmade)
        }
        Some(body) => (beside("requests are", &body.media_type, &others), ProblemKind::Aside),
    };
    Some(Problem::new(operation.body_at.clone(), text).of_kind(kind))
}

/// What is to be said of the response by which an operation is judged, and of a success that it stands in for.
fn of_main(operation: &Operation) -> Vec<Problem> {
    let find = |status: &str| operation.declared.iter().find(|declared| declared.status == status);
    let Some(judged) = operation.response().map(|answer| answer.status.as_str()) else {
        let main = operation.main_status().and_then(find);
        if main.is_some_and(Declared::is_bodiless) {
            return Vec::new();
        }
        let said = |one: &Declared| listed(&one.media_types).map(|types| format!("{} {types}", one.status));
        let there: Vec<String> = operation.declared.iter().filter_map(said).collect();
        let there = there.join(", ");
        let text = format!(
            "no response is made: there are {there}; responses are made where they are in JSON and have a schema"
        );
        let problem = Problem::new(format!("{}/responses", operation.at), text);
        return if there.is_empty() { Vec::new() } else { vec![problem.of_kind(ProblemKind::Unmade)] };
    };
    let main = operation.main_status().filter(|status| *status != judged).and_then(find);
    let stand_in = main.map(|main| {
        let made =
            |how: &str| format!("the response {judged} counts {how}, and no call that succeeds has it");
        let problem = of_answer(operation, main);
        problem.map_or_else(
            || {
                let text = format!("the response {} has no body; {}", main.status, made("as well"));
                Problem::new(main.at.clone(), text).of_kind(ProblemKind::Aside)
            },
            |problem| Problem { text: format!("{}; {}", problem.text, made("instead")), ..problem },
        )
    });
    stand_in.into_iter().chain(find(judged).and_then(|judged| of_answer(operation, judged))).collect()
}

/// What is not made of one response.
fn of_answer(operation: &Operation, declared: &Declared) -> Option<Problem> {
    let Declared { status, media_types: _, at } = declared;
    let others = listed(&operation.unmade_answers(status))?;
    let (text, kind) = match operation.answer(status) {
        None => {
            let made = "responses are made where they are in JSON and have a schema";
            (format!("the response {status} in {others} is not made; {made}"), ProblemKind::Unmade)
        }
        Some(made) => (beside("responses are", &made.content.media_type, &others), ProblemKind::Aside),
    };
    Some(Problem::new(at.clone(), text).of_kind(kind))
}

fn listed(media_types: &[String]) -> Option<String> {
    (!media_types.is_empty()).then(|| media_types.join(", "))
}

/// The same words wherever the same media types stand beside one another, so that they can be told once.
fn beside(what: &str, made: &str, others: &str) -> String {
    format!("{what} made in {made}; nothing is made or counted in {others}")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::document::ReadOptions;
    use crate::openapi::Api;

    /// Checks the main status of an operation with these responses, and what is said of them with its kind.
    #[track_caller]
    fn check(responses: &Value, statuses: &[&str], main: Option<&str>, said: &[(ProblemKind, &str)]) {
        let description = json!({"openapi": "3.1.0", "paths": {"/a": {"get": {"operationId": "a", "responses": responses}}}});
        let api = Api::read(&description.to_string(), &ReadOptions::default()).expect("a description");
        let operation = &api.operations()[0];
        assert_eq!(operation.main_status(), main, "{responses}");
        let statuses: Vec<String> = statuses.iter().map(|status| (*status).to_owned()).collect();
        let problems = unmade(operation, &[Part::Response], &statuses);
        let told: Vec<(ProblemKind, &str)> =
            problems.iter().map(|problem| (problem.kind, problem.text.as_str())).collect();
        assert_eq!(told.len(), said.len(), "{responses}: {told:?}");
        for ((kind, text), (expected, words)) in told.iter().zip(said) {
            assert!(kind == expected && text.contains(words), "{responses}: {text:?}, not {words:?}");
        }
    }

    fn content(media_types: &[&str]) -> Value {
        let content = media_types.iter().map(|name| ((*name).to_owned(), json!({"schema": {}})));
        json!({"content": Value::Object(content.collect())})
    }

    #[test]
    fn an_error_never_stands_in_for_a_success_without_a_word() {
        let bad = content(&["application/json"]);
        check(
            &json!({"204": {}, "404": bad}),
            &[],
            Some("204"),
            &[(ProblemKind::Aside, "204 has no body; the response 404 counts as well")],
        );
        check(
            &json!({"200": content(&["image/png"]), "404": bad}),
            &[],
            Some("200"),
            &[(ProblemKind::Unmade, "200 in image/png is not made")],
        );
        check(
            &json!({"302": {}, "default": bad}),
            &[],
            Some("302"),
            &[(ProblemKind::Aside, "302 has no body")],
        );
        check(&json!({"404": bad, "default": bad}), &[], Some("404"), &[]);
        check(&json!({"201": bad, "200": {}, "404": bad}), &[], Some("201"), &[]);
        check(&json!({"204": {}, "404": content(&["text/plain"])}), &[], Some("204"), &[]);
    }

    #[test]
    fn what_stands_beside_json_is_told_apart_from_what_is_not_made_at_all() {
        let both = content(&["application/json", "application/xml"]);
        let beside = "made in application/json; nothing is made or counted in application/xml";
        check(&json!({"200": both}), &[], Some("200"), &[(ProblemKind::Aside, beside)]);
        let plain = content(&["text/plain"]);
        let unmade = "the response 400 in text/plain is not made";
        check(&json!({"200": both, "400": plain}), &["4XX"], Some("200"), &[(ProblemKind::Unmade, unmade)]);
        check(
            &json!({"200": plain, "201": {}}),
            &[],
            Some("200"),
            &[(ProblemKind::Unmade, "200 text/plain")],
        );
        check(&json!({"200": {}, "400": plain}), &["200"], Some("200"), &[]);
    }
}
