//! `docs/promises.md` names tests that exist.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The source of a test file: `fixtures` of `tests/`, `plan` of `src/`, `test_api` of `tests/`.
fn source(file: &str) -> String {
    let places = [format!("tests/{file}.rs"), format!("src/{file}/tests.rs"), format!("tests/{file}.py"), format!("tests/{file}")];
    places.iter().find_map(|place| std::fs::read_to_string(here().join(place)).ok()).unwrap_or_else(|| panic!("no test file {file}"))
}

/// What stands between back-ticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_promise_names_tests_that_exist() {
    // The published package does not hold the documents.
    let Ok(text) = std::fs::read_to_string(here().join("docs/promises.md")) else { return };
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| R")).collect();
    assert_eq!(rows.len(), 25);
    for (number, row) in rows.iter().enumerate() {
        assert!(row.starts_with(&format!("| R{} |", number + 1)), "{row}");
        let cells: Vec<&str> = row.split('|').collect();
        assert!(cells.len() == 7 && !(cells[3].trim().is_empty() && cells[4].trim().is_empty()), "no test: {row}");
        rust(cells[3]);
        python(cells[4]);
    }
}

/// `file::test`, and behind it tests of the same file by their names alone; `file::*` is any test of the file.
fn rust(cell: &str) {
    let mut file = String::new();
    for name in quoted(cell) {
        if let Some((stem, test)) = name.split_once("::") {
            file = source(stem);
            assert!(test == "*" || file.contains(&format!("fn {test}(")), "{name}");
        } else if name.contains('_') && !name.contains(['.', '/']) && !["any_bytes"].contains(&name) {
            assert!(file.contains(&format!("fn {name}(")), "{name}");
        }
    }
}

fn python(cell: &str) {
    let mut file = String::new();
    for name in quoted(cell) {
        let test = match name.split_once('.') {
            Some((stem, test)) => {
                file = source(stem);
                test
            }
            None if file.is_empty() => {
                source(name);
                continue;
            }
            None => name,
        };
        assert!(test == "*" || file.contains(&format!("def {test}(")) || here().join(format!("tests/{name}.py")).is_file(), "{name}");
    }
}
