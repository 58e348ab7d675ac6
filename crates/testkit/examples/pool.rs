//! The test that `docs/model-based-test.md` writes, and what it finds: the report is as the guides show it.

#[path = "../../../docs/examples/pool.rs"]
mod pool;

use probity::Check;
use probity_testkit::workspace;

fn main() {
    let folder = std::env::temp_dir().join(format!("probity-pool-{}", std::process::id()));
    let file = folder.join("proptest-regressions/tests/pool.txt");
    let machine = pool::pool_test().build().expect("the test is complete");
    let failure = machine.run_recorded(&Check { seed: Some(1), ..Check::default() }, &file);
    let failure = failure.expect_err("the pool forgets what is free");
    std::fs::remove_dir_all(&folder).expect("the failure was recorded");
    let report = failure.to_string().replace(&format!("{}/", folder.display()), "");
    println!("{report}");
    let guide = std::fs::read_to_string(workspace::root().join("docs/model-based-test.md"));
    let guide = guide.expect("the guide is there");
    let shown = block(&guide, "text");
    assert!(!shown.is_empty() && report.starts_with(shown), "the guide shows another report:\n{shown}");
    let replay = std::fs::read_to_string(workspace::root().join("docs/replay.md"));
    let replay = replay.expect("the guide is there");
    let shown = block(&replay, "text");
    assert!(!shown.is_empty() && report.contains(shown), "{shown}\nis not in the report");
    let code = std::fs::read_to_string(workspace::root().join("docs/examples/pool.rs"));
    assert_eq!(
        block(&guide, "rust"),
        code.expect("the example is there").trim_end(),
        "the guide shows another test"
    );
}

/// The first block of a language in a paper.
fn block<'a>(paper: &'a str, language: &str) -> &'a str {
    let rest = paper.split_once(&format!("\n```{language}\n")).map_or("", |(_, rest)| rest);
    rest.split_once("\n```").map_or("", |(inside, _)| inside)
}
