#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use super::*;

const INTEGER: TypeSet = TypeSet::INTEGER;
const NUMBER: TypeSet = TypeSet::NUMBER;
const BOOLEAN: TypeSet = TypeSet::BOOLEAN;
const STRING: TypeSet = TypeSet::STRING;
const NULL: TypeSet = TypeSet::NULL;
const ARRAY: TypeSet = TypeSet::ARRAY;
const OBJECT: TypeSet = TypeSet::OBJECT;

/// Tools with the one tool `f`, whose parameters are these properties; `definitions` become `$defs`.
fn tools(properties: &Value, definitions: &Value) -> Tools {
    Tools::from_json(&json!({"f": {"type": "object", "properties": properties, "$defs": definitions}})).unwrap()
}

/// The types of one parameter with this schema.
fn types_with(schema: &Value, definitions: &Value) -> TypeSet {
    let tools = tools(&json!({"x": schema}), definitions);
    tools.types(tools.parameter(ToolId(0), b"x").unwrap())
}

fn types(schema: &Value) -> TypeSet {
    types_with(schema, &json!({}))
}

fn parameters(schema: &Value) -> Vec<String> {
    let tools = Tools::from_json(&json!({"f": schema})).unwrap();
    tools.parameters(ToolId(0)).map(str::to_owned).collect()
}

#[test]
fn a_schema_names_its_types() {
    assert_eq!(types(&json!({"type": "string"})), STRING);
    assert_eq!(types(&json!({"type": ["integer", "null"]})), INTEGER.union(NULL));
    assert_eq!(types(&json!({"type": "STRING"})), STRING);
    for (names, expected) in [
        ("str text varchar char", STRING),
        ("int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 long short", INTEGER),
        ("float double decimal num", NUMBER),
        ("bool binary", BOOLEAN),
        ("dict map dict[str,int]", OBJECT),
        ("list arr tuple set List[str] array<int>", ARRAY),
    ] {
        for name in names.split(' ') {
            assert_eq!(types(&json!({"type": name})), expected, "{name}");
        }
    }
    assert_eq!(types(&json!({"type": ["str", "thing"]})), STRING);
    assert_eq!(types(&json!({"type": "any", "enum": [1]})), INTEGER);
    assert_eq!(types(&json!("int")), INTEGER);
}

#[test]
fn values_and_members_show_a_type_that_is_not_named() {
    assert_eq!(types(&json!({"enum": ["a", 1, null]})), STRING.union(INTEGER).union(NULL));
    assert_eq!(types(&json!({"const": 1.5})), NUMBER);
    assert_eq!(types(&json!({"const": true})), BOOLEAN);
    let huge: Value = serde_json::from_str("{\"const\": 123456789012345678901234567890}").unwrap();
    assert_eq!(types(&huge), INTEGER);
    assert_eq!(types(&json!({"properties": {}})), OBJECT);
    assert_eq!(types(&json!({"items": {"type": "string"}})), ARRAY);
    assert_eq!(types(&json!({"type": "string", "enum": [1, 2]})), STRING);
}

#[test]
fn a_schema_that_says_nothing_has_no_types() {
    for schema in [json!({}), json!(true), json!(false), json!(null), json!(7), json!({"description": "x"}), json!({"type": 5})] {
        assert_eq!(types(&schema), TypeSet::EMPTY, "{schema}");
    }
    assert_eq!(types(&json!({"nullable": true})), TypeSet::EMPTY);
    assert_eq!(types(&json!({"type": "string", "nullable": true})), STRING.union(NULL));
    assert_eq!(types(&json!({"type": "string", "nullable": false})), STRING);
}

#[test]
fn alternatives_are_joined() {
    assert_eq!(types(&json!({"anyOf": [{"type": "integer"}, {"type": "null"}]})), INTEGER.union(NULL));
    assert_eq!(types(&json!({"oneOf": [{"const": "a"}, {"type": "object"}]})), STRING.union(OBJECT));
    assert_eq!(types(&json!({"anyOf": [{"type": "integer"}, {}]})), TypeSet::EMPTY);
    assert_eq!(types(&json!({"anyOf": [{"type": "integer"}, {"not": {}}, false]})), INTEGER);
    assert_eq!(types(&json!({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})), OBJECT);
    assert_eq!(types(&json!({"anyOf": [], "type": "string"})), STRING);
}

#[test]
fn demands_are_intersected_if_they_can_be() {
    assert_eq!(types(&json!({"allOf": [{"type": ["string", "null"]}, {"type": "string"}]})), STRING);
    assert_eq!(types(&json!({"allOf": [{"type": "number"}, {"type": "integer"}]})), INTEGER);
    assert_eq!(types(&json!({"allOf": [{"type": "number"}, {"type": "number"}]})), NUMBER);
    assert_eq!(types(&json!({"allOf": [{"type": "string"}, {"type": "integer"}]})), STRING.union(INTEGER));
    assert_eq!(types(&json!({"allOf": [{"type": "string"}, {"description": "x"}]})), STRING);
}

#[test]
fn references_are_followed() {
    let definitions = json!({
        "Unit": {"enum": ["c", "f"]},
        "Alias": {"$ref": "#/$defs/Unit"},
        "a/b c": {"type": "integer"},
        "Loop": {"$ref": "#/$defs/Loop"},
        "Ping": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Pong", "description": "x"}]},
        "Pong": {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Ping", "description": "x"}]},
    });
    let reference = |to: &str| types_with(&json!({"$ref": to}), &definitions);
    assert_eq!(reference("#/$defs/Unit"), STRING);
    assert_eq!(reference("#/$defs/Alias"), STRING);
    assert_eq!(reference("#/$defs/a~1b%20c"), INTEGER);
    assert_eq!(reference("#"), OBJECT);
    assert_eq!(reference("#/$defs/Ping"), STRING.union(INTEGER));
    assert_eq!(reference("#/$defs/Pong"), STRING.union(INTEGER));
    for nowhere in ["#/$defs/Loop", "#/$defs/Missing", "https://example.com/schema", "#anchor", "%"] {
        assert_eq!(reference(nowhere), TypeSet::EMPTY, "{nowhere}");
    }
    let nullable = json!({"allOf": [{"$ref": "#/$defs/Unit"}], "nullable": true, "default": null});
    assert_eq!(types_with(&nullable, &definitions), STRING.union(NULL));
    assert_eq!(types_with(&json!({"$ref": "#/properties/x"}), &definitions), TypeSet::EMPTY);
}

#[test]
fn the_older_place_of_definitions_is_found() {
    let schema = json!({"properties": {"x": {"$ref": "#/definitions/X"}}, "definitions": {"X": {"type": "boolean"}}});
    let tools = Tools::from_json(&json!([{"name": "f", "inputSchema": schema}])).unwrap();
    assert_eq!(tools.types(tools.parameter(ToolId(0), b"x").unwrap()), BOOLEAN);
}

#[test]
fn long_chains_of_references_end() {
    let mut definitions = serde_json::Map::new();
    for at in 0..1000 {
        definitions.insert(format!("D{at}"), json!({"$ref": format!("#/$defs/D{}", at + 1), "description": "x"}));
    }
    definitions.insert("D1000".into(), json!({"type": "integer"}));
    assert_eq!(types_with(&json!({"$ref": "#/$defs/D0"}), &Value::Object(definitions)), INTEGER);
}

#[test]
fn parameters_are_inherited_in_order() {
    let schema = json!({
        "properties": {"own": {"type": "string"}},
        "allOf": [{"$ref": "#/$defs/Base"}],
        "anyOf": [{"properties": {"left": {}}}, {"properties": {"right": {}, "own": {}}}],
        "$defs": {"Base": {"properties": {"base": {"type": "integer"}}}},
    });
    assert_eq!(parameters(&schema), ["own", "base", "left", "right"]);
    let root = json!({"$ref": "#/$defs/Root", "$defs": {"Root": {"properties": {"a": {}, "b": {}}}}});
    assert_eq!(parameters(&root), ["a", "b"]);
}

#[test]
fn a_parameter_of_several_alternatives_admits_what_any_of_them_does() {
    let schema = json!({"oneOf": [
        {"properties": {"kind": {"const": "a"}, "x": {"type": "integer"}}},
        {"properties": {"kind": {"const": "b"}, "x": {"type": "boolean"}}},
    ]});
    let tools = Tools::from_json(&json!({"f": schema})).unwrap();
    let types = |key: &[u8]| tools.types(tools.parameter(ToolId(0), key).unwrap());
    assert_eq!(types(b"kind"), STRING);
    assert_eq!(types(b"x"), INTEGER.union(BOOLEAN));
}

#[test]
fn a_parameter_that_is_refined_admits_what_all_say() {
    let schema = json!({"properties": {"x": {"type": ["string", "null"]}}, "allOf": [{"properties": {"x": {"enum": ["a"]}}}]});
    let tools = Tools::from_json(&json!({"f": schema})).unwrap();
    assert_eq!(tools.types(tools.parameter(ToolId(0), b"x").unwrap()), STRING);
}

#[test]
fn members_and_items_have_schemas() {
    let tools = tools(
        &json!({
            "filters": {"type": "array", "items": {"$ref": "#/$defs/Filter"}},
            "pair": {"prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "labels": {"type": "object", "additionalProperties": {"type": "number"}},
        }),
        &json!({"Filter": {"type": "object", "properties": {"field": {"type": "string"}, "nested": {"$ref": "#/$defs/Filter"}}}}),
    );
    let parameter = |key: &[u8]| tools.parameter(ToolId(0), key).unwrap();
    let filter = tools.items(parameter(b"filters")).unwrap();
    assert_eq!(tools.types(filter), OBJECT);
    assert_eq!(tools.types(tools.property(filter, b"field").unwrap()), STRING);
    assert_eq!(tools.property(filter, b"nested"), Some(filter));
    assert_eq!(tools.property(filter, b"other"), None);
    assert_eq!(tools.types(parameter(b"pair")), ARRAY);
    assert_eq!(tools.types(tools.items(parameter(b"pair")).unwrap()), STRING.union(INTEGER));
    assert_eq!(tools.types(tools.property(parameter(b"labels"), b"any").unwrap()), NUMBER);
    assert_eq!(tools.items(parameter(b"labels")), None);
}

#[test]
fn undeclared_parameters_are_told_apart() {
    let tools = Tools::from_json(&json!({
        "open": {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}},
        "free": {"properties": {"a": {}}, "additionalProperties": true},
        "none": {"type": "object", "properties": {}},
    }))
    .unwrap();
    assert_eq!(tools.declares(ToolId(0), b"a"), Some(true));
    assert_eq!(tools.declares(ToolId(0), b"b"), Some(false));
    assert_eq!(tools.types(tools.parameter(ToolId(0), b"b").unwrap()), INTEGER);
    assert_eq!(tools.parameter(ToolId(1), b"b"), None);
    assert_eq!(tools.declares(ToolId(2), b"a"), None);
    assert_eq!(tools.declares(ToolId(9), b"a"), None);
}

#[test]
fn every_shape_of_definition_is_read() {
    let schema = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
    let tools = Tools::from_json(&json!([
        {"type": "function", "function": {"name": "a", "description": "A.", "parameters": schema, "strict": true}},
        {"type": "function", "name": "b", "parameters": schema},
        {"name": "c", "input_schema": schema},
        {"name": "d", "inputSchema": schema},
        "e",
        {"type": "web_search_20250305", "name": "g"},
        {"name": "h", "parameters": null},
    ]))
    .unwrap();
    assert_eq!(tools.names().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "g", "h"]);
    assert_eq!(tools.offered(), "a, b, c, d, e, g, h");
    for tool in 0..4 {
        assert_eq!(tools.types(tools.parameter(ToolId(tool), b"x").unwrap()), INTEGER);
    }
    for tool in 4..7 {
        assert_eq!(tools.parameter(ToolId(tool), b"x"), None);
        assert_eq!(tools.parameters(ToolId(tool)).count(), 0);
    }
}

#[test]
fn a_mapping_gives_names_and_schemas() {
    let tools = Tools::from_json(&json!({"z": {"properties": {"x": {"type": "null"}}}, "a": true, "b": null})).unwrap();
    assert_eq!(tools.offered(), "z, a, b");
    assert_eq!(tools.types(tools.parameter(ToolId(0), b"x").unwrap()), NULL);
    assert_eq!(tools.declares(ToolId(1), b"x"), None);
}

#[test]
fn a_name_counts_once() {
    let names = Tools::from_names(vec!["b".into(), "a".into(), "b".into()]);
    assert_eq!((names.offered(), names.len()), ("b, a", 2));
    let tools = Tools::from_json(&json!(["f", {"name": "f", "parameters": {"properties": {"x": {}}}}])).unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools.declares(ToolId(0), b"x"), Some(true));
}

#[test]
fn malformed_definitions_are_named() {
    let message = |definitions: Value| Tools::from_json(&definitions).unwrap_err().to_string();
    assert_eq!(
        message(json!("f")),
        "tools: expected a list of names and tool definitions, or an object that maps each name to a JSON schema"
    );
    let shapes = r#"expected a name, {"type": "function", "function": {"name": …, "parameters": …}}, {"name": …, "parameters": …}, {"name": …, "input_schema": …} or {"name": …, "inputSchema": …}"#;
    assert_eq!(message(json!(["a", "b", {"parameters": {}}])), format!("tools[2]: no name: {shapes}"));
    assert_eq!(message(json!([{"function": {"name": 5}}])), format!("tools[0]: no name: {shapes}"));
    assert_eq!(message(json!(["a", ""])), format!("tools[1]: no name: {shapes}"));
    assert_eq!(message(json!([["a"]])), format!("tools[0]: not a tool definition: {shapes}"));
    let parameters = "the parameters are not a JSON schema: expected an object, true, false or null";
    assert_eq!(message(json!([{"name": "f", "parameters": "{}"}])), format!("tools[0]: {parameters}"));
    assert_eq!(message(json!({"type": "function", "function": {}})), format!("tools[\"type\"]: {parameters}"));
    let one = "tools: one tool definition where a list of them is expected; write [definition]";
    assert_eq!(message(json!({"type": "function", "function": {"name": "f", "parameters": {}}})), one);
    assert_eq!(message(json!({"name": "f", "input_schema": {}})), one);
    assert_eq!(
        message(json!({"f": {"type": "function", "function": {"name": "f", "parameters": {}}}})),
        "tools[\"f\"]: a whole tool definition where the JSON schema of its parameters is expected; give a list of definitions"
    );
    assert!(Tools::from_json(&json!({"name": {"type": "object"}, "description": {}})).is_ok());
}

#[test]
fn names_are_found_byte_for_byte() {
    for count in [1_u32, 31, 32, 33, 34, 500] {
        let names: Vec<String> = (0..count).map(|at| format!("tool_{at}")).collect();
        let tools = Tools::from_names(names.clone());
        assert_eq!(tools.names().count(), names.len());
        for (at, name) in (0..).zip(&names) {
            assert_eq!(tools.find(name.as_bytes()), Some(ToolId(at)));
            assert_eq!(tools.name(ToolId(at)), name);
        }
        for other in ["", " tool_0", "Tool_0", "tool_", "tool_0\n"] {
            assert_eq!(tools.find(other.as_bytes()), None);
        }
    }
    assert_eq!(Tools::from_names(vec!["f".into()]).name(ToolId(7)), "");
}

#[test]
fn any_and_none_are_different() {
    assert!(Tools::any().is_any());
    assert!(Tools::any().is_empty());
    assert_eq!(Tools::any().find(b"f"), None);
    let none = Tools::from_json(&json!([])).unwrap();
    assert!(!none.is_any());
    assert_eq!(none.offered(), "none");
}

#[test]
fn keys_tell_the_tool_if_only_one_fits() {
    let tools = Tools::from_json(&json!([
        "untold",
        {"name": "read", "parameters": {"properties": {"path": {}, "limit": {}}}},
        {"name": "write", "parameters": {"properties": {"path": {}, "text": {}}}},
    ]))
    .unwrap();
    let covering = |keys: &[&'static str]| tools.covering(keys.iter().map(|key| key.as_bytes()));
    assert_eq!(covering(&["path", "text"]), Some(ToolId(2)));
    assert_eq!(covering(&["limit"]), Some(ToolId(1)));
    assert_eq!(covering(&["path"]), None);
    assert_eq!(covering(&["path", "other"]), None);
    assert_eq!(covering(&[]), None);
}

#[test]
fn tools_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&Tools::any());
}

/// Tools whose every definition refers to the next one five times.
fn multiplying(length: usize) -> Result<Tools, ToolsError> {
    let mut definitions = serde_json::Map::new();
    for at in 0..length {
        let next = json!({"$ref": format!("#/$defs/D{}", at + 1)});
        let property = format!("p{at}");
        definitions.insert(format!("D{at}"), json!({"allOf": [next, next], "anyOf": [next, next], "properties": {property: next}}));
    }
    definitions.insert(format!("D{length}"), json!({"type": "integer"}));
    Tools::from_json(&json!({"f": {"$ref": "#/$defs/D0", "$defs": definitions}}))
}

#[test]
fn references_that_multiply_are_compiled_or_refused() {
    let tools = multiplying(200).unwrap();
    assert_eq!(tools.parameters(ToolId(0)).count(), 200);
    assert_eq!(tools.types(tools.parameter(ToolId(0), b"p199").unwrap()), INTEGER);
    let refused = multiplying(2000).unwrap_err();
    assert_eq!(refused, ToolsError::TooLarge("tools[\"f\"]".into()));
    assert_eq!(refused.to_string(), "tools[\"f\"]: the JSON schema is too large: its $ref, allOf, anyOf and oneOf multiply");
}

#[test]
fn deep_schemas_are_compiled() {
    let mut schema = json!({"type": "integer"});
    for _ in 0..300 {
        schema = json!({"type": "object", "properties": {"x": schema}});
    }
    let tools = Tools::from_json(&json!([{"name": "f", "parameters": schema}])).unwrap();
    let mut place = tools.parameter(ToolId(0), b"x").unwrap();
    for _ in 1..300 {
        place = tools.property(place, b"x").unwrap();
    }
    assert_eq!(tools.types(place), INTEGER);
}

#[test]
fn recursive_alternatives_are_finite() {
    let expression = |keys: &[&str]| -> Value {
        let members: serde_json::Map<_, _> = keys.iter().map(|key| ((*key).to_owned(), json!({"$ref": "#/$defs/E"}))).collect();
        json!({"type": "object", "properties": members})
    };
    let definitions = json!({"E": {"anyOf": [{"type": "number"}, expression(&["left", "right"]), expression(&["left", "not"])]}});
    let tools = tools(&json!({"e": {"$ref": "#/$defs/E"}}), &definitions);
    let root = tools.parameter(ToolId(0), b"e").unwrap();
    assert_eq!(tools.types(root), NUMBER.union(OBJECT));
    assert_eq!(tools.property(root, b"left"), Some(root));
    assert_eq!(tools.property(root, b"not"), Some(root));
}
