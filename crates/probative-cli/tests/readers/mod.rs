//! Reports, as programs read them that know nothing of probative.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Validates by the schema that Jenkins publishes, and parses once more with expat: attributes and texts of every element.
const JUNIT: &str = r#"
import json, sys, xml.etree.ElementTree as expat
from lxml import etree
text = sys.stdin.buffer.read()
schema = etree.XMLSchema(etree.parse(sys.argv[1] + "/junit-10.xsd"))
schema.assertValid(etree.fromstring(text))
def read(element):
    return {"tag": element.tag, "text": element.text or "", **element.attrib, "children": [read(child) for child in element]}
json.dump(read(expat.fromstring(text)), sys.stdout)
"#;

/// The lines of a TAP document by their categories, and the YAML of those that have a block.
const TAP: &str = r#"
import json, sys
from tap.parser import Parser
def read(line):
    told = {"category": line.category}
    if line.category == "test":
        told.update(ok=line.ok, skip=line.skip, todo=line.todo, description=line.description, yaml=line.yaml_block)
    if line.category == "plan":
        told.update(expected=line.expected_tests)
    if line.category == "bail":
        told.update(reason=line.reason)
    return told
json.dump([read(line) for line in Parser().parse_text(sys.stdin.buffer.read().decode())], sys.stdout)
"#;

/// What a `JUnit` report says, if the schema allows it.
pub fn junit(report: &str) -> Value {
    ask(JUNIT, report)
}

/// What a TAP report says.
pub fn tap(report: &str) -> Value {
    ask(TAP, report)
}

fn ask(program: &str, report: &str) -> Value {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python-tools");
    let mut child = Command::new(python(&tools))
        .args(["-c", program])
        .arg(&tools)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(report.as_bytes()).unwrap();
    let ended = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{complaint}\nis said of\n{report}");
    serde_json::from_slice(&ended.stdout).unwrap()
}

fn python(tools: &Path) -> PathBuf {
    let python = tools.join("bin/python");
    assert!(tools.join("installed").exists(), "the tools are missing: run scripts/tools");
    python
}
