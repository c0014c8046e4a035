//! The Python face: arguments in, one call, values out. Nothing here looks at the text of a reply.

#![allow(unsafe_code, reason = "PyO3's macros expand to unsafe code; what is written by hand says why in its place")]
#![allow(clippy::needless_pass_by_value, reason = "PyO3 hands over owned values")]

#[cfg(feature = "arrow")]
mod arrow;
mod batch;
mod document;
mod events;
mod filters;
mod input;
mod limits;
mod lines;
mod options;
mod places;
mod results;
mod slots;
mod stream;
mod values;

use pyo3::prelude::*;

/// The native half of toolparse.
#[pymodule(gil_used = false)]
mod _core {
    #[cfg(feature = "arrow")]
    #[pymodule_export]
    use super::arrow::{ArrowIterator, ArrowSchema, ArrowTable, arrow_schema, iter_arrow, parse_arrow};
    #[pymodule_export]
    use super::batch::parse_batch;
    #[pymodule_export]
    use super::document::repair_json;
    #[pymodule_export]
    use super::events::{ArgumentsDelta, CallEnd, CallFailed, CallStart, ReasoningDelta, TextDelta};
    #[pymodule_export]
    use super::filters::{HeuristicToolParser, ProseFilter};
    #[pymodule_export]
    use super::limits::PyLimits;
    #[pymodule_export]
    use super::lines::{BatchChunk, BatchReader, line_feeds};
    #[cfg(feature = "arrow")]
    #[pymodule_export]
    use super::lines::{empty_parquet, parquet_footer};
    #[pymodule_export]
    use super::options::{_forked, PyTools};
    #[pymodule_export]
    use super::results::{_finish_reason, format_for_model, formats, parse_tool_calls};
    #[pymodule_export]
    use super::stream::{_restore_stream, ToolStream};
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        super::options::prepare();
        super::results::prepare(module.py())?;
        let os = module.py().import("os")?;
        if os.hasattr("register_at_fork")? {
            let kwargs = PyDict::new(module.py());
            kwargs.set_item("after_in_child", module.getattr("_forked")?)?;
            os.call_method("register_at_fork", (), Some(&kwargs))?;
        }
        Ok(())
    }
}
