//! Each family's models, the spellings they come in, and that the table holds together.

use std::collections::BTreeSet;

use super::models::formats_of_rules;
use super::{CATALOG, Entry, entry, format_for_model};

const NAMES: [&str; 59] = [
    "hermes",
    "fenced",
    "bare_json",
    "json_line",
    "granite",
    "internlm",
    "ernie45",
    "hyperclovax",
    "longcat",
    "step_audio2",
    "cwm",
    "gigachat3",
    "minimax_m1",
    "mistral",
    "jamba",
    "hunyuan_a13b",
    "phi4_mini",
    "nemotron",
    "cohere",
    "command_r",
    "apertus",
    "pangu",
    "sarashina",
    "plamo3",
    "deepseek_v3",
    "deepseek_v31",
    "deepseek_v32",
    "deepseek_v4",
    "deepseek_v41",
    "gigachat35",
    "kimi_k2",
    "kimi_k3",
    "harmony",
    "llama_function",
    "functionary",
    "inkling",
    "llama3_json",
    "xlam",
    "qwen3_coder",
    "glm45",
    "bullet",
    "lfm2",
    "pythonic",
    "seed_oss",
    "minimax_m2",
    "minimax_m3",
    "dots",
    "anthropic_xml",
    "step3",
    "solar_open2",
    "minicpm5",
    "muse",
    "iquest_q1",
    "hunyuan",
    "k2_horizon",
    "olmo3",
    "gemma4",
    "functiongemma",
    "react",
];

#[rustfmt::skip]
const MODELS: &[(&str, &str)] = &[
    // The reference models of the public suite
    ("deepseek-ai/DeepSeek-V3-0324", "deepseek_v3"),
    ("deepseek-ai/DeepSeek-V3.1", "deepseek_v31"),
    ("deepseek-ai/DeepSeek-V3.2", "deepseek_v32"),
    ("deepseek-ai/DeepSeek-V4-Flash", "deepseek_v4"),
    ("deepseek-ai/DeepSeek-V4.1-Flash", "deepseek_v41"),
    ("google/gemma-4-31B-it", "gemma4"),
    ("zai-org/GLM-4.5", "glm45"),
    ("zai-org/GLM-4.7", "glm45"),
    ("zai-org/GLM-5.3", "glm45"),
    ("openai/gpt-oss-20b", "harmony"),
    ("openai/gpt-oss-120b", "harmony"),
    ("moonshotai/Kimi-K2-Instruct-0905", "kimi_k2"),
    ("moonshotai/Kimi-K2.6", "kimi_k2"),
    ("moonshotai/Kimi-K3", "kimi_k3"),
    ("meta-llama/Llama-3.3-70B-Instruct", "llama3_json"),
    ("meta-llama/Llama-4-Scout-17B-16E-Instruct", "pythonic"),
    ("mistralai/Mistral-7B-Instruct-v0.3", "mistral"),
    ("mistralai/Mistral-Small-3.2-24B-Instruct-2506", "mistral"),
    ("mistralai/Mistral-Small-4-119B-2603", "mistral"),
    ("mistralai/Mistral-Medium-3.5-128B", "mistral"),
    ("mistralai/Magistral-Small-2506", "mistral"),
    ("mistralai/Magistral-Small-2509", "mistral"),
    ("mistralai/Ministral-3-14B-Reasoning-2512", "mistral"),
    ("mistralai/Ministral-3-14B-Instruct-2512", "mistral"),
    ("mistralai/Devstral-Small-2507", "mistral"),
    ("mistralai/Devstral-Small-2-24B-Instruct-2512", "mistral"),
    ("Qwen/Qwen3-0.6B", "hermes"),
    ("Qwen/Qwen3-4B-Thinking-2507", "hermes"),
    ("Qwen/Qwen3-4B-Instruct-2507", "hermes"),
    ("Qwen/Qwen3.5-9B", "qwen3_coder"),
    ("Qwen/Qwen3.6-35B-A3B", "qwen3_coder"),
    ("Qwen/Qwen3.8-27B", "qwen3_coder"),
    ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3_coder"),
    ("Qwen/Qwen3-Coder-480B-A35B-Instruct", "qwen3_coder"),
    ("Qwen/Qwen3-Coder-Next", "qwen3_coder"),
    // Neighbours in name that write differently
    ("Qwen/Qwen2.5-Coder-32B-Instruct", "hermes"),
    ("Qwen/Qwen3-VL-235B-A22B-Thinking", "hermes"),
    ("Qwen/Qwen3-Next-80B-A3B-Instruct", "hermes"),
    ("deepseek-ai/DeepSeek-V3", "deepseek_v3"),
    ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek_v31"),
    ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v31"),
    ("deepseek-ai/DeepSeek-V4-Pro", "deepseek_v4"),
    ("deepseek-ai/DeepSeek-R1-0528", "deepseek_v3"),
    ("deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek_v3"),
    ("deepcogito/cogito-v2.1-671b", "deepseek_v31"),
    ("zai-org/GLM-4.5-Air-FP8", "glm45"),
    ("zai-org/GLM-4.7-Flash", "glm45"),
    ("zai-org/GLM-4-9B-0414", "auto"),
    ("moonshotai/Kimi-K2-Thinking", "kimi_k2"),
    ("meta-llama/Meta-Llama-3-8B-Instruct", "auto"),
    ("meta-llama/Llama-3.1-405B-Instruct-FP8", "llama3_json"),
    ("meta-llama/Llama-3.2-1B-Instruct", "pythonic"),
    ("meta-llama/Llama-3.2-3B-Instruct", "pythonic"),
    ("meta-llama/Llama-3.2-11B-Vision-Instruct", "llama3_json"),
    ("meta-llama/Llama-3.2-90B-Vision-Instruct", "llama3_json"),
    ("meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8", "pythonic"),
    ("meta-llama/Llama-Guard-4-12B", "auto"),
    ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
    ("NousResearch/Hermes-2-Pro-Mistral-7B", "hermes"),
    ("teknium/OpenHermes-2.5-Mistral-7B", "auto"),
    ("Groq/Llama-3-Groq-8B-Tool-Use", "hermes"),
    ("Salesforce/Llama-xLAM-2-70b-fc-r", "xlam"),
    ("fireworks-ai/llama-3-firefunction-v2", "phi4_mini"),
    ("meetkai/functionary-medium-v3.1", "llama_function"),
    ("meetkai/functionary-small-v3.2", "functionary"),
    ("nvidia/Llama-3.1-Nemotron-70B-Instruct-HF", "llama3_json"),
    ("nvidia/Llama-3_1-Nemotron-Ultra-253B-v1", "nemotron"),
    ("nvidia/NVIDIA-Nemotron-Nano-12B-v2", "nemotron"),
    ("nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16", "qwen3_coder"),
    ("ibm-granite/granite-3.0-8b-instruct", "granite"),
    ("ibm-granite/granite-4.0-h-tiny", "hermes"),
    ("ibm-granite/granite-4.1-30b", "hermes"),
    ("ibm-granite/granite-4.2-3b", "qwen3_coder"),
    ("ibm-granite/granite-34b-code-instruct", "auto"),
    ("CohereForAI/c4ai-command-r7b-12-2024", "cohere"),
    ("CohereLabs/c4ai-command-a-03-2025", "cohere"),
    ("CohereForAI/c4ai-command-r-plus", "command_r"),
    ("google/functiongemma-270m-it", "functiongemma"),
    ("google/gemma-3-27b-it", "auto"),
    ("MiniMaxAI/MiniMax-M1-80k", "minimax_m1"),
    ("MiniMaxAI/MiniMax-M2.1", "minimax_m2"),
    ("MiniMaxAI/MiniMax-M3", "minimax_m3"),
    ("stepfun-ai/step3", "step3"),
    ("stepfun-ai/Step3-VL-10B", "hermes"),
    ("stepfun-ai/Step-3.5-Flash", "qwen3_coder"),
    ("stepfun-ai/Step-Audio-2-mini", "step_audio2"),
    ("inclusionAI/Ling-2.5-1T", "hermes"),
    ("inclusionAI/Ling-3.0-flash", "glm45"),
    ("inclusionAI/Ring-flash-2.0", "hermes"),
    ("inclusionAI/Ring-2.6-1T", "glm45"),
    ("ai-sage/GigaChat3-702B-A36B-preview", "gigachat3"),
    ("ai-sage/GigaChat3.5-432B-A28B", "gigachat35"),
    ("tencent/Hunyuan-A13B-Instruct", "hunyuan_a13b"),
    ("tencent/Hy3-preview", "hunyuan"),
    ("naver-hyperclovax/HyperCLOVAX-SEED-Think-14B", "hyperclovax"),
    ("naver-hyperclovax/HyperCLOVAX-SEED-Think-32B", "glm45"),
    ("XiaomiMiMo/MiMo-VL-7B-RL", "hermes"),
    ("XiaomiMiMo/MiMo-V2-Flash", "qwen3_coder"),
    ("PrimeIntellect/INTELLECT-3", "qwen3_coder"),
    ("anthropic/claude-2.1", "anthropic_xml"),
    ("anthropic/claude-sonnet-4.5", "auto"),
    // Other spellings: files, tags, folders, routers, quantisations, derived models
    ("QWEN/QWEN3-8B", "hermes"),
    ("qwen3-8b-q4_k_m.gguf", "hermes"),
    ("Qwen_Qwen3.5-9B-Q4_K_M.gguf", "qwen3_coder"),
    ("qwen3:8b", "hermes"),
    ("qwen3-coder:30b", "qwen3_coder"),
    ("gpt-oss:20b", "harmony"),
    ("gpt-oss:latest", "harmony"),
    ("llama3.2:1b", "pythonic"),
    ("llama3.3:70b-instruct-q4_K_M", "llama3_json"),
    ("deepseek-v3.1:671b-cloud", "deepseek_v31"),
    ("hf.co/unsloth/GLM-4.7-GGUF:Q4_K_M", "glm45"),
    ("qwen/qwen3-coder:free", "qwen3_coder"),
    ("Qwen/Qwen3-8B@main", "hermes"),
    ("accounts/fireworks/models/llama-v3p3-70b-instruct", "llama3_json"),
    ("accounts/fireworks/models/glm-4p5-air", "glm45"),
    ("us.meta.llama3-3-70b-instruct-v1:0", "llama3_json"),
    ("us.deepseek.r1-v1:0", "deepseek_v3"),
    ("openai.gpt-oss-20b-1:0", "harmony"),
    ("unsloth/Llama-3.3-70B-Instruct-bnb-4bit", "llama3_json"),
    ("bartowski/mistralai_Magistral-Small-2506-GGUF", "mistral"),
    ("nm-testing/DeepSeek-V3.2-FP8", "deepseek_v32"),
    ("TeichAI/Qwen3-8B-DeepSeek-v3.2-Speciale-Distill-GGUF", "hermes"),
    ("Jackrong/Qwen3.5-27B-Claude-4.6-Opus-Reasoning-Distilled", "qwen3_coder"),
    ("/models/Qwen3-8B/", "hermes"),
    ("C:\\models\\gpt-oss-20b\\model.gguf", "harmony"),
    ("/data/GLM-4.5/q4_k_m.gguf", "glm45"),
    ("/srv/run7/gemma-4-31B-it/checkpoint-1200", "gemma4"),
    ("/root/.cache/huggingface/hub/models--moonshotai--Kimi-K2-Instruct/snapshots/ac6c49f04883bd0a0598b790693a72061c676629", "kimi_k2"),
    // No known model
    ("", "auto"),
    ("/", "auto"),
    ("gpt-4o", "auto"),
    ("/home/hermes/models/foo-7b", "auto"),
    ("deepseek-ai/deepseek-coder-1.3b-instruct", "auto"),
    ("museum-guide-7b", "auto"),
    ("string-3.0", "auto"),
    ("тест-модель-3", "auto"),
];

fn named_elsewhere(entry: &Entry) -> impl Iterator<Item = &'static str> {
    [entry.vllm, entry.sglang, entry.ollama, entry.mlx_lm, entry.smg].into_iter().flatten().copied()
}

#[test]
fn every_model_has_its_format() {
    let found: Vec<_> = MODELS.iter().map(|(model, _)| (*model, format_for_model(model))).collect();
    assert_eq!(found, MODELS);
}

#[test]
fn every_example_model_leads_back_to_its_entry() {
    let astray: Vec<_> = CATALOG
        .iter()
        .flat_map(|entry| entry.models.iter().map(move |model| (*model, entry.name)))
        .filter(|(model, name)| format_for_model(model) != *name)
        .collect();
    assert_eq!(astray, []);
}

#[test]
fn every_format_has_one_entry() {
    let names: Vec<_> = CATALOG.iter().map(|entry| entry.name).collect();
    assert_eq!(names, NAMES);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), NAMES.len());
}

#[test]
fn every_entry_has_a_title_of_its_own() {
    let titles: BTreeSet<_> = CATALOG.iter().map(|entry| entry.title).collect();
    assert_eq!(titles.len(), CATALOG.len());
    assert!(!titles.contains(""));
}

#[test]
fn a_name_or_alias_finds_only_its_own_entry() {
    for one in CATALOG {
        for called in one.aliases.iter().chain([&one.name]) {
            let holders: Vec<_> = CATALOG.iter().filter(|entry| super::is_called(entry, called)).map(|entry| entry.name).collect();
            assert_eq!(holders, [one.name], "{called}");
        }
    }
}

#[test]
fn no_alias_is_only_another_spelling() {
    for one in CATALOG {
        for (at, alias) in one.aliases.iter().enumerate() {
            let others = one.aliases[..at].iter().chain([&one.name]);
            assert!(others.into_iter().all(|other| !super::spelled_alike(other, alias)), "{alias}");
        }
    }
}

#[test]
fn the_names_that_engines_use_are_accepted() {
    for one in CATALOG {
        for name in named_elsewhere(one) {
            assert!(entry(name).is_some(), "{name}");
        }
    }
    assert_eq!(entry("qwen25").map(|entry| entry.name), Some("hermes"));
    assert_eq!(entry("openai").map(|entry| entry.name), Some("harmony"));
    assert_eq!(entry("heuristic").map(|entry| entry.name), Some("bullet"));
    assert_eq!(entry("fenced_json").map(|entry| entry.name), Some("fenced"));
    assert_eq!(entry("minimax-m2").map(|entry| entry.name), Some("minimax_m2"));
    assert_eq!(entry("step_audio_2").map(|entry| entry.name), Some("step_audio2"));
}

#[test]
fn spelling_makes_no_difference_but_letters_do() {
    for spelling in ["glm47", "GLM-4.7", "glm_47", "Glm45"] {
        assert_eq!(entry(spelling).map(|entry| entry.name), Some("glm45"), "{spelling}");
    }
    for unknown in ["", "-", "auto", " hermes", "hermes!", "qwenx"] {
        assert_eq!(entry(unknown), None, "{unknown}");
    }
}

#[test]
fn every_rule_gives_a_format_or_auto() {
    let strangers: Vec<_> =
        formats_of_rules().filter(|format| *format != "auto" && !CATALOG.iter().any(|entry| entry.name == *format)).collect();
    assert_eq!(strangers, [""; 0]);
}

#[test]
fn a_format_that_models_write_has_a_rule() {
    let ruled: BTreeSet<_> = formats_of_rules().collect();
    let unruled: Vec<_> = CATALOG.iter().map(|entry| entry.name).filter(|name| !ruled.contains(name)).collect();
    assert_eq!(unruled, ["fenced", "bare_json", "json_line", "bullet", "react"]);
}

#[test]
fn no_id_is_too_strange() {
    let long = "qwen".repeat(100_000);
    assert_eq!(format_for_model(&long), "auto");
    assert_eq!(format_for_model("３ｐ3-qwen3"), "hermes");
    assert_eq!(format_for_model("éqwen3"), "hermes");
}
