//! What the fuzz targets do. The checks are those of the tests.

#[path = "../../tests/common/mod.rs"]
pub mod common;
pub mod targets;
