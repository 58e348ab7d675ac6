//! Media types: which carry JSON, and which of several an operation is judged by.

/// Whether a media type carries JSON: `application/json`, `text/json`, anything that ends in `+json`.
///
/// ```
/// use probity_schema::openapi::is_json;
/// assert!(is_json("application/problem+json; charset=utf-8"));
/// assert!(!is_json("application/xml"));
/// ```
#[must_use]
pub fn is_json(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence == "application/json" || essence == "text/json" || essence.ends_with("+json")
}

/// Whether a media type leaves open what it carries, so that JSON is allowed.
pub(crate) fn is_open(media_type: &str) -> bool {
    matches!(essence(media_type).as_str(), "*/*" | "application/*")
}

/// Whether data for a response can be made in a media type.
pub(crate) fn is_answered(media_type: &str) -> bool {
    is_json(media_type) || is_open(media_type)
}

/// Whether a media type is that of an HTML form.
pub(crate) fn is_form(media_type: &str) -> bool {
    essence(media_type) == "application/x-www-form-urlencoded"
}

/// Whether a media type is that of a form with files.
pub(crate) fn is_multipart(media_type: &str) -> bool {
    essence(media_type) == "multipart/form-data"
}

fn essence(media_type: &str) -> String {
    media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The position of the media type by which a request is judged: the first that carries JSON in lexicographic order;
/// without one, the first that leaves it open, then a form.
pub(crate) fn first_request(media_types: &[&str]) -> Option<usize> {
    let kinds: [fn(&str) -> bool; 4] = [is_json, is_open, is_form, is_multipart];
    kinds.iter().find_map(|is_kind| {
        let among = (0..media_types.len()).filter(|at| is_kind(media_types[*at]));
        among.min_by_key(|at| media_types[*at])
    })
}

/// The position of the response by which an operation is judged, among pairs of status and media type: `200`, else the
/// first success, else the first of all. JSON comes before types that leave it open, as long as both mean success.
pub(crate) fn first_response(pairs: &[(&str, &str)]) -> Option<usize> {
    type Is = fn(&str) -> bool;
    let order: [(Is, Is); 6] = [
        (|status| status == "200", is_json),
        (is_success, is_json),
        (|status| status == "200", is_open),
        (is_success, is_open),
        (|_| true, is_json),
        (|_| true, is_open),
    ];
    order.iter().find_map(|(is_status, is_kind)| {
        let among = (0..pairs.len()).filter(|at| is_status(pairs[*at].0) && is_kind(pairs[*at].1));
        among.min_by_key(|at| pairs[*at])
    })
}

/// Whether a status stands for success: `200` to `299`, or `2XX`.
pub(crate) fn is_success(status: &str) -> bool {
    status.len() == 3 && status.starts_with('2')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pairs: &[(&str, &str)], expected: Option<(&str, &str)>) {
        assert_eq!(first_response(pairs).map(|at| pairs[at]), expected, "{pairs:?}");
    }

    #[test]
    fn a_request_is_judged_by_its_first_json_media_type() {
        let first = |types: &[&'static str]| first_request(types).map(|at| types[at]);
        assert_eq!(
            first(&["text/plain", "application/vnd.api+json", "application/json"]),
            Some("application/json")
        );
        assert_eq!(first(&["application/problem+json", "application/json"]), Some("application/json"));
        assert_eq!(first(&["multipart/form-data", "*/*"]), Some("*/*"));
        assert_eq!(first(&["text/plain"]), None);
    }

    #[test]
    fn a_response_of_200_comes_first() {
        let json = "application/json";
        check(&[("201", json), ("200", json)], Some(("200", json)));
        check(&[("200", "text/html"), ("201", json)], Some(("201", json)));
    }

    #[test]
    fn without_200_the_first_success_with_json_is_taken() {
        let json = "application/json";
        check(&[("404", json), ("204", json), ("201", json)], Some(("201", json)));
        check(&[("201", "text/json"), ("201", json)], Some(("201", json)));
        check(&[("2XX", json), ("default", json)], Some(("2XX", json)));
    }

    #[test]
    fn without_a_success_the_first_pair_is_taken() {
        let json = "application/json";
        check(
            &[("default", json), ("500", json), ("404", "application/problem+json")],
            Some(("404", "application/problem+json")),
        );
        check(&[("404", "text/html")], None);
    }
}
