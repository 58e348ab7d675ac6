//! The test that `docs/model-based-test.md` writes, and what it finds: the report begins as the guide shows it.

#[path = "../../../docs/examples/pool.rs"]
mod pool;

use probity::Check;
use probity_testkit::workspace;

fn main() {
    let failure = pool::pool_test().run(Check { seed: Some(1), ..Check::default() });
    let failure = failure.expect_err("the pool forgets what is free");
    println!("{failure}");
    let guide = std::fs::read_to_string(workspace::root().join("docs/model-based-test.md"));
    let guide = guide.expect("the guide is there");
    let shown = block(&guide, "text");
    let begins = !shown.is_empty() && failure.to_string().starts_with(shown);
    assert!(begins, "the guide shows another report:\n{shown}");
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
