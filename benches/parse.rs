//! Bytes a second of the core, without Python: `cargo bench --bench parse`.
//!
//! Replies are made from a fixed seed, so two machines read the same bytes. Each case checks once, before it is timed, that the reply gives
//! what it was made of.

#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::fmt::Write as _;
use std::hint::black_box;
use toolparse::collect::json::to_json;
use toolparse::document::repair;
use toolparse::value::Ending;
use toolparse::{Options, Plan, ProseFilter, Stream, Tools, parse};

const WORDS: [&str; 16] = [
    "the", "harbour", "ledger", "signal", "copper", "window", "river", "pattern", "engine", "garden", "answer", "of", "and", "a",
    "lantern", "quietly",
];
const WIDE: [&str; 8] = ["東京の", "天気は", "晴れ", "Zürich", "naïve", "🌸", "данные", "ответ"];

/// Words and numbers from a seed.
struct Maker(u64);

impl Maker {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }

    /// Sentences of `size` bytes or a little more.
    fn prose(&mut self, size: usize, words: &[&str]) -> String {
        let mut out = String::new();
        while out.len() < size {
            for _ in 0..5 + self.below(8) {
                out.push_str(self.pick(words));
                out.push(' ');
            }
            out.pop();
            out.push_str(if self.below(6) == 0 { ".\n\n" } else { ". " });
        }
        out
    }

    /// Prose in which much looks like the start of a marker: comparisons, generics, quoted tags, lists.
    fn near_prose(&mut self, size: usize) -> String {
        const NEAR: [&str; 10] =
            ["a < b", "Vec<u8>", "`<tool_call>`", "[1]", "if x <= y {", "<b>bold</b>", "&lt;", "f(a=1)", "{\"a\": 1}", "|> then <|"];
        let mut out = String::new();
        while out.len() < size {
            let sentence = self.prose(30, &WORDS);
            out.push_str(sentence.trim_end());
            out.push(' ');
            out.push_str(self.pick(&NEAR));
            out.push(' ');
        }
        out
    }

    /// Lines that look like source text, with quotes, backslashes and line feeds.
    fn code(&mut self, size: usize) -> String {
        let mut out = String::new();
        while out.len() < size {
            let (name, other, number) = (self.pick(&WORDS), self.pick(&WORDS), self.below(1000));
            match self.below(4) {
                0 => writeln!(out, "def {name}_{number}({other}):"),
                1 => writeln!(out, "    print(\"{name}\\t{other}: {{}}\".format({number}))"),
                2 => writeln!(out, "    if {name} < {number} and {other} != '{name}':"),
                _ => writeln!(out, "        return [{number}, \"{other}\"]  # {name}"),
            }
            .unwrap();
        }
        out
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

fn hermes(name: &str, arguments: &str) -> String {
    format!("<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {arguments}}}\n</tool_call>")
}

/// A reply, and how many calls it holds.
struct Case {
    name: &'static str,
    text: String,
    calls: usize,
}

fn cases() -> Vec<Case> {
    let mut make = Maker(20_260_101);
    let mut cases = Vec::new();
    let mut add = |name, text: String, calls| cases.push(Case { name, text, calls });
    let short = r#"{"query": "harbour lights", "limit": 5}"#;
    add("hermes short", hermes("search", short), 1);
    let thought = make.prose(1800, &WORDS);
    add(
        "typical with think",
        format!("<think>\n{thought}\n</think>\n\nLet me look.\n{}\n{}", hermes("search", short), hermes("search", short)),
        2,
    );
    for (name, size) in [("30 KB argument", 30_000), ("1 MB argument", 1_000_000)] {
        add(name, hermes("write_file", &format!("{{\"path\": \"a.py\", \"content\": {}}}", quoted(&make.code(size)))), 1);
    }
    let rows: Vec<String> =
        (0..16_000).map(|id| format!("{{\"id\": {id}, \"name\": \"{}\", \"score\": {}.5}}", make.pick(&WORDS), make.below(100))).collect();
    add("16,000 rows", hermes("insert", &format!("{{\"rows\": [{}]}}", rows.join(", "))), 1);
    let parameter = |at| format!("<parameter=p{at}>\n{}\n</parameter>\n", if at % 2 == 0 { "text of it" } else { "42" });
    let parameters = (0..20).map(parameter).collect::<Vec<_>>().concat();
    add("qwen xml 20 parameters", format!("<tool_call>\n<function=many>\n{parameters}</function>\n</tool_call>"), 1);
    let file = make.code(30_000);
    add(
        "30 KB raw parameter",
        format!(
            "<tool_call>\n<function=write_file>\n<parameter=path>\na.py\n</parameter>\n<parameter=content>\n{file}</parameter>\n</function>\n</tool_call>"
        ),
        1,
    );
    let python = r#"[search(query="harbour lights", limit=5), write_file(path="a", content="x\ny")]"#;
    add("lfm2", format!("{}<|tool_call_start|>{python}<|tool_call_end|>Done.", make.prose(300, &WORDS)), 2);
    add(
        "bullet",
        "I will search.\n● <function=search>\n<parameter=query>harbour lights</parameter>\n<parameter=limit>5</parameter>\n</function>\n"
            .to_owned(),
        1,
    );
    add("prose 4 KB", make.prose(4096, &WORDS), 0);
    add("near-miss prose", make.near_prose(4096), 0);
    add("wide prose", make.prose(4096, &WIDE), 0);
    let whole = hermes("write_file", &format!("{{\"path\": \"a.py\", \"content\": {}}}", quoted(&make.code(300))));
    add("cut reply", whole[..whole.len() - 60].to_owned(), 1);
    cases
}

fn options() -> Options {
    let text = serde_json::json!({"type": "string"});
    let many: serde_json::Map<String, serde_json::Value> =
        (0..20).map(|at| (format!("p{at}"), if at % 2 == 0 { text.clone() } else { serde_json::json!({"type": "integer"}) })).collect();
    let tools = serde_json::json!({
        "search": {"type": "object", "properties": {"query": text, "limit": {"type": "integer"}}},
        "write_file": {"type": "object", "properties": {"path": text, "content": text}},
        "insert": {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "object"}}}},
        "many": {"type": "object", "properties": many},
    });
    Options::new(Tools::from_json(&tools).unwrap())
}

fn whole(criterion: &mut Criterion) {
    let options = options();
    let mut group = criterion.benchmark_group("whole");
    for case in cases() {
        let text = case.text.as_bytes();
        assert_eq!(parse(text, &options, Ending::Unknown).calls.len(), case.calls, "{}", case.name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(case.name, |bencher| bencher.iter(|| parse(black_box(text), &options, Ending::Unknown)));
    }
    group.finish();
}

fn in_pieces(text: &[u8], options: &Options) -> Stream {
    let mut stream = Stream::new(options);
    for piece in text.chunks(4) {
        black_box(stream.push(piece));
    }
    black_box(stream.finish(Ending::Unknown));
    stream
}

fn streams(criterion: &mut Criterion) {
    let options = options();
    let mut group = criterion.benchmark_group("stream in 4-byte pieces");
    for case in cases() {
        let text = case.text.as_bytes();
        assert_eq!(in_pieces(text, &options).outcome().calls.len(), case.calls, "{}", case.name);
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.sample_size(if text.len() > 500_000 { 10 } else { 50 });
        group.bench_function(case.name, |bencher| bencher.iter(|| in_pieces(black_box(text), &options)));
    }
    group.finish();
}

fn filters(criterion: &mut Criterion) {
    let options = options();
    let mut group = criterion.benchmark_group("prose filter in 4-byte pieces");
    for case in cases().into_iter().filter(|case| case.name.contains("prose")) {
        let text = case.text.as_bytes();
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(case.name, |bencher| {
            bencher.iter(|| {
                let mut filter = ProseFilter::new(&options);
                for piece in text.chunks(4) {
                    black_box(filter.push(piece));
                }
                filter.flush()
            });
        });
    }
    group.finish();
}

fn documents(criterion: &mut Criterion) {
    let mut make = Maker(7);
    let item = |make: &mut Maker| format!("{{\"id\": {}, \"text\": {}, \"ok\": true}}", make.below(1000), quoted(&make.prose(60, &WORDS)));
    let items: Vec<String> = (0..40).map(|_| item(&mut make)).collect();
    let valid = format!("{{\"items\": [{}]}}", items.join(", "));
    let cut = valid[..valid.len() - 30].to_owned();
    let single = valid.replace('"', "'");
    let mut group = criterion.benchmark_group("repair 4 KB");
    for (name, text) in [("valid", &valid), ("cut", &cut), ("single-quoted", &single)] {
        assert!(repair(text.as_bytes(), false).value.is_some());
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(|| repair(black_box(text.as_bytes()), false)));
    }
    group.finish();
}

fn parts(criterion: &mut Criterion) {
    let options = options();
    criterion.bench_function("compile the plan of auto", |bencher| bencher.iter(Plan::auto));
    criterion.bench_function("open a stream", |bencher| bencher.iter(|| Stream::new(black_box(&options))));
    let case = cases().into_iter().find(|case| case.name == "16,000 rows").unwrap();
    let outcome = parse(case.text.as_bytes(), &options, Ending::Unknown);
    criterion.bench_function("write 16,000 rows as JSON", |bencher| bencher.iter(|| to_json(black_box(&outcome.calls[0].arguments))));
    criterion.bench_function("drop 16,000 rows", |bencher| bencher.iter_batched(|| outcome.clone(), drop, BatchSize::LargeInput));
}

criterion_group!(benches, whole, streams, filters, documents, parts);
criterion_main!(benches);
