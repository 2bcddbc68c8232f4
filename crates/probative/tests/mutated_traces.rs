//! No edit of one field of a trace turns a question that fails into one that passes, unless the trace no longer contains what failed.
//!
//! Every member of every object in the vectors is deleted, renamed, given another type and given twice. By default a sample of these
//! edits is tried: `MUTATIONS=all` tries all of them, `MUTATIONS=SEED` another sample, `TRACE_FORMATS=otlp,mcp` only some formats.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

mod mutations;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

use mutations::{Edit, Member, members};
use probative::document::Document;
use probative::trajectory::readers::{Given, TraceFormat, read_trace};
use probative::trajectory::{Event, Trajectory};
use probative::{Context, Question, TrajectoryAssertion, Vocabulary};
use serde_json::{Value, json};

/// One edit in so many is tried by default.
const SAMPLED: u64 = 8;

/// Edits after which a pass is right or cannot be told from a right one: format, member, and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("native", "steps[].depth", "a step with a parent is a sub-agent's unless its depth says otherwise"),
    ("anthropic", "content", "a string is content without calls"),
    ("anthropic", "messages[].content", "a string is content without calls"),
    ("claude-code", "data.message.message.content", "a string is content without calls"),
    ("claude-code", "is_error", "the text of an error is an answer if nothing marks it"),
    ("claude-code", "message.model", "the text of an error is an answer if nothing marks it"),
    ("claude-code", "toolUseResult", "strings and lists are results that name no sub-agent"),
    ("codex-exec", "type", "where the start of a thread is lost, its items join the thread before"),
    ("langchain", "[].content", "a string is content without calls"),
    ("gemini", "contents[].parts[].text", "a text that was no string is one now"),
    ("inspect", "samples[].attachments", "a text refers to its attachment, and stays as it is without it"),
    (
        "inspect",
        "samples[].attachments.1f1e1d1c1b1a19181716151413121110",
        "a text refers to its attachment, and stays as it is without it",
    ),
    ("inspect", "samples[].output.choices[].message.content", "content may be a list"),
    ("langchain", "[].agent.messages[].content", "content of a later answer is the answer"),
    ("langchain", "messages[].content", "content of a later answer is the answer"),
    ("mcp", "result", "an object without 'isError' is the result of a call that succeeded"),
    ("openai-agents", "span_data.output", "an object is one message"),
    ("openai-agents", "span_data.outputs", "an unknown member without a call is no step"),
    ("openai-agents", "span_data.outputs[].tool_calls", "an unknown member without a call is no step"),
    ("openai-agents", "span_data.response.output", "an object is one message"),
    ("openai-chat", "[].content", "content of a later answer is the answer"),
    ("openai-chat", "[].content[].text", "a text that was no string is one now"),
    ("openai-chat", "choice", "an unknown member without a call is no step"),
    ("openai-chat", "choice[].delta", "an unknown member without a call is no step"),
    ("openai-responses", "output[].name", "an item of an unknown type is a call by its name only"),
    ("openai-responses", "output[].content", "content may be a string"),
    ("openai-chat", "choices[].finish_reason", "where the end of an answer is lost, the next one joins it"),
    ("otlp", "resourceSpans[].scopeSpans[].spans[].parentSpanId", "a span without a parent is a root"),
    ("otlp", "resourceSpans[].scopeSpans[].spans[].events[].name", "other events say nothing of calls"),
    ("otlp", "resourceSpans[].scopeSpans[].spans[].events[].attributes", "attributes may be an object"),
    (
        "otlp",
        "resourceSpans[].scopeSpans[].spans[].events[].attributes[].value",
        "a choice of another index is not the one that was taken",
    ),
    (
        "otlp",
        "resourceSpans[].scopeSpans[].spans[].events[].attributes[].value.intValue",
        "a choice of another index is not the one that was taken",
    ),
    ("otlp", "resourceSpans[].scopeSpans[].spans[].attributes", "attributes may be an object"),
    (
        "otlp",
        "resourceSpans[].scopeSpans[].spans[].attributes[].value",
        "a tool returns values of any type, and LangChain reports a failure only inside one",
    ),
    (
        "otlp",
        "resourceSpans[].scopeSpans[].spans[].attributes[].value.stringValue",
        "a tool returns values of any type, and LangChain reports a failure only inside one",
    ),
    ("swe-agent", "messages[].content", "an answer without a command is text"),
    ("swe-agent", "trajectory", "a history alone is a run, whose calls have other names"),
];

/// A trace file as the JSON documents it consists of.
struct Trace {
    name: String,
    format: TraceFormat,
    are_lines: bool,
    records: Vec<Value>,
}

impl Trace {
    fn read(path: &Path, format: TraceFormat) -> Option<Trace> {
        let text = fs::read_to_string(path).ok()?;
        let name = format!("{format}/{}", path.file_name()?.to_string_lossy());
        if let Ok(document) = serde_json::from_str(&text) {
            return Some(Trace { name, format, are_lines: false, records: vec![document] });
        }
        let lines = text.lines().map(|line| line.trim().trim_start_matches("data:").trim());
        let records: Vec<Value> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
        (!records.is_empty()).then_some(Trace { name, format, are_lines: true, records })
    }

    fn text(&self) -> String {
        self.records.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    /// Writes the file with one record replaced.
    fn with_record(&self, replaced: usize, replacement: &str) -> String {
        let mut lines: Vec<String> = self.records.iter().map(ToString::to_string).collect();
        replacement.clone_into(&mut lines[replaced]);
        lines.join("\n")
    }
}

fn vectors(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(directory);
    let mut paths: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Lists every trace in `vectors/traces`, and the runs in `vectors/did`.
fn traces() -> Vec<Trace> {
    let mut traces = Vec::new();
    for format in TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native) {
        let paths = vectors(&format!("traces/{format}"));
        let is_input = |path: &&PathBuf| !path.to_string_lossy().ends_with(".expected.json");
        traces.extend(paths.iter().filter(is_input).filter_map(|path| Trace::read(path, *format)));
    }
    for path in vectors("did") {
        let file: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        for case in file["cases"].as_array().unwrap() {
            let name = format!("{}: {}", file["assertion"], case["title"]);
            let records = vec![case["subject"].clone()];
            traces.push(Trace { name, format: TraceFormat::Native, are_lines: false, records });
        }
    }
    assert!(traces.len() > 1000, "only {} traces", traces.len());
    let chosen = env::var("TRACE_FORMATS").unwrap_or_default();
    traces.retain(|trace| chosen.is_empty() || chosen.split(',').any(|name| name == trace.format.name()));
    traces
}

/// Reads a trace without naming its format. Returns `None` if the file, or any run in it, is refused.
fn read_runs(text: &str, are_lines: bool) -> Option<Vec<Trajectory<'static>>> {
    let (mut runs, mut refused) = (Vec::new(), false);
    let ended = read_trace(text.as_bytes(), None, are_lines, &mut |given| match given {
        Given::Run(run) => runs.push(run.trajectory),
        Given::NoRun { .. } => refused = true,
    });
    (ended.is_ok() && !refused && !runs.is_empty()).then_some(runs)
}

/// A question about runs, and what in a trace can make it fail.
struct Asked {
    written: String,
    question: Question<TrajectoryAssertion>,
    about: About,
}

#[derive(Debug, Clone, PartialEq)]
enum About {
    /// Calls of a tool.
    Tool(String),
    /// The outcome of calls.
    ToolError,
    /// An amount of tokens, money, time or calls.
    Budget,
    Ending,
    /// The answer.
    Output(String),
}

/// Returns the questions that hold for every run.
fn passing<'q>(questions: &'q [Asked], runs: &[Trajectory<'_>]) -> Vec<&'q Asked> {
    let written: Vec<String> = runs.iter().map(|run| serde_json::to_string(run).unwrap()).collect();
    let passes = |asked: &&Asked| {
        written.iter().all(|run| {
            let read = TrajectoryAssertion::read(run.as_bytes(), asked.question.setting()).unwrap();
            asked.question.judge(&read.subject, &Context::default()).passed()
        })
    };
    questions.iter().filter(passes).collect()
}

/// Returns questions that fail for the runs, or that they cannot answer.
fn failing_questions(runs: &[Trajectory<'_>], records: &[Value]) -> Vec<Asked> {
    let is_whole = |text: &str| !text.is_empty() && records.iter().any(|record| holds_whole(record, text));
    let mut written: BTreeMap<String, About> = BTreeMap::new();
    for run in runs {
        for (question, about) in
            questions_about_calls(run).into_iter().chain(questions_about_ending(run, &is_whole))
        {
            written.insert(question.to_string(), about);
        }
    }
    let compile = |(written, about): (String, About)| {
        let question = Question::compile(Document::new("question.json", written.clone())).unwrap();
        Asked { written, question, about }
    };
    let asked: Vec<Asked> = written.into_iter().map(compile).collect();
    let passing: Vec<String> = passing(&asked, runs).iter().map(|asked| asked.written.clone()).collect();
    asked.into_iter().filter(|asked| !passing.contains(&asked.written)).collect()
}

fn questions_about_calls(run: &Trajectory<'_>) -> Vec<(Value, About)> {
    let mut questions = Vec::new();
    for step in &run.steps {
        let Event::ToolCall(call) = &step.event else { continue };
        let (name, about) = (&*call.name, || About::Tool(call.name.to_string()));
        let is_same = |event: &Event<'_>| matches!(event, Event::ToolCall(other) if other.name == call.name);
        let count =
            run.steps.iter().filter(|other| other.depth == step.depth && is_same(&other.event)).count();
        let mut ask = |assertion: &str, argument: Value| {
            let mut question = if step.depth == 0 { json!({}) } else { json!({"scope": "all"}) };
            question[assertion] = argument;
            questions.push((question, about()));
        };
        ask("tool_not_called", json!(name));
        ask("tools_only", json!(["a tool nobody called"]));
        ask("no_repeated_calls", json!([name]));
        ask("tool_call_count", json!({"name": name, "max": count - 1}));
        if step.depth == 0 {
            questions.push((json!({"cannot": [{"tool_was_called": [name]}]}), about()));
            questions.push((json!({"cannot": [{"tool_errored": [{"name": name}]}]}), About::ToolError));
            questions.push((json!({"tool_succeeded": {"name": name}}), About::ToolError));
        }
    }
    questions
}

/// `is_whole` is true of a text that one string of the trace contains. An answer that was put together from pieces changes with any
/// of them.
fn questions_about_ending(run: &Trajectory<'_>, is_whole: &impl Fn(&str) -> bool) -> Vec<(Value, About)> {
    let is_own_model_call = |event: &Event<'_>, depth: u32| depth == 0 && matches!(event, Event::LlmCall(_));
    let models = run.steps.iter().filter(|step| is_own_model_call(&step.event, step.depth)).count() as u64;
    let mut questions = vec![
        (json!({"cost_under": run.total_cost.unwrap_or(1e9)}), About::Budget),
        (json!({"tokens_under": run.total_tokens.unwrap_or(1_000_000_000)}), About::Budget),
        (json!({"duration_under": run.duration_seconds.unwrap_or(1e9)}), About::Budget),
        (json!({"llm_calls_under": run.llm_calls.unwrap_or(models)}), About::Budget),
        (json!({"succeeded": true}), About::Ending),
    ];
    if let Some(output) = run.final_output.as_deref().filter(|output| is_whole(output)) {
        questions.push((json!({"output_not_contains": output}), About::Output(output.to_owned())));
    }
    questions
}

/// Returns true if the edit took what the question fails on out of the trace, so that a pass is right.
fn is_gone(about: &About, edit: Edit, value: &Value) -> bool {
    let is_container = value.is_array() || value.is_object();
    match about {
        // A whole call, message or list of them. A call that merely lost its name is still a call.
        About::Tool(name) => edit.removes() && is_container && value.to_string().contains(&**name),
        // An amount that was null may be given, too.
        About::Budget => value.is_null() || edit.removes() && (is_container || value.is_number()),
        About::Ending | About::ToolError => edit.removes(),
        // A renamed text is still there.
        About::Output(output) => edit != Edit::Rename && holds_part_of(value, output),
    }
}

/// Returns true if a string in a value contains all of a text.
fn holds_whole(value: &Value, text: &str) -> bool {
    match value {
        Value::String(string) => string.contains(text),
        Value::Array(items) => items.iter().any(|item| holds_whole(item, text)),
        Value::Object(members) => members.values().any(|member| holds_whole(member, text)),
        _ => false,
    }
}

/// Returns true if a string in a value is part of a text, or contains it. Answers are put together from pieces.
fn holds_part_of(value: &Value, text: &str) -> bool {
    match value {
        Value::String(piece) => !piece.is_empty() && (text.contains(&**piece) || piece.contains(text)),
        Value::Array(items) => items.iter().any(|item| holds_part_of(item, text)),
        Value::Object(members) => members.values().any(|member| holds_part_of(member, text)),
        _ => false,
    }
}

/// Returns true if an edit is in the sample.
fn is_sampled(trace: &Trace, record: usize, member: &Member, edit: Edit) -> bool {
    let chosen = env::var("MUTATIONS").unwrap_or_default();
    if chosen == "all" {
        return true;
    }
    let mut hasher = DefaultHasher::new();
    (&chosen, &trace.name, record, member.to_string(), format!("{edit:?}")).hash(&mut hasher);
    hasher.finish().is_multiple_of(SAMPLED)
}

/// Tries the sampled edits of a trace. Adds each that makes a failing question pass, by its kind, and returns how many were tried.
fn try_edits(trace: &Trace, escapes: &mut BTreeMap<String, String>) -> usize {
    let Some(original) = read_runs(&trace.text(), trace.are_lines) else { return 0 };
    let questions = failing_questions(&original, &trace.records);
    let mut tried = 0;
    for (index, record) in trace.records.iter().enumerate() {
        for member in members(record) {
            let value = member.value(record);
            let edits = Edit::all(value).into_iter();
            for edit in edits.filter(|edit| is_sampled(trace, index, &member, *edit)) {
                tried += 1;
                let text = trace.with_record(index, &edit.apply(record, &member));
                let Some(mutant) = read_runs(&text, trace.are_lines) else { continue };
                if mutant == original {
                    continue;
                }
                let passing = passing(&questions, &mutant);
                for asked in passing.iter().filter(|asked| !is_gone(&asked.about, edit, value)) {
                    let kind = format!("{} {edit:?} {}", trace.format, member.shape());
                    let example =
                        || format!("{} record {} {member}: {}", trace.name, index + 1, asked.written);
                    escapes.entry(kind).or_insert_with(example);
                }
            }
        }
    }
    tried
}

#[test]
fn no_edit_of_one_field_turns_a_failure_into_a_pass() {
    let (mut escapes, mut tried) = (BTreeMap::new(), 0);
    for trace in traces() {
        tried += try_edits(&trace, &mut escapes);
    }
    let is_excepted = |kind: &str| {
        let (format, rest) = kind.split_once(' ').unwrap();
        EXCEPTIONS
            .iter()
            .any(|(excepted, shape, _)| *excepted == format && rest.ends_with(&format!(" {shape}")))
    };
    escapes.retain(|kind, _| !is_excepted(kind));
    let listed: Vec<String> =
        escapes.iter().map(|(kind, example)| format!("{kind}\n    e.g. {example}")).collect();
    let count = listed.len();
    assert!(
        listed.is_empty(),
        "{count} kinds of edits, of {tried} tried, make a failure pass:\n{}",
        listed.join("\n")
    );
    assert!(tried > 100);
}
