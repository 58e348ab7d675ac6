//! Heavy input: contracts made to exhaust memory or patience are drawn from or refused, within a gigabyte.

use std::fs;
use std::process::Command;

/// Runs the program and prints its exit code and the most memory it held, in kilobytes.
const WATCH: &str = "import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";

const MOST_KILOBYTES: u64 = 1 << 20;

/// Draws from a contract and checks the exit code, what is said, and the memory.
#[track_caller]
fn check(schema: &str, code: i32, said: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("schema.json");
    fs::write(&path, schema).expect("the schema is written");
    let output = Command::new("python3")
        .args(["-c", WATCH, env!("CARGO_BIN_EXE_probity"), "generate", "--n", "3"])
        .arg(&path)
        .output()
        .expect("python3 starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout);
    let (ended, kilobytes) = printed.trim().split_once(' ').expect("two numbers");
    assert_eq!(ended, code.to_string(), "{stderr}");
    assert!(stderr.contains(said), "{said:?} is not said:\n{stderr}");
    assert!(kilobytes.parse::<u64>().expect("a number") < MOST_KILOBYTES, "{kilobytes} kB:\n{stderr}");
}

/// Many parts made alike, joined by commas.
fn joined(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect::<Vec<_>>().join(",")
}

#[test]
fn a_hundred_thousand_members_or_values_are_drawn_from() {
    let members = joined(100_000, |n| format!(r#""p{n}":{{"type":"integer"}}"#));
    let names = joined(100_000, |n| format!(r#""p{n}""#));
    check(&format!(r#"{{"type":"object","properties":{{{members}}},"required":[{names}]}}"#), 0, "");
    check(&format!(r#"{{"properties":{{{members}}},"additionalProperties":false}}"#), 0, "");
    check(&format!(r#"{{"enum":[{names}]}}"#), 0, "");
    check(&format!(r#"{{"enum":[{}]}}"#, joined(100_000, |n| format!(r#"{{"a":{n}}}"#))), 0, "");
}

#[test]
fn many_different_elements_and_names_are_found() {
    check(
        r#"{"type":"array","minItems":100000,"uniqueItems":true,"items":{"type":"integer","minimum":5}}"#,
        0,
        "",
    );
    check(r#"{"type":"array","minItems":100000,"uniqueItems":true,"items":{"type":"integer"}}"#, 0, "");
    check(r#"{"type":"object","minProperties":100000}"#, 0, "");
}

#[test]
fn many_conditions_and_choices_at_once_are_met() {
    let conditions = joined(60, |n| {
        format!(
            r#"{{"if":{{"properties":{{"a{n}":{{"const":1}}}},"required":["a{n}"]}},"then":{{"required":["b{n}"]}},"else":{{"required":["c{n}"]}}}}"#
        )
    });
    check(&format!(r#"{{"allOf":[{conditions}]}}"#), 0, "conditions");
    let choices = joined(30, |n| {
        format!(r#"{{"anyOf":[{}]}}"#, joined(10, |m| format!(r#"{{"required":["p{n}_{m}"]}}"#)))
    });
    check(&format!(r#"{{"allOf":[{choices}]}}"#), 0, "choices");
    let exclusive =
        joined(200, |n| format!(r#"{{"properties":{{"p{n}":{{"const":{n}}}}},"required":["p{n}"]}}"#));
    check(&format!(r#"{{"oneOf":[{exclusive}]}}"#), 0, "");
}

#[test]
fn parts_that_refer_to_one_another_in_too_many_ways_are_refused() {
    let twice = |shape: &str| {
        let chain = joined(40, |n| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
            format!(r#""d{n}":{}"#, shape.replace("NEXT", &next))
        });
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{chain},"d40":{{"type":"integer"}}}}}}"##)
    };
    check(&twice(r#"{"allOf":[NEXT,NEXT]}"#), 2, "at #/$defs/d0: judging one value takes more than");
    check(&twice(r#"{"oneOf":[NEXT,NEXT]}"#), 2, "judging one value takes more than");
    let inside = r#"{"allOf":[{"properties":{"a":NEXT}},{"properties":{"a":NEXT}}],"required":["a"]}"#;
    check(&twice(inside), 2, "judging one value takes more than");
    // One way in, however long, is no trouble.
    check(&twice(r#"{"type":"object","properties":{"a":NEXT,"b":NEXT}}"#), 0, "");
}

#[test]
fn patterns_with_many_states_are_drawn_from() {
    check(r#"{"type":"string","pattern":"(.*a){30}.{500}b"}"#, 0, "");
    check(r#"{"type":"string","minLength":1000000,"pattern":"^a*b*$"}"#, 0, "");
    let both = joined(12, |n| format!(r#"{{"pattern":"(a|b)*a(a|b){{{}}}"}}"#, n + 8));
    check(&format!(r#"{{"type":"string","allOf":[{both}]}}"#), 0, "");
}

#[test]
fn patterns_that_unroll_to_very_much_are_refused_by_what_they_take() {
    check(r#"{"type":"string","pattern":"^.{1,65535}$"}"#, 2, "larger than the matcher goes");
    check(r#"{"type":"string","pattern":"("}"#, 2, "is not a regular expression");
    let members =
        |n| joined(n, |n| format!(r#""p{n}":{{"type":"string","pattern":"^.{{1,{}}}$"}}"#, 5_000 + n));
    check(&format!(r#"{{"type":"object","properties":{{{}}}}}"#, members(20)), 0, "");
    check(&format!(r#"{{"type":"object","properties":{{{}}}}}"#, members(1_000)), 2, "take more than 200 MB");
}
