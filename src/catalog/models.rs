//! From a model's id to its format.
//!
//! Ids come in many spellings (`Qwen/Qwen3-8B`, `qwen3:8b`, `qwen3-8b-q4_k_m.gguf`, `accounts/x/models/llama-v3p3-70b`), so
//! an id is first brought into one of them and then compared with an ordered list of patterns.

/// A pattern and its format. The pieces are lower-case and stand in this order, each at the start of a word.
type Rule = (&'static [&'static str], &'static str);

/// The format that the model writes; "auto" when the model is unknown.
///
/// "Qwen/Qwen3-8B" gives "hermes". Upper and lower case are the same; bare names, `org/name`, paths, file names such as
/// "qwen3-8b-q4_k_m.gguf" and ids with suffixes (-FP8, -GGUF, :latest) are understood.
#[must_use]
pub fn format_for_model(model: &str) -> &'static str {
    for segment in model.rsplit(['/', '\\']).filter(|segment| !segment.is_empty()) {
        let spelling = canonical(segment);
        if let Some(format) = format_of(&spelling) {
            return format;
        }
        if !names_no_model(&spelling) {
            break;
        }
    }
    "auto"
}

/// The format of the leftmost pattern, the first in the table among those: what stands further right in an id is what the
/// model was distilled from or merged with (`Qwen3-8B-DeepSeek-R1-Distill` still writes as Qwen does).
fn format_of(spelling: &str) -> Option<&'static str> {
    RULES
        .iter()
        .filter_map(|(pieces, format)| Some((position(spelling, pieces)?, *format)))
        .min_by_key(|(start, _)| *start)
        .map(|(_, format)| format)
}

/// Where the first piece starts, if all pieces occur in order.
fn position(spelling: &str, pieces: &[&str]) -> Option<usize> {
    let mut first = None;
    let mut from = 0;
    for piece in pieces {
        let start = at_word_start(spelling, piece, from)?;
        first = first.or(Some(start));
        from = start + piece.len();
    }
    first
}

fn at_word_start(spelling: &str, piece: &str, from: usize) -> Option<usize> {
    let starts_word = |at: usize| !spelling[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    spelling[from..].match_indices(piece).map(|(at, _)| from + at).find(|at| starts_word(*at))
}

/// One spelling for all: lower case, `-` for every separator but the dot, `3.1` for `3p1`, and no separator between a name
/// and its version (`llama-3.2-1b`, `llama3.2:1b` and `Llama_3.2_1B` are `llama3.2-1b`).
fn canonical(segment: &str) -> String {
    let lower: Vec<char> = segment.chars().map(plain).collect();
    let near = |at: usize| (at.checked_sub(1).and_then(|before| lower.get(before)), lower.get(at + 1));
    let mut spelling = String::with_capacity(segment.len());
    for (at, &c) in lower.iter().enumerate() {
        match (c, near(at)) {
            ('p', (Some('0'..='9'), Some('0'..='9'))) => spelling.push('.'),
            ('-', (Some('a'..='z'), Some('0'..='9'))) => {}
            _ => spelling.push(c),
        }
    }
    spelling
}

fn plain(c: char) -> char {
    match c {
        '_' | ' ' | ':' | '@' => '-',
        _ => c.to_ascii_lowercase(),
    }
}

/// A file of weights, a snapshot or a checkpoint: the folder around it may carry the name.
fn names_no_model(spelling: &str) -> bool {
    const WEIGHTS: [&str; 4] = [".gguf", ".safetensors", ".bin", ".pt"];
    const FOLDERS: [&str; 8] = ["snapshots", "blobs", "main", "latest", "model", "final", "merged", "checkpoint"];
    let digest = spelling.strip_prefix("sha256-").unwrap_or(spelling);
    WEIGHTS.iter().any(|ending| spelling.ends_with(ending))
        || FOLDERS.contains(&spelling.trim_end_matches(|c: char| c == '-' || c.is_ascii_digit()))
        || (digest.len() >= 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Where two patterns start at the same place, the earlier one decides: the special before the general.
/// "auto" stands where a name that looks like another family was taught no calls.
#[rustfmt::skip]
const RULES: &[Rule] = &[
    // Qwen and its kin
    (&["qwen3-coder"], "qwen3_coder"),
    (&["qwen3coder"], "qwen3_coder"),
    (&["qwen3.5"], "qwen3_coder"),
    (&["qwen3.6"], "qwen3_coder"),
    (&["qwen3.7"], "qwen3_coder"),
    (&["qwen3.8"], "qwen3_coder"),
    (&["qwen3.9"], "qwen3_coder"),
    (&["qwen3"], "hermes"),
    (&["qwen2.5"], "hermes"),
    (&["qwq"], "hermes"),
    (&["tongyi-deepresearch"], "hermes"),
    (&["mimo-vl"], "hermes"),
    (&["mimo"], "qwen3_coder"),
    (&["nanbeige"], "qwen3_coder"),
    (&["intellect3"], "qwen3_coder"),
    // Hermes and other users of its tags
    (&["hermes"], "hermes"),
    (&["deephermes"], "hermes"),
    (&["openhermes"], "auto"),
    (&["smollm3"], "hermes"),
    (&["falcon-h1"], "hermes"),
    (&["trinity"], "hermes"),
    // DeepSeek
    (&["deepseek", "v4.1"], "deepseek_v41"),
    (&["deepseek", "v4"], "deepseek_v4"),
    (&["deepseek", "v3.2-exp"], "deepseek_v31"),
    (&["deepseek", "v3.2"], "deepseek_v32"),
    (&["deepseek", "v3.1"], "deepseek_v31"),
    (&["deepseek", "v3"], "deepseek_v3"),
    (&["deepseek", "v2.5"], "deepseek_v3"),
    (&["deepseek", "r1"], "deepseek_v3"),
    (&["cogito", "v2"], "deepseek_v31"),
    (&["cogito2"], "deepseek_v31"),
    // GLM and other users of its key and value tags
    (&["glm4.5"], "glm45"),
    (&["glm4.6"], "glm45"),
    (&["glm4.7"], "glm45"),
    (&["glm5"], "glm45"),
    (&["laguna"], "glm45"),
    (&["spark-x2"], "glm45"),
    (&["spark2.5"], "glm45"),
    (&["hyperclovax", "think14b"], "hyperclovax"),
    (&["hyperclovax", "think"], "glm45"),
    (&["hyperclovax"], "hyperclovax"),
    (&["ling3"], "glm45"),
    (&["ring3"], "glm45"),
    (&["ring2.6"], "glm45"),
    (&["ling1t"], "hermes"),
    (&["ling2"], "hermes"),
    (&["ling-mini"], "hermes"),
    (&["ling-flash"], "hermes"),
    (&["ling-lite"], "hermes"),
    (&["ling-plus"], "hermes"),
    (&["ring1t"], "hermes"),
    (&["ring2"], "hermes"),
    (&["ring-mini"], "hermes"),
    (&["ring-flash"], "hermes"),
    (&["ring-lite"], "hermes"),
    // Kimi, gpt-oss, Inkling, Muse
    (&["kimi-k3"], "kimi_k3"),
    (&["kimi-k2"], "kimi_k2"),
    (&["kimi-linear"], "kimi_k2"),
    (&["gpt-oss"], "harmony"),
    (&["inkling"], "inkling"),
    (&["muse-glimmer"], "muse"),
    // Llama and models made from it
    (&["llama-guard"], "auto"),
    (&["llama-xlam"], "xlam"),
    (&["llama-sea-lion"], "pythonic"),
    (&["llama3-groq"], "hermes"),
    (&["llama3", "firefunction"], "phi4_mini"),
    (&["llama3", "nemotron-nano"], "nemotron"),
    (&["llama3", "nemotron-super"], "nemotron"),
    (&["llama3", "nemotron-ultra"], "nemotron"),
    (&["llama4"], "pythonic"),
    (&["llama3.2-1b"], "pythonic"),
    (&["llama3.2-3b"], "pythonic"),
    (&["llama3-2-1b"], "pythonic"),
    (&["llama3-2-3b"], "pythonic"),
    (&["llama-v3.2-1b"], "pythonic"),
    (&["llama-v3.2-3b"], "pythonic"),
    (&["llama3."], "llama3_json"),
    (&["llama-v3."], "llama3_json"),
    (&["llama3-1-"], "llama3_json"),
    (&["llama3-2-"], "llama3_json"),
    (&["llama3-3-"], "llama3_json"),
    (&["toolace"], "pythonic"),
    (&["watt-tool"], "pythonic"),
    (&["xlam"], "xlam"),
    (&["functionary", "v3.1"], "llama_function"),
    (&["functionary", "v3"], "functionary"),
    (&["firefunction"], "phi4_mini"),
    // Mistral
    (&["mistral"], "mistral"),
    (&["mixtral"], "mistral"),
    (&["ministral"], "mistral"),
    (&["magistral"], "mistral"),
    (&["devstral"], "mistral"),
    (&["codestral"], "mistral"),
    (&["pixtral"], "mistral"),
    (&["voxtral"], "mistral"),
    // Google
    (&["gemma4"], "gemma4"),
    (&["functiongemma"], "functiongemma"),
    // NVIDIA, IBM, Cohere
    (&["nemotron3"], "qwen3_coder"),
    (&["nemotron-nano"], "nemotron"),
    (&["nemotron-super"], "nemotron"),
    (&["nemotron-ultra"], "nemotron"),
    (&["granite4.2"], "qwen3_coder"),
    (&["granite4"], "hermes"),
    (&["granite3."], "granite"),
    (&["granite3-"], "granite"),
    (&["granite20b-function"], "granite"),
    (&["command-r7b"], "cohere"),
    (&["command-a"], "cohere"),
    (&["north-mini"], "cohere"),
    (&["north-small"], "cohere"),
    (&["command-r"], "command_r"),
    // MiniMax, StepFun, Tencent, ByteDance, Baidu
    (&["minimax-m1"], "minimax_m1"),
    (&["minimax-m2"], "minimax_m2"),
    (&["minimax-m3"], "minimax_m3"),
    (&["step-audio2"], "step_audio2"),
    (&["step3-vl"], "hermes"),
    (&["step3.5"], "qwen3_coder"),
    (&["step3.6"], "qwen3_coder"),
    (&["step3.7"], "qwen3_coder"),
    (&["step3"], "step3"),
    (&["hunyuan-a13b"], "hunyuan_a13b"),
    (&["hy3"], "hunyuan"),
    (&["hy4"], "hunyuan"),
    (&["hy-v3"], "hunyuan"),
    (&["hy-v4"], "hunyuan"),
    (&["seed-oss"], "seed_oss"),
    (&["ernie4.5"], "ernie45"),
    // The rest, each with a format of its own
    (&["apertus"], "apertus"),
    (&["apriel"], "jamba"),
    (&["jamba"], "jamba"),
    (&["cwm"], "cwm"),
    (&["dots3"], "dots"),
    (&["gigachat3.5"], "gigachat35"),
    (&["gigachat3"], "gigachat3"),
    (&["intern-s1"], "internlm"),
    (&["internlm2"], "internlm"),
    (&["internlm3"], "internlm"),
    (&["iquest-q1"], "iquest_q1"),
    (&["k2-horizon"], "k2_horizon"),
    (&["lfm2"], "lfm2"),
    (&["longcat"], "longcat"),
    (&["minicpm5"], "minicpm5"),
    (&["olmo3"], "olmo3"),
    (&["openpangu"], "pangu"),
    (&["pangu"], "pangu"),
    (&["phi4-mini"], "phi4_mini"),
    (&["plamo3"], "plamo3"),
    (&["sarashina"], "sarashina"),
    (&["solar-open2"], "solar_open2"),
    // Claude before the API's own tool calls
    (&["claude2"], "anthropic_xml"),
    (&["claude-v2"], "anthropic_xml"),
    (&["claude-instant"], "anthropic_xml"),
    (&["claude3-haiku"], "anthropic_xml"),
    (&["claude3-opus"], "anthropic_xml"),
    (&["claude3-sonnet"], "anthropic_xml"),
];

/// Every format that a rule gives, for the tests.
#[cfg(test)]
pub(super) fn formats_of_rules() -> impl Iterator<Item = &'static str> {
    RULES.iter().map(|(_, format)| *format)
}
