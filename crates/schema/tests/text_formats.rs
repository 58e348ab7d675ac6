//! Formats and content as strings: every one drawn passes the validator, alone and with lengths and patterns.

use probity_schema::Draw;
use probity_schema::text::{TextLimits, TextProblem, TextSampler, TextShape};
use serde_json::{Value, json};

const LIMITS: TextLimits = TextLimits { max_length: 64, max_states: 4000 };

/// The formats the validator asserts.
const FORMATS: &[&str] = &[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

/// Draws from the string keywords of a schema and has the validator judge it; `false` when there is no string.
#[track_caller]
fn check(schema: &Value) -> bool {
    let texts = |keyword: &str| schema[keyword].as_str().map(str::to_owned).into_iter().collect();
    let barred = schema["not"]["format"].as_str().map(str::to_owned).into_iter().collect();
    let shape = TextShape {
        min_length: schema["minLength"].as_u64().unwrap_or(0),
        max_length: schema["maxLength"].as_u64(),
        patterns: texts("pattern"),
        formats: texts("format"),
        barred_formats: barred,
        content_media_types: texts("contentMediaType"),
        content_encodings: texts("contentEncoding"),
        ..TextShape::default()
    };
    let sampler = match TextSampler::compile(&shape, &LIMITS) {
        Ok(sampler) => sampler,
        Err(TextProblem::Empty { .. }) => return false,
        Err(problem) => panic!("{schema}: {problem}"),
    };
    assert!(sampler.is_exact(), "{schema}");
    let judge =
        jsonschema::options().should_validate_formats(true).build(schema).expect("the schema is legal");
    for seed in 0..40 {
        let text = sampler.draw(&mut Draw::new(seed)).expect("an exact sampler draws");
        assert!(judge.is_valid(&json!(text)), "{schema} drew {text:?}");
    }
    true
}

#[test]
fn every_format_is_drawn_and_avoided() {
    for format in FORMATS {
        assert!(check(&json!({"format": format})), "{format}");
        assert!(check(&json!({"not": {"format": format}})), "{format}");
    }
}

#[test]
fn every_format_keeps_to_lengths_or_is_proven_to_have_none() {
    for format in FORMATS {
        for (min, max) in [(0, 40), (12, 500), (45, 500), (5, 9), (80, 90)] {
            check(&json!({"format": format, "minLength": min, "maxLength": max}));
        }
    }
    for (format, max) in [("date-time", 9), ("date", 9), ("uuid", 35), ("ipv4", 6)] {
        assert!(!check(&json!({"format": format, "maxLength": max})), "{format}");
    }
}

#[test]
fn a_format_meets_a_pattern() {
    let rows = [
        ("uri", "^https://"),
        ("uri", "^https://github\\.com/[^/]+/[^/]+$"),
        ("uri", "\\.zip$"),
        ("uri", "^mailto:"),
        ("uri", "^file:///"),
        ("uri-reference", "^\\./"),
        ("uri-reference", "^#/definitions/"),
        ("date-time", "Z$"),
        ("date-time", "^2024-02-29T"),
        ("date", "-02-29$"),
        ("email", "@company\\.com$"),
        ("email", "^[A-Z]"),
        ("hostname", "^[a-z0-9-]+$"),
        ("uuid", "^[A-F0-9-]+$"),
        ("ipv4", "^10\\."),
        ("ipv6", "^fd"),
        ("ipv6", "\\."),
        ("json-pointer", "~0"),
        ("duration", "^P.*T"),
        ("time", ":60"),
        ("regex", "^\\^"),
    ];
    for (format, pattern) in rows {
        assert!(check(&json!({"format": format, "pattern": pattern})), "{format} {pattern}");
    }
    assert!(!check(&json!({"format": "date", "pattern": "-02-30$"})));
}

#[test]
fn content_is_written_in_its_encoding() {
    let check = |mut schema: Value| {
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        assert!(check(&schema), "{schema}");
    };
    for encoding in ["base64", "base64url", "base32", "base32hex", "base16"] {
        check(json!({"contentEncoding": encoding}));
        check(json!({"contentEncoding": encoding, "minLength": 60}));
    }
    check(json!({"contentMediaType": "application/json"}));
    check(json!({"contentMediaType": "application/json", "minLength": 60}));
    check(json!({"contentMediaType": "application/json", "contentEncoding": "base64"}));
}
