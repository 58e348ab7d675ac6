//! Failures are recorded when a test fails, and replayed first on the next run.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::rc::Rc;

use probity::{Check, Persistence, Stateful, stateful};

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("probity-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// Breaks above 900 unless mended; counts its runs.
fn writer(is_mended: bool, runs: &Rc<Cell<u32>>) -> Stateful<(), ()> {
    let runs = runs.clone();
    stateful::<(), ()>()
        .model(move || runs.set(runs.get() + 1))
        .sut(|| ())
        .command("write")
        .forall("v", 0..=1000i64)
        .run(move |(v,), (), ()| is_mended || v < 900)
        .post(|_, (), (), is_good| *is_good)
        .end()
}

fn report(test: Stateful<(), ()>, check: &Check) -> Option<String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| test.check(check.clone())));
    outcome.err().and_then(|payload| payload.downcast_ref::<String>().cloned())
}

#[test]
fn a_failure_is_recorded_and_replayed_first_until_it_is_mended() {
    let folder = folder("recorded");
    let file = folder.join("writer.txt");
    let check = Check { seed: Some(5), persistence: Persistence::File(file.clone()), ..Check::default() };
    let runs = Rc::new(Cell::new(0));
    assert_eq!(report(writer(true, &runs), &check), None);
    assert!(!folder.exists(), "nothing is written while all is well");
    assert!(report(writer(false, &runs), &check).is_some_and(|report| report.contains("write(v: 900)")));
    let seeds = std::fs::read_to_string(&file).expect("the seeds are there");
    assert!(seeds.contains("# shrinks to write(v: 900)"), "{seeds}");
    let n_files = std::fs::read_dir(&folder).expect("the folder is there").count();
    assert_eq!(n_files, 2, "seeds and script");
    let none = Check { num_runs: 0, seed: Some(6), ..check.clone() };
    assert!(report(writer(false, &runs), &none).is_some(), "the recorded failure is replayed before any run");
    runs.set(0);
    assert_eq!(report(writer(true, &runs), &none), None);
    assert_eq!(runs.get(), 2, "the script and the seed were both replayed");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

/// Fails after three steps in an invariant without a name, unless mended.
fn counter(is_mended: bool) -> Stateful<i64, ()> {
    let test = stateful::<i64, ()>().model(|| 0).sut(|| ()).command("inc");
    let test = test.forall("by", 1..=1i64).run(|(by,), model, ()| *model += by);
    test.invariant(move |model, ()| is_mended || *model < 3)
}

#[test]
fn what_is_recorded_is_read_past_notes_and_left_alone_when_it_is_stale() {
    let folder = folder("stale");
    let file = folder.join("counter.txt");
    let check = Check { seed: Some(5), persistence: Persistence::Off, ..Check::default() };
    let run = |is_mended: bool, num_runs: u32| {
        let machine = counter(is_mended).build().expect("it is complete");
        machine.run_recorded(&Check { num_runs, ..check.clone() }, &file)
    };
    run(false, 100).expect_err("a bug is planted");
    assert_eq!(run(true, 0).expect("it is mended").n_replayed, 2, "the script and the seed");
    let is_script = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "script");
    let files =
        std::fs::read_dir(&folder).expect("the folder is there").map(|file| file.expect("a file").path());
    let script = files.into_iter().find(is_script).expect("the script is there");
    let text = std::fs::read_to_string(&script).expect("it can be read");
    assert!(text.starts_with("# invariant #1 failed\ninc(by: 1) # 0 "), "{text}");
    let stale = text.replace("inc(", "dec(");
    std::fs::write(&script, format!("a note\n{text}{stale}")).expect("it can be written");
    assert_eq!(run(true, 0).expect("it is mended").n_replayed, 2, "what is stale is left alone");
    let told = run(false, 0).expect_err("it shows again").to_string();
    assert!(told.contains("inc: ran 3"), "{told}");
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}
