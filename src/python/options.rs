//! Options from Python: tools, formats, limits. Misuse raises, and names the argument and what is accepted.

use super::limits::limits_of;
use crate::catalog;
use crate::collect::outcome::{Cut, ReadCall};
use crate::formats::FORMATS;
use crate::parse::Options;
use crate::plan::Plan;
use crate::template;
use crate::tools::Tools;
use crate::utf8::lossy;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyMapping, PySet, PyString, PyTuple, PyType};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};

/// Tool definitions, compiled once; accepted wherever `tools` is.
///
/// `tools` is any collection of names, a list of definitions as `OpenAI` (`{"type": "function", "function": {...}}`), Anthropic (`{"name",
/// "input_schema"}`) or MCP (`{"name", "inputSchema"}`) write them, a mapping from names to JSON schemas, or `None`, which takes every
/// well-marked name. Raises `TypeError` or `ValueError` when a definition is malformed.
#[pyclass(frozen, name = "Tools", module = "toolparse")]
#[derive(Debug)]
pub struct PyTools {
    pub tools: Arc<Tools>,
    source: Source,
}

/// What tools were made of, as it was then.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    Any,
    Names(Vec<String>),
    /// Definitions as JSON text.
    Json(String),
}

#[pymethods]
impl PyTools {
    #[new]
    pub fn new(tools: &Bound<'_, PyAny>) -> PyResult<PyTools> {
        if let Ok(other) = tools.cast::<PyTools>() {
            return Ok(PyTools { tools: other.get().tools.clone(), source: other.get().source.clone() });
        }
        let (tools, source) = compiled(tools)?;
        Ok(PyTools { tools: Arc::new(tools), source })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyType>, (Bound<'py, PyAny>,))> {
        let py = slf.py();
        let source = match &slf.get().source {
            Source::Any => py.None().into_bound(py),
            Source::Names(names) => names.into_pyobject(py)?.into_any(),
            Source::Json(text) => py.import("json")?.call_method1("loads", (text,))?,
        };
        Ok((slf.get_type(), (source,)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyTools>().is_ok_and(|other| self.source == other.get().source)
    }

    /// The offered names in order, or `None` when every name is taken.
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        if self.tools.is_any() {
            return Ok(None);
        }
        PyTuple::new(py, self.tools.names().collect::<Vec<_>>()).map(Some)
    }

    fn __len__(&self) -> usize {
        self.tools.len()
    }

    fn __contains__(&self, name: &Bound<'_, PyAny>) -> bool {
        name.cast::<PyString>()
            .ok()
            .and_then(|name| name.to_str().ok().map(|name| self.tools.find(name.as_bytes()).is_some()))
            .unwrap_or(false)
    }

    fn __repr__(&self) -> String {
        if self.tools.is_any() { "Tools(None)".to_owned() } else { format!("Tools({})", self.tools.offered()) }
    }
}

/// Compiles what was given for `tools`.
pub fn tools_of(value: &Bound<'_, PyAny>) -> PyResult<Arc<Tools>> {
    if let Ok(tools) = value.cast::<PyTools>() {
        return Ok(tools.get().tools.clone());
    }
    compiled(value).map(|(tools, _)| Arc::new(tools))
}

fn compiled(value: &Bound<'_, PyAny>) -> PyResult<(Tools, Source)> {
    if value.is_none() {
        return Ok((Tools::any(), Source::Any));
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<pyo3::types::PyBytes>() {
        return Err(bad_tools(value, "one str; write [name]"));
    }
    if value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>() {
        let mut names = names_of(value)?.ok_or_else(|| bad_tools(value, "a set that holds something other than str"))?;
        names.sort_unstable();
        return Ok(from_names(names));
    }
    if value.cast::<PyMapping>().is_ok() {
        return from_json(value);
    }
    let Ok(iterator) = value.try_iter() else {
        return Err(bad_tools(value, &value.get_type().name()?.to_string()));
    };
    let items = PyList::new(value.py(), iterator.collect::<PyResult<Vec<_>>>()?)?;
    if let Some(names) = names_of(items.as_any())? {
        return Ok(from_names(names));
    }
    from_json(items.as_any())
}

fn from_names(names: Vec<String>) -> (Tools, Source) {
    (Tools::from_names(names.clone()), Source::Names(names))
}

fn names_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    let mut names = Vec::new();
    for item in value.try_iter()? {
        match item?.cast::<PyString>() {
            Ok(name) => names.push(
                name.to_str()
                    .map_err(|_| PyValueError::new_err("tools: a name is not valid Unicode (it holds a lone surrogate)"))?
                    .to_owned(),
            ),
            Err(_) => return Ok(None),
        }
    }
    if let Some(at) = names.iter().position(String::is_empty) {
        return Err(PyValueError::new_err(format!("tools[{at}]: the name is empty")));
    }
    Ok(Some(names))
}

fn bad_tools(value: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let _ = value;
    PyTypeError::new_err(format!(
        "tools must be a collection of names, a list of tool definitions (OpenAI, Anthropic or MCP), a mapping from names to JSON schemas, Tools or None, not {what}"
    ))
}

fn from_json(value: &Bound<'_, PyAny>) -> PyResult<(Tools, Source)> {
    let text = json_of(value, "tools")?;
    let json: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| PyValueError::new_err(format!("tools cannot be read as JSON: {error}")))?;
    let tools = Tools::from_json(&json).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((tools, Source::Json(text)))
}

/// The JSON text of the argument `name`.
fn json_of(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    let py = value.py();
    let kwargs = PyDict::new(py);
    kwargs.set_item("default", py.import("toolparse._types")?.getattr("_plain")?)?;
    let text = py.import("json")?.call_method("dumps", (value,), Some(&kwargs));
    text.and_then(|text| text.extract()).map_err(|error| PyTypeError::new_err(format!("{name} cannot be read as JSON: {error}")))
}

static AUTO: LazyLock<Arc<Plan>> = LazyLock::new(|| Arc::new(Plan::auto()));
/// Compiles what nearly every reply is read with, so that the first one need not wait for it.
pub fn prepare() {
    LazyLock::force(&AUTO);
}

/// Names, and the JSON texts of response templates.
type Wanted = (Vec<String>, Vec<String>);
static NAMED: LazyLock<Mutex<HashMap<Wanted, Arc<Plan>>>> = LazyLock::new(Mutex::default);

/// The plan for what was given for `format`.
pub fn plan_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Plan>> {
    let Some(value) = value else { return Ok(AUTO.clone()) };
    if let Ok(name) = value.cast::<PyString>() {
        let name = name.to_str().unwrap_or_default();
        if name == "auto" {
            return Ok(AUTO.clone());
        }
        return named(vec![format_name(name)?], Vec::new());
    }
    if value.cast::<PyMapping>().is_ok() {
        return named(Vec::new(), vec![json_of(value, "format")?]);
    }
    let Ok(items) = value.try_iter() else { return Err(bad_format(value)) };
    let mut names = Vec::new();
    let mut templates = Vec::new();
    for item in items {
        let item = item?;
        if let Ok(name) = item.cast::<PyString>() {
            names.push(format_name(name.to_str().unwrap_or_default())?);
        } else if item.cast::<PyMapping>().is_ok() {
            templates.push(json_of(&item, "format")?);
        } else {
            return Err(bad_format(&item));
        }
    }
    if names.is_empty() && templates.is_empty() {
        return Err(PyValueError::new_err("format: the list is empty; give \"auto\", a name, a response template, or a list of them"));
    }
    named(names, templates)
}

fn bad_format(value: &Bound<'_, PyAny>) -> PyErr {
    let kind = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    PyTypeError::new_err(format!("format must be \"auto\", a format name, a response template, or a list of them, not {kind}"))
}

fn format_name(name: &str) -> PyResult<String> {
    if name == "auto" || FORMATS.iter().any(|row| row.name == name) {
        return Ok(name.to_owned());
    }
    if let Some(entry) = catalog::entry(name) {
        return Ok(entry.name.to_owned());
    }
    let mut known: Vec<&str> = FORMATS.iter().map(|row| row.name).collect();
    known.sort_unstable();
    known.dedup();
    let model = if name.contains('/') { "; for a model's id ask format_for_model" } else { "" };
    Err(PyValueError::new_err(format!("format: unknown name \"{name}\"{model}; known are auto, {}", known.join(", "))))
}

/// The plan of these formats and response templates; the templates' rows are asked first.
fn named(names: Vec<String>, templates: Vec<String>) -> PyResult<Arc<Plan>> {
    let key = (names, templates);
    // A lock that another thread held while the process forked is not waited for.
    if let Ok(plans) = NAMED.try_lock()
        && let Some(plan) = plans.get(&key)
    {
        return Ok(plan.clone());
    }
    let (names, templates) = &key;
    let plan = Plan::named(names).map_err(|unknown| PyValueError::new_err(format!("format: unknown name \"{}\"", unknown.0)))?;
    let plan = Arc::new(if templates.is_empty() { plan } else { with_templates(plan, names, templates)? });
    if let Ok(mut plans) = NAMED.try_lock() {
        plans.insert(key, plan.clone());
    }
    Ok(plan)
}

fn with_templates(named: Plan, names: &[String], templates: &[String]) -> PyResult<Plan> {
    let (mut rows, mut thinks) = (Vec::new(), named.thinks);
    for text in templates {
        let json = serde_json::from_str(text).map_err(|error| PyValueError::new_err(format!("format cannot be read as JSON: {error}")))?;
        let compiled = template::rows(&json).map_err(|error| PyValueError::new_err(error.to_string()))?;
        rows.extend(compiled.formats);
        thinks.extend(compiled.thinks);
    }
    rows.extend(named.rows);
    Ok(Plan::of(rows, thinks, names.iter().any(|name| name == "auto")))
}

pub fn cut_of(cut: &str) -> PyResult<Cut> {
    match cut {
        "keep" => Ok(Cut::Keep),
        "drop" => Ok(Cut::Drop),
        other => Err(PyValueError::new_err(format!("cut must be \"keep\" or \"drop\", not \"{other}\""))),
    }
}

/// How ids are made.
#[derive(Debug)]
pub enum Ids {
    Random,
    Index,
    Callable(Py<PyAny>),
}

impl Ids {
    pub fn of(value: Option<&Bound<'_, PyAny>>, default: Ids) -> PyResult<Ids> {
        let Some(value) = value else { return Ok(default) };
        if let Ok(name) = value.cast::<PyString>() {
            return match name.to_str().unwrap_or_default() {
                "random" => Ok(Ids::Random),
                "index" => Ok(Ids::Index),
                other => Err(PyValueError::new_err(format!(
                    "ids must be \"random\", \"index\" or a callable (index, name, native_id) -> str, not \"{other}\""
                ))),
            };
        }
        if value.is_callable() {
            return Ok(Ids::Callable(value.clone().unbind()));
        }
        Err(PyTypeError::new_err("ids must be \"random\", \"index\" or a callable (index, name, native_id) -> str"))
    }

    /// The same, for a copy of a stream.
    pub fn copied(&self, py: Python<'_>) -> Ids {
        match self {
            Ids::Random => Ids::Random,
            Ids::Index => Ids::Index,
            Ids::Callable(callable) => Ids::Callable(callable.clone_ref(py)),
        }
    }

    /// What was given for `ids`.
    pub fn to_python(&self, py: Python<'_>) -> Py<PyAny> {
        match self {
            Ids::Random => PyString::intern(py, "random").into_any().unbind(),
            Ids::Index => PyString::intern(py, "index").into_any().unbind(),
            Ids::Callable(callable) => callable.clone_ref(py),
        }
    }

    /// The id of a call that was read.
    pub fn of_call(&self, py: Python<'_>, call: &ReadCall) -> PyResult<Py<PyString>> {
        match self {
            Ids::Callable(_) => {
                let native = call.native_id.as_deref().filter(|_| !call.late_id).map(lossy);
                self.make(py, call.index, &lossy(&call.name), native.as_deref())
            }
            _ => self.make(py, call.index, "", None),
        }
    }

    /// The id of a call.
    pub fn make(&self, py: Python<'_>, index: usize, name: &str, native_id: Option<&str>) -> PyResult<Py<PyString>> {
        match self {
            Ids::Random => Ok(PyString::from_bytes(py, &random_id::<9, _>(ALPHABET)?)?.unbind()),
            Ids::Index => Ok(PyString::new(py, &format!("call{index:05}")).unbind()),
            Ids::Callable(callable) => {
                let id = callable.bind(py).call1((index, name, native_id))?;
                let kind = id.get_type().name()?.to_string();
                Ok(id
                    .cast_into::<PyString>()
                    .map_err(|_| PyTypeError::new_err(format!("ids: the callable must return str, not {kind}")))?
                    .unbind())
            }
        }
    }
}

pub const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Counts the forks that this process came through: random bytes that were fetched before one are not used after it.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// Called in the child after a fork.
#[pyfunction]
pub fn _forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Random bytes of the system, fetched some at a time.
struct RandomBytes {
    bytes: [u8; 512],
    used: usize,
    forks: usize,
}

thread_local! {
    static RANDOM: RefCell<RandomBytes> = const { RefCell::new(RandomBytes { bytes: [0; 512], used: 512, forks: 0 }) };
}

fn random_u64() -> PyResult<u64> {
    RANDOM.with_borrow_mut(|random| {
        let forks = FORKS.load(Ordering::Relaxed);
        if random.used + 8 > random.bytes.len() || random.forks != forks {
            getrandom::fill(&mut random.bytes).map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))?;
            random.used = 0;
            random.forks = forks;
        }
        let taken = random.bytes.get(random.used..random.used + 8).unwrap_or_default();
        random.used += 8;
        Ok(u64::from_le_bytes(taken.try_into().unwrap_or_default()))
    })
}

/// Random characters of an ASCII alphabet.
pub fn random_id<const LENGTH: usize, const BASE: usize>(alphabet: &[u8; BASE]) -> PyResult<[u8; LENGTH]> {
    let mut number = random_u64()?;
    let base = BASE as u64;
    Ok(std::array::from_fn(|_| {
        let character = alphabet[(number % base) as usize];
        number /= base;
        character
    }))
}

/// A number of bytes.
pub fn max_bytes_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(value) = value.filter(|value| !value.is_none()) else { return Ok(None) };
    if value.is_instance_of::<pyo3::types::PyBool>() || !value.is_instance_of::<pyo3::types::PyInt>() {
        return Err(PyTypeError::new_err("max_bytes must be an int (bytes) or None"));
    }
    if value.lt(0)? {
        return Err(PyValueError::new_err("max_bytes must not be negative; None reads everything"));
    }
    Ok(Some(value.extract::<usize>().unwrap_or(usize::MAX)))
}

/// Everything that says how a reply is read.
pub fn options_of(
    tools: &Bound<'_, PyAny>,
    format: Option<&Bound<'_, PyAny>>,
    prompt: Option<&Bound<'_, PyAny>>,
    cut: &str,
    max_bytes: Option<usize>,
    limits: Option<&Bound<'_, PyAny>>,
) -> PyResult<Options> {
    let prompt = match prompt {
        None => Vec::new(),
        Some(prompt) => super::input::text_of(prompt, "prompt")?.0.into_owned(),
    };
    Ok(Options { plan: plan_of(format)?, tools: tools_of(tools)?, prompt, max_bytes, cut: cut_of(cut)?, limits: limits_of(limits)? })
}

pub fn finish_reason_of<'a>(value: Option<&'a Bound<'_, PyAny>>) -> PyResult<Option<&'a str>> {
    match value.filter(|value| !value.is_none()) {
        None => Ok(None),
        Some(value) => {
            let text = value.cast::<PyString>().map_err(|_| PyTypeError::new_err("finish_reason must be str or None"))?;
            Ok(text.to_str().ok())
        }
    }
}
