//! A small validator for the part of JSON Schema that our schemas use: `$ref` into `$defs`,
//! `oneOf`, `type`, `enum`, `required`, `properties`, `additionalProperties: false`, `items`,
//! `minimum`, and the two patterns of digits. Anything else in a schema is an error of the test,
//! so that no rule is ever skipped in silence.

use serde_json::Value;

/// The words that the validator understands or that say nothing about a value.
const KNOWN: [&str; 13] = [
    "$schema",
    "title",
    "description",
    "$defs",
    "$ref",
    "oneOf",
    "type",
    "enum",
    "required",
    "properties",
    "additionalProperties",
    "items",
    "minimum",
];

/// A schema of `crates/cli/schema`.
pub(crate) fn load(name: &str) -> Value {
    let path = format!("{}/schema/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the schema is there");
    serde_json::from_str(&text).expect("the schema is an object")
}

/// What is wrong with a value; none where it fits.
pub(crate) fn fault(root: &Value, value: &Value) -> Option<String> {
    check(root, root, value, "$").err()
}

fn check(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let rules = schema.as_object().expect("a schema is an object");
    for word in rules.keys() {
        assert!(KNOWN.contains(&word.as_str()) || word == "pattern", "unknown word `{word}`");
    }
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.strip_prefix("#/$defs/").expect("a local reference");
        check(root, &root["$defs"][name], value, path)?;
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let faults: Vec<String> =
            choices.iter().filter_map(|choice| check(root, choice, value, path).err()).collect();
        let fitting = choices.len() - faults.len();
        if fitting != 1 {
            return Err(format!("{path}: {fitting} of oneOf fit: {}", faults.join("; ")));
        }
    }
    check_type(&schema["type"], value, path)?;
    check_value(schema, value, path)?;
    check_object(root, schema, value, path)?;
    if let (Some(items), Some(list)) = (schema.get("items"), value.as_array()) {
        for (place, item) in list.iter().enumerate() {
            check(root, items, item, &format!("{path}[{place}]"))?;
        }
    }
    Ok(())
}

fn check_type(wanted: &Value, value: &Value, path: &str) -> Result<(), String> {
    let names: Vec<&str> = match wanted {
        Value::Null => return Ok(()),
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().map(|name| name.as_str().expect("a name")).collect(),
        other => panic!("a type is a name or a list: {other}"),
    };
    let fits = |name: &&str| match *name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("unknown type {other}"),
    };
    if names.iter().any(fits) { Ok(()) } else { Err(format!("{path}: {value} is not {names:?}")) }
}

fn check_value(schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return Err(format!("{path}: {value} is none of {choices:?}"));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        return Err(format!("{path}: {value} is below {least}"));
    }
    if let (Some(pattern), Some(text)) = (schema["pattern"].as_str(), value.as_str()) {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let fits = match pattern {
            "^[0-9]+$" => digits(text),
            "^[0-9]+/[0-9]+$" => text.split_once('/').is_some_and(|(a, b)| digits(a) && digits(b)),
            other => panic!("unknown pattern {other}"),
        };
        if !fits {
            return Err(format!("{path}: {text} does not match {pattern}"));
        }
    }
    Ok(())
}

fn check_object(root: &Value, schema: &Value, value: &Value, path: &str) -> Result<(), String> {
    let Some(object) = value.as_object() else { return Ok(()) };
    for name in schema["required"].as_array().into_iter().flatten() {
        let name = name.as_str().expect("a name");
        if !object.contains_key(name) {
            return Err(format!("{path}: `{name}` is missing"));
        }
    }
    let Some(properties) = schema["properties"].as_object() else { return Ok(()) };
    assert_eq!(schema["additionalProperties"], Value::Bool(false), "our objects are closed");
    for (name, held) in object {
        let Some(rule) = properties.get(name) else {
            return Err(format!("{path}: `{name}` is not in the schema"));
        };
        check(root, rule, held, &format!("{path}.{name}"))?;
    }
    Ok(())
}
