#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| toolparse_fuzz::targets::any_bytes(data));
