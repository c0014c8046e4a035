//! The fixture files: `formats/*.txt`, `prose/*.txt`, `repairs/*.txt`. Their syntax stands in `formats/README.md`.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolparse::value::Ending;
use toolparse::{Cut, Limits, Options, Plan, Tools, ending_of};

/// What must come out for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    pub name: String,
    pub arguments: Value,
    pub complete: bool,
    pub repairs: BTreeSet<String>,
}

/// One reply and what must come out.
#[derive(Debug)]
pub struct Case {
    /// `folder/file:line`, the title.
    pub place: String,
    pub format: String,
    pub tools: Arc<Tools>,
    pub options: Value,
    pub raw: Vec<u8>,
    pub text: Vec<u8>,
    pub reasoning: Vec<u8>,
    pub calls: Vec<Call>,
    pub errors: Vec<String>,
}

impl Case {
    /// The options to read it with: with its own format, else with the file's and with `auto`.
    pub fn readings(&self) -> Vec<(Vec<String>, Options)> {
        let own = match &self.options["format"] {
            Value::String(name) => Some(vec![name.clone()]),
            Value::Array(names) => Some(names.iter().map(|name| name.as_str().unwrap().to_owned()).collect()),
            _ => None,
        };
        let formats = match own {
            Some(names) => vec![names],
            None if self.format == "auto" => vec![vec!["auto".to_owned()]],
            None => vec![vec![self.format.clone()], vec!["auto".to_owned()]],
        };
        formats.into_iter().map(|names| (names.clone(), self.options(&names))).collect()
    }

    fn options(&self, names: &[String]) -> Options {
        Options {
            plan: Arc::new(Plan::named(names).unwrap_or_else(|error| panic!("{}: {error:?}", self.place))),
            tools: self.tools.clone(),
            prompt: self.options["prompt"].as_str().unwrap_or_default().as_bytes().to_vec(),
            max_bytes: self.options["max_bytes"].as_u64().map(|most| usize::try_from(most).unwrap()),
            cut: if self.options["cut"] == "drop" { Cut::Drop } else { Cut::Keep },
            limits: self.limits(),
        }
    }

    fn limits(&self) -> Limits {
        let usual = Limits::DEFAULT;
        let given = |name: &str, usual: usize| self.options["limits"][name].as_u64().map_or(usual, |most| usize::try_from(most).unwrap());
        Limits {
            call_bytes: given("call_bytes", usual.call_bytes),
            nodes: given("nodes", usual.nodes),
            depth: given("depth", usual.depth),
            digits: given("digits", usual.digits),
            name: given("name", usual.name),
            calls: given("calls", usual.calls),
            errors: given("errors", usual.errors),
        }
    }

    /// How the reply ended.
    pub fn ending(&self) -> Ending {
        ending_of(self.options["finish_reason"].as_str())
    }
}

/// Every case of every file.
pub fn all() -> Vec<Case> {
    // The fuzz targets are a package of their own, one folder down.
    let here =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("tests")).find(|tests| tests.join("formats").is_dir());
    let here = here.unwrap();
    ["formats", "prose", "repairs", "limits"].iter().flat_map(|folder| files(&here.join(folder))).flat_map(|path| read(&path)).collect()
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "txt")).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.split('\n').collect();
    let starts: Vec<usize> = lines.iter().enumerate().filter(|(_, line)| line.starts_with("== ")).map(|(at, _)| at).collect();
    let head = &lines[..starts[0]];
    let format = head.iter().find_map(|line| line.strip_prefix("format ")).unwrap();
    let tools: Value = serde_json::from_str(head.iter().find_map(|line| line.strip_prefix("tools ")).unwrap()).unwrap();
    let tools = Arc::new(Tools::from_json(&tools).unwrap());
    let name = format!("{}/{}", path.parent().unwrap().file_name().unwrap().display(), path.file_name().unwrap().display());
    let ends = starts[1..].iter().copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(start, end)| case(&name, *start, &lines[*start..end], format, &tools)).collect()
}

fn case(file: &str, line: usize, lines: &[&str], format: &str, tools: &Arc<Tools>) -> Case {
    let place = format!("{file}:{} {}", line + 1, &lines[0][3..]);
    let (options, body) = match lines[1].strip_prefix("options ") {
        Some(options) => (serde_json::from_str(options).unwrap(), 2),
        None => (Value::Null, 1),
    };
    let rule = lines.iter().position(|line| *line == "--").unwrap_or_else(|| panic!("{place}: no rule"));
    let raw = match &lines[body..rule] {
        [line] if line.starts_with("raw \"") => string(&line[4..]),
        lines => lines.join("\n").into_bytes(),
    };
    let mut case = Case {
        place,
        format: format.to_owned(),
        tools: tools.clone(),
        options,
        raw,
        text: Vec::new(),
        reasoning: Vec::new(),
        calls: Vec::new(),
        errors: Vec::new(),
    };
    for line in lines[rule + 1..].iter().take_while(|line| !line.is_empty()) {
        expect(&mut case, line);
    }
    case
}

fn expect(case: &mut Case, line: &str) {
    let (key, value) = line.split_once(' ').unwrap();
    match key {
        "text" => case.text = string(value),
        "reasoning" => case.reasoning = string(value),
        "call" => {
            let (name, rest) = value.split_once(' ').unwrap();
            let arguments = rest.strip_suffix(" incomplete");
            case.calls.push(Call {
                name: name.to_owned(),
                arguments: serde_json::from_str(arguments.unwrap_or(rest)).unwrap(),
                complete: arguments.is_none(),
                repairs: BTreeSet::new(),
            });
        }
        "repair" => {
            case.calls.last_mut().unwrap().repairs.insert(value.to_owned());
        }
        "error" => case.errors.push(value.to_owned()),
        _ => panic!("{}: `{line}` cannot stand here", case.place),
    }
}

/// A JSON string; half a surrogate pair becomes the three bytes that UTF-8 would give it.
fn string(json: &str) -> Vec<u8> {
    if let Ok(text) = serde_json::from_str::<String>(json) {
        return text.into_bytes();
    }
    let mut out = Vec::new();
    let mut rest = json.trim_matches('"');
    while let Some(at) = rest.find("\\ud") {
        let half = u32::from_str_radix(&rest[at + 2..at + 6], 16).unwrap();
        let plain: String = serde_json::from_str(&format!("\"{}\"", &rest[..at])).unwrap();
        out.extend(plain.into_bytes());
        out.extend([0xED, 0x80 | u8::try_from(half >> 6 & 0x3F).unwrap(), 0x80 | u8::try_from(half & 0x3F).unwrap()]);
        rest = &rest[at + 6..];
    }
    let plain: String = serde_json::from_str(&format!("\"{rest}\"")).unwrap();
    out.extend(plain.into_bytes());
    out
}
