//! The house rules hold for every file of the project.

use probity_testkit::tidy::tree::Tree;
use probity_testkit::tidy::{
    Breach, layer, link, map, opening, presence, room, size, test_name, unused, word,
};

#[track_caller]
fn check(rule: fn(&Tree) -> Vec<Breach>) {
    let breaches = rule(&Tree::of_workspace());
    let lines: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "a house rule is broken in {} places:\n  {}", lines.len(), lines.join("\n  "));
}

#[test]
fn the_papers_every_visitor_looks_for_are_there() {
    check(presence::run);
}

#[test]
fn crates_depend_in_one_direction_and_on_no_more_than_they_should() {
    check(layer::run);
}

#[test]
fn every_dependency_is_used() {
    check(unused::run);
}

#[test]
fn a_module_uses_only_modules_declared_above_it() {
    check(room::run);
}

#[test]
fn no_file_is_longer_than_one_sitting_can_read() {
    check(size::run);
}

#[test]
fn every_source_file_opens_with_a_sentence_that_says_what_it_is_for() {
    check(opening::run);
}

#[test]
fn no_unfinished_work_idle_test_or_machine_of_ours_is_left_anywhere() {
    check(word::run);
}

#[test]
fn the_name_of_every_test_is_a_sentence() {
    check(test_name::run);
}

#[test]
fn every_link_between_papers_leads_somewhere() {
    check(link::run);
}

#[test]
fn the_map_of_the_house_names_only_what_exists() {
    check(map::run);
}
