//! Every trace format has vectors: files of its own, and the runs that they must become.
#![allow(clippy::disallowed_methods, reason = "vectors are files")]

use std::fs;
use std::path::{Path, PathBuf};

use probative::trajectory::readers::{
    Given, NoRuns, NoteKind, Recorded, RunId, TraceFormat, native, parse_record, probe, read_record,
    read_trace,
};
use probative::trajectory::{Trajectory, losses};
use serde_json::{Map, Value, json};

fn vectors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/traces")
}

/// The files of a format, each with what it must become.
fn cases(directory: &Path) -> Vec<(PathBuf, Value)> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let is_expected = |path: &PathBuf| name(path).ends_with(".expected.json");
    let (expected, inputs): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_expected);
    assert_eq!(expected.len(), inputs.len(), "{}: each file has its expectation", directory.display());
    let pair = |input: PathBuf| {
        let beside =
            input.with_file_name(format!("{}.expected.json", input.file_stem().unwrap().to_string_lossy()));
        let expected = fs::read(&beside).unwrap_or_else(|error| panic!("{}: {error}", beside.display()));
        (
            input,
            serde_json::from_slice(&expected).unwrap_or_else(|error| panic!("{}: {error}", beside.display())),
        )
    };
    inputs.into_iter().map(pair).collect()
}

fn read(path: &Path, format: Option<TraceFormat>) -> (Vec<Recorded>, Result<TraceFormat, NoRuns>) {
    let bytes = fs::read(path).unwrap();
    let are_lines = path.extension().is_some_and(|ending| ending == "jsonl");
    let mut runs = Vec::new();
    let ended = read_trace(&bytes, format, are_lines, &mut |given| match given {
        Given::Run(run) => runs.push(*run),
        Given::NoRun { id, why } => panic!("{}{id}: {why}", path.display()),
    });
    (runs, ended)
}

/// Reads a file in which each line is said to be a run line by line; what comes of it must be the same.
fn read_by_line(path: &Path, format: TraceFormat) -> Option<String> {
    let bytes = fs::read(path).unwrap();
    let lines = || bytes.split(|byte| *byte == b'\n');
    if !matches!(probe(lines()), Ok((_, true))) {
        return None;
    }
    let mut alone = Vec::new();
    for line in lines() {
        let _ = read_trace(line, Some(format), true, &mut |given| alone.extend(given.run()));
    }
    let (together, _) = read(path, Some(format));
    let runs = |runs: Vec<Recorded>| runs.into_iter().map(|run| run.trajectory).collect::<Vec<_>>();
    (runs(alone) != runs(together)).then(|| "its lines alone are not the same runs".to_owned())
}

/// A run as a vector tells it.
fn told(run: Recorded) -> Value {
    let losses: Vec<&str> = losses(&run.trajectory).iter().map(|lost| lost.loss.name()).collect();
    let notes: Map<String, Value> =
        run.notes.sorted().iter().map(|note| (note.kind.name().to_owned(), note.count.into())).collect();
    let trajectory = Trajectory { source: None, ..run.trajectory };
    json!({ "id": run.id.to_string(), "trajectory": normal(&trajectory), "losses": losses, "notes": notes })
}

/// The native JSON of a run, in which numbers that are equal look alike.
fn normal(run: &Trajectory<'_>) -> Value {
    let written = serde_json::to_string(run).unwrap();
    let again = native::read(written.as_bytes()).unwrap().subject;
    assert_eq!(again, *run, "what is written is read back");
    serde_json::to_value(run).unwrap()
}

fn expected(mut vector: Value) -> Value {
    let Some(runs) = vector["runs"].as_array_mut() else { return vector };
    for run in runs {
        let written = run["trajectory"].to_string();
        let trajectory =
            native::read(written.as_bytes()).unwrap_or_else(|error| panic!("{error}: {written}")).subject;
        run["trajectory"] = normal(&trajectory);
        run["notes"] = run.get("notes").cloned().unwrap_or_else(|| json!({}));
    }
    vector["runs"].take()
}

/// Where two values differ, and how.
fn differences(wanted: &Value, found: &Value, path: &str, told: &mut Vec<String>) {
    match (wanted, found) {
        _ if wanted == found => {}
        (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
            for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                differences(ours, theirs, &format!("{path}[{index}]"), told);
            }
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            let more = theirs.keys().filter(|key| !ours.contains_key(*key));
            for key in ours.keys().chain(more) {
                let of = |object: &Map<String, Value>| object.get(key).cloned().unwrap_or("(absent)".into());
                differences(&of(ours), &of(theirs), &format!("{path}.{key}"), told);
            }
        }
        _ => told.push(format!("  {path}\n    expected {wanted}\n    found    {found}")),
    }
}

/// Takes any text for one that a vector leaves open: `<any text>`.
fn overlook_texts(wanted: &Value, found: &mut Value) {
    match (wanted, found) {
        (Value::String(wanted), found @ Value::String(_)) if wanted == "<any text>" => {
            assert_ne!(*found, "");
            *found = "<any text>".into();
        }
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.iter().zip(found).for_each(|(wanted, found)| overlook_texts(wanted, found));
        }
        (Value::Object(wanted), Value::Object(found)) => {
            for (key, wanted) in wanted {
                found.get_mut(key).into_iter().for_each(|found| overlook_texts(wanted, found));
            }
        }
        _ => {}
    }
}

#[test]
fn every_format_has_vectors_and_reads_them_as_they_say() {
    let mut failures = Vec::new();
    for format in TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native) {
        let directory = vectors().join(format.name());
        assert!(directory.is_dir(), "{format} has no vectors");
        let cases = cases(&directory);
        assert!(cases.len() >= 3, "{format} has only {} vectors", cases.len());
        for (path, vector) in cases {
            let name = format!("{format}/{}", path.file_name().unwrap().to_string_lossy());
            let (runs, ended) = read(&path, Some(*format));
            if let Some(words) = vector["error"].as_str() {
                let told = ended.as_ref().map_or_else(ToString::to_string, |_| "a run".to_owned());
                if !told.contains(words) {
                    failures.push(format!("{name}: expected an error with '{words}', not {told}"));
                }
                continue;
            }
            let mut found = Value::Array(runs.into_iter().map(told).collect());
            let wanted = expected(vector.clone());
            overlook_texts(&wanted, &mut found);
            if found != wanted {
                let mut told = Vec::new();
                differences(&wanted, &found, "", &mut told);
                failures.push(format!("{name}\n{}", told.join("\n")));
            }
            if path.extension().is_some_and(|ending| ending == "jsonl") {
                failures.extend(read_by_line(&path, *format).map(|why| format!("{name}: {why}")));
            }
            let (_, detected) = read(&path, None);
            let is_ambiguous = vector["ambiguous"] == true;
            match detected {
                Ok(detected) if detected == *format => {}
                Err(NoRuns::Ambiguous(_)) if is_ambiguous => {}
                other => failures.push(format!("{name}: detected {other:?}")),
            }
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// Files of other programs that resemble a format and must not be read as one: most of what they record would be lost.
#[test]
fn files_of_other_formats_are_refused_in_these_words() {
    let cases = cases(&vectors().with_file_name("traces-refused"));
    assert!(cases.len() >= 20, "only {} files", cases.len());
    let mut failures = Vec::new();
    for (path, vector) in cases {
        let name = path.file_name().unwrap().to_string_lossy();
        let words = vector["error"].as_str().unwrap();
        let bytes = fs::read(&path).unwrap();
        let are_lines = path.extension().is_some_and(|ending| ending == "jsonl");
        let mut given = 0;
        match read_trace(&bytes, None, are_lines, &mut |_| given += 1) {
            Err(why) if why.to_string().contains(words) && given == 0 => {}
            other => failures.push(format!("{name}: expected '{words}', not {other:?} ({given} runs)")),
        }
    }
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

/// The runs that records are in a format, or in the one that is detected; without the name of the format.
fn runs_of(records: &[Value], format: Option<TraceFormat>) -> Result<(TraceFormat, Vec<Value>), NoRuns> {
    let text = Value::Array(records.to_vec()).to_string();
    let mut runs = Vec::new();
    let format = read_trace(text.as_bytes(), format, false, &mut |given| runs.extend(given.run().map(told)))?;
    Ok((format, runs))
}

/// A part of a file is refused or read in the file's own format. In another one it must be the same run: a chat without tools.
#[test]
fn no_part_of_a_file_is_read_as_another_format() {
    let (mut failures, mut tried) = (Vec::new(), 0);
    for format in TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native) {
        for (path, vector) in cases(&vectors().join(format.name())) {
            let records = records(&fs::read(&path).unwrap());
            let whole = (0, records.len());
            let singles = (0..records.len()).map(|at| (at, at + 1));
            let prefixes = (2..records.len()).map(|end| (0, end));
            for (start, end) in [whole].into_iter().chain(singles).chain(prefixes) {
                let Ok((detected, runs)) = runs_of(&records[start..end], None) else { continue };
                tried += 1;
                // Without their header, old sessions of Codex are nothing but items of the Responses API.
                let is_headless = *format == TraceFormat::CodexRollout
                    && detected == TraceFormat::OpenaiResponses
                    && start > 0;
                let is_same =
                    || runs_of(&records[start..end], Some(*format)).is_ok_and(|(_, own)| own == runs);
                if detected != *format && vector["ambiguous"] != true && !is_headless && !is_same() {
                    let name = path.file_name().unwrap().to_string_lossy();
                    failures.push(format!("{format}/{name} {start}..{end}: detected {detected}"));
                }
            }
        }
    }
    assert!(tried > 500, "only {tried} were tried");
    assert!(failures.is_empty(), "{} of {tried} failed:\n{}", failures.len(), failures.join("\n"));
}

/// The runs of a text, each with its id and the notes of keys that are given twice.
fn repeated_keys(text: &str) -> Vec<(String, Vec<String>)> {
    let mut runs = Vec::new();
    let format = Some(TraceFormat::OpenaiChat);
    read_trace(text.as_bytes(), format, false, &mut |given| {
        let run = given.run().unwrap();
        assert!(!run.trajectory.unknown.steps, "a key that is given twice loses no steps");
        let notes = run.notes.sorted().into_iter().filter(|note| note.kind == NoteKind::RepeatedKey);
        runs.push((run.id.to_string(), notes.map(|note| note.first).collect()));
    })
    .unwrap();
    runs
}

#[test]
fn keys_given_twice_are_noted_with_the_run_they_belong_to() {
    let plain =
        r#"{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]}"#;
    let twice = r#"{"messages": [{"role": "user", "content": "a", "content": "hi"}, {"role": "assistant", "content": "ho"}]}"#;
    let place = "'messages[0].content'";
    let noted = |id: &str, notes: &[String]| (id.to_owned(), notes.to_vec());
    assert_eq!(repeated_keys(twice), [noted("", &[place.to_owned()])]);
    assert_eq!(
        repeated_keys(&[plain, twice, plain].join("\n")),
        [noted(":1", &[]), noted(":2", &[format!("line 2: {place}")]), noted(":3", &[])]
    );
    assert_eq!(
        repeated_keys(&format!("[{plain},{twice}]")),
        [noted("#1", &[]), noted("#2", &[format!("record 2: {place}")])]
    );
    // A file of parts is one run.
    let parts =
        r#"[{"role": "user", "content": "a", "content": "hi"}, {"role": "assistant", "content": "ho"}]"#;
    assert_eq!(repeated_keys(parts), [noted("", &["record 1: 'content'".to_owned()])]);
    // A line that is read by itself.
    let record = parse_record(twice.as_bytes()).unwrap();
    let run = read_record(record, TraceFormat::OpenaiChat, RunId::Line(2)).unwrap();
    let warnings: Vec<String> = run.notes.sorted().iter().map(ToString::to_string).collect();
    assert_eq!(warnings, [format!("a key appears twice; the last value is used (line 2: {place})")]);
}

/// A format that was asked for is kept, but not where most records don't fit it; what doesn't makes steps unknown.
#[test]
fn with_a_format_given_misfits_are_noted_and_most_of_them_refused() {
    let event =
        r#"{"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": "Done."}}"#;
    let odd = r#"{"type": "session.tick"}"#;
    let read = |events: usize, odds: usize| {
        let lines = [vec![event; events], vec![odd; odds]].concat().join("\n");
        let mut runs = Vec::new();
        read_trace(lines.as_bytes(), Some(TraceFormat::CodexExec), true, &mut |given| {
            runs.extend(given.run());
        })
        .map(|_| runs.iter().map(|run| run.trajectory.unknown.steps).collect::<Vec<bool>>())
        .map_err(|why| why.to_string())
    };
    assert_eq!(read(4, 0), Ok(vec![false]));
    assert_eq!(read(4, 4), Ok(vec![true]));
    let refused = "read as codex-exec, but 5 of 9 records don't fit (line 5: unknown 'type' \"session.tick\"); \
         try another --trace-format";
    assert_eq!(read(4, 5), Err(refused.to_owned()));
}

/// A reader takes rows of a dataset for runs if it is told to. Between runs, they are none.
#[test]
fn a_record_between_runs_that_is_of_no_format_is_no_run() {
    let run =
        r#"{"input": [{"role": "user", "content": "hi"}], "response": {"object": "response", "output": []}}"#;
    let row = r#"{"input": [{"role": "user", "content": "hi"}], "expected": "ho"}"#;
    for (records, none) in [([row, run, run], "#1"), ([run, row, run], "#2"), ([run, run, row], "#3")] {
        let mut given = Vec::new();
        let text = format!("[{}]", records.join(","));
        let format = read_trace(text.as_bytes(), None, false, &mut |next| given.push(next));
        assert_eq!(format, Ok(TraceFormat::OpenaiResponses));
        let refused: Vec<String> = given
            .iter()
            .filter_map(|given| match given {
                Given::Run(_) => None,
                Given::NoRun { id, why } => Some(format!("{id} {why}")),
            })
            .collect();
        assert_eq!(
            (given.len(), refused),
            (3, vec![format!("{none} not a run in the openai-responses format")])
        );
    }
    let alone = |line: &str| {
        read_record(parse_record(line.as_bytes()).unwrap(), TraceFormat::OpenaiResponses, RunId::Line(1))
    };
    assert!(alone(run).is_ok());
    assert_eq!(alone(row), Err("not a run in the openai-responses format".to_owned()));
}

#[test]
fn every_directory_of_vectors_is_a_format() {
    for entry in fs::read_dir(vectors()).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        assert!(TraceFormat::ALL.iter().any(|format| format.name() == name), "no format is named {name}");
    }
}

/// Puts a value in the place of the nth part of another, counted from the outside in.
fn put(value: &mut Value, nth: &mut usize, odd: &Value) -> bool {
    if *nth == 0 {
        *value = odd.clone();
        return true;
    }
    *nth -= 1;
    match value {
        Value::Array(items) => items.iter_mut().any(|item| put(item, nth, odd)),
        Value::Object(members) => members.values_mut().any(|member| put(member, nth, odd)),
        _ => false,
    }
}

/// The records of a file, as far as they are JSON.
fn records(bytes: &[u8]) -> Vec<Value> {
    let parse = |bytes| parse_record(bytes).map(|record| record.value);
    match parse(bytes) {
        Ok(Value::Array(items)) => items,
        Ok(document) => vec![document],
        Err(_) => bytes.split(|byte| *byte == b'\n').filter_map(|line| parse(line).ok()).collect(),
    }
}

/// Whatever stands in any part of any record, reading ends, and what comes of it is a run that can be written and read.
#[test]
fn odd_values_anywhere_do_no_harm() {
    let odds = [
        json!(null),
        json!(-1.5e300),
        json!("\u{202e}"),
        json!([[]]),
        json!({"type": {"": []}}),
        json!(true),
    ];
    let mut tried = 0;
    for format in TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native) {
        for (path, _) in cases(&vectors().join(format.name())) {
            let records = records(&fs::read(&path).unwrap());
            for at in 0..records.len() {
                // Enough to meet every part of most records, and some of the long ones.
                for part in (0..).step_by(1 + records[at].to_string().len() / 2000) {
                    let mut changed = records.clone();
                    let (mut nth, odd) = (part, &odds[(at + part) % odds.len()]);
                    if !put(&mut changed[at], &mut nth, odd) {
                        break;
                    }
                    let text = Value::Array(changed).to_string();
                    let _ = read_trace(text.as_bytes(), Some(*format), false, &mut |given| {
                        given.run().into_iter().for_each(|run| drop(normal(&run.trajectory)));
                    });
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 5000, "only {tried} were tried");
}
