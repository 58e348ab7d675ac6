//! What a report says of how a failure is seen again, taken at its word.

use std::cell::Cell;
use std::time::Duration;

use probity::{
    Check, Choosing, Failure, Found, Parallel, Persistence, Recording, Stateful, run_watched, stateful,
};

/// Breaks for one number in two thousand.
fn rare() -> Stateful<u32, u32> {
    stateful::<u32, u32>()
        .model(|| 0)
        .sut(|| 0)
        .command("add")
        .forall("n", 0..=2_000_000u32)
        .run(|(n,), model, system| {
            *model = model.wrapping_add(n);
            *system = if n % 20_011 == 7 { 0 } else { system.wrapping_add(n) };
            *system
        })
        .post(|_, model, _, got| got == model)
        .end()
}

/// Options as a value, and as they are written here.
macro_rules! pasted {
    ($options:expr) => {
        ($options, stringify!($options).split_whitespace().collect::<Vec<_>>().join(" "))
    };
}

/// Runs a test with its own options, then with those that the report says, which must find the same.
#[track_caller]
fn check(own: Check, (pasted, text): (Check, String)) {
    let first = rare().run(own).expect_err("a bug is planted");
    let expected = format!("\nto run this seed again, give the test these options:\n    {text}\n");
    assert!(first.to_string().contains(&expected), "{first}");
    let again = rare().run(pasted).expect_err("the options draw it again");
    let full = |failure: &Failure| failure.counterexample().map(|found| found.full.clone());
    assert_eq!(full(&first), full(&again));
}

#[test]
fn the_options_of_a_report_draw_the_failure_again() {
    let many = Check { num_runs: 20_000, ..Check::default() };
    let [one, two] = [1, 2].map(|seed| Check { seed: Some(seed), ..many.clone() });
    check(one, pasted!(Check { seed: Some(1), num_runs: 371, ..Check::default() }));
    check(two, pasted!(Check { seed: Some(2), ..Check::default() }));
    let long = Check { seed: Some(3), min_commands: 5, max_commands: 9, choosing: Choosing::Uniform, ..many };
    check(
        long,
        pasted!(Check {
            seed: Some(3),
            num_runs: 435,
            min_commands: 5,
            max_commands: 9,
            choosing: Choosing::Uniform,
            ..Check::default()
        }),
    );
}

/// Breaks above 900.
fn writer() -> Stateful<(), ()> {
    let test = stateful::<(), ()>().model(|| ()).sut(|| ()).command("write").forall("v", 0..=1000i64);
    test.run(|(v,), (), ()| v < 900).post(|_, (), (), is_good| *is_good).end()
}

/// Whether a report has all of the one and none of the other.
#[track_caller]
fn tell(failure: &Failure, has: &[&str], lacks: &[&str]) {
    let report = failure.to_string();
    for (is_wanted, text) in has.iter().map(|text| (true, text)).chain(lacks.iter().map(|text| (false, text)))
    {
        assert_eq!(report.contains(text), is_wanted, "{text:?} in {report}");
    }
}

#[test]
fn a_report_says_where_it_was_recorded_and_a_later_one_that_it_was() {
    let folder = std::env::temp_dir().join(format!("probity-{}-seen-again", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let file = folder.join("writer.txt");
    let machine = || writer().build().expect("it is complete");
    let check = |seed| Check { seed: Some(seed), persistence: Persistence::Off, ..Check::default() };
    let first = machine().run_recorded(&check(1), &file).expect_err("a bug is planted");
    let found = first.counterexample().expect("a counterexample");
    let Recording::Written { seeds, script } = &found.record else { panic!("it was not recorded: {first}") };
    assert!(*seeds == file && script.exists() && script.parent() == Some(&*folder), "{first}");
    let both = format!("commit both files:\n    {}\n    {}\n", seeds.display(), script.display());
    tell(&first, &["Check { seed: Some(1), ..Check::default() }", "seed 1\n", &both], &["0x", "shows again"]);
    let again = machine().run_recorded(&check(2), &file).expect_err("it is not mended");
    let told = format!("\nit was recorded earlier, in {}, and shows again\n", script.display());
    tell(&again, &[&told, ".replay(", "0 runs, 1 replayed\n", "write: ran 1,"], &["seed", "commit", "run 0"]);
    std::fs::remove_file(script).expect("it can be removed");
    let again = machine().run_recorded(&check(2), &file).expect_err("it is not mended");
    tell(&again, &[&format!("in {}, and shows again", file.display())], &["seed", "commit"]);
    let nowhere = file.join("under a file.txt");
    let other = machine().run_recorded(&check(3), &nowhere).expect_err("a bug is planted");
    tell(&other, &["it could not be recorded in ", "seed: Some(3)"], &["commit"]);
    std::fs::remove_dir_all(&folder).expect("it can be removed");
}

#[test]
fn a_script_that_fails_is_told_as_that_and_names_no_seed() {
    let first = writer().run(Check { seed: Some(1), ..Check::default() }).expect_err("a bug is planted");
    let script = &first.counterexample().expect("a counterexample").script;
    let again = writer().build().expect("complete").replay(script).expect_err("it is not mended");
    assert_eq!(again.counterexample().map(|found| &found.found), Some(&Found::Script));
    let has = ["sequence of the script", "1. write(v: 900) -> false\n", "it failed in 3 of 3 replays"];
    tell(&again, &has, &["seed", "minimal", "full", ".replay(", "0 runs"]);
}

#[test]
fn a_watched_test_and_a_parallel_one_say_how_they_are_drawn_again() {
    let hang = || {
        let test = stateful::<(), ()>().model(|| ()).sut(|| ()).command("hang");
        test.run(|(), (), ()| {
            loop {
                std::thread::park();
            }
        })
        .end()
    };
    let limit = Check { seed: Some(7), time_limit: Some(Duration::from_micros(2500)), ..Check::default() };
    let (pasted, written) =
        pasted!(Check { seed: Some(7), time_limit: Some(Duration::from_micros(2500)), ..Check::default() });
    for options in [limit, pasted] {
        tell(&run_watched(options, hang).expect_err("it hangs"), &[&written], &[]);
    }
    let racy = || {
        let test = stateful::<i64, Cell<i64>>().model(|| 0).sut(|| Cell::new(0)).command("inc");
        let test = test.call_async(async |(), counter: &Cell<i64>| {
            let before = counter.get();
            tokio::task::yield_now().await;
            counter.set(before + 1);
            before + 1
        });
        let test = test.next(|(), model, got| {
            *model += 1;
            model == got
        });
        test.end()
    };
    let own = Parallel { seed: Some(1), num_runs: 400, branches: 3, ..Parallel::default() };
    let (pasted, written) = pasted!(Parallel { seed: Some(1), branches: 3, ..Parallel::default() });
    for options in [own, pasted] {
        tell(&racy().run_interleaved(&options).expect_err("a race is planted"), &[&written], &["0x"]);
    }
}
