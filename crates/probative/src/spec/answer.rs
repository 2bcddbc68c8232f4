//! What an agent answered, sorted into what it said, did and saw.

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer as _};
use serde_json::value::RawValue;

use super::traced::{self, Traced};
use crate::trajectory::TrajectoryAssertion;
use crate::trajectory::readers::TraceFormat;
use crate::value::excerpt::cut;
use crate::value::{Malformed, Pattern, Value, visible};
use crate::verdict::{Error, ErrorKind, Place};
use crate::vocabularies::About;
use crate::vocabulary::{Read, Vocabulary};
use crate::written::{Written, malformed};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What came of a run of an agent, or was recorded of one.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    artifacts: Vec<(About, Artifact)>,
    /// Why parts that were named can't be read.
    missed: Vec<(About, Error)>,
    /// Why the output could not be sorted.
    broken: Option<Error>,
    /// The messages of the trace that the run was read from, if it records any.
    messages: Option<Box<RawValue>>,
    /// What came, in a few words, for whoever misses something.
    came: String,
    /// What the reader of a report should know about it.
    pub warnings: Vec<String>,
}

/// One thing that came of a run.
#[derive(Debug, Clone)]
pub struct Artifact {
    /// Where it stands: `stdout`, or the name of a file.
    pub name: String,
    bytes: Vec<u8>,
    is_text: bool,
    origin: Origin,
    /// The line and the column at which it begins.
    at: (usize, usize),
}

/// Where an artifact comes from, which decides how what is wrong with it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// It was written for this run: what is wrong with it is the agent's fault, and found out at run time.
    Run,
    /// It was recorded in a file, whose place is told.
    File,
    /// It stands in the case, whose place is told.
    Case,
}

/// How traces among the parts are read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// Their format; `None` to recognize it.
    pub format: Option<TraceFormat>,
    /// Matches the result of a tool call that failed, where the trace does not record failures.
    pub tool_error: Option<&'a Pattern>,
}

/// An artifact that stands in a file that the output names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// What it is.
    pub about: About,
    /// The file, as it is named.
    pub file: String,
}

/// The keys of an envelope: what the artifact is, and whether the key names a file with it.
fn envelope_key(key: &str) -> Option<(About, bool)> {
    let (name, is_file) = key.strip_suffix("_file").map_or((key, false), |name| (name, true));
    let about = About::ALL.iter().copied().find(|about| about.subject() == name)?;
    Some((about, is_file))
}

/// The key of an envelope that a key is a slip of.
fn slip_of(key: &str) -> Option<&'static str> {
    const KEYS: [&str; 6] =
        ["response", "trajectory", "report", "response_file", "trajectory_file", "report_file"];
    // A whole word that only looks alike is no slip: `export` beside `report`.
    let is_slip = |meant: &&str| {
        let most = meant.len() / 5;
        key.len().abs_diff(meant.len()) <= most && strsim::damerau_levenshtein(key, meant) <= most
    };
    if KEYS.contains(&key) { None } else { KEYS.into_iter().find(is_slip) }
}

/// The same where what the key holds could stand there.
fn misspelt(key: &str, part: &RawValue) -> Option<&'static str> {
    let meant = slip_of(key)?;
    let may_be = match part.get().as_bytes().first() {
        Some(b'{' | b'[') => !meant.ends_with("_file"),
        Some(b'"') => meant.starts_with("response") || meant.ends_with("_file"),
        _ => meant == "response",
    };
    may_be.then_some(meant)
}

/// Keys under which programs print an answer next to `messages`.
const OTHER_NAMES_OF_RESPONSE: [&str; 7] =
    ["answer", "output", "final", "final_output", "final_answer", "result", "reply"];

/// What an object with `messages` has beside them that is an answer.
enum Beside {
    /// `response`, so that the object looks like an envelope without `trajectory`.
    Response,
    /// One of [`OTHER_NAMES_OF_RESPONSE`].
    Other(String),
}

/// Returns the answer beside a list of objects named `messages`, unless it is the recorded response of a model.
fn beside_messages(text: &str) -> Option<Beside> {
    let parts = members(text)?;
    let part = |wanted: &str| parts.iter().find(|(key, _)| *key == wanted).map(|(_, part)| part.get());
    let has_objects =
        |part: &str| part.strip_prefix('[').is_some_and(|items| items.trim_start().starts_with('{'));
    part("messages").filter(|messages| has_objects(messages))?;
    match part("response") {
        None | Some("null") => {
            let is_answer = |key: &&str| part(key).is_some_and(|part| part.starts_with(['"', '{']));
            OTHER_NAMES_OF_RESPONSE.into_iter().find(is_answer).map(|key| Beside::Other(key.to_owned()))
        }
        Some(response) => {
            let keys = members(response).unwrap_or_default();
            let is_of_model = keys.iter().any(|(key, _)| matches!(*key, "choices" | "content" | "output"));
            (!is_of_model).then_some(Beside::Response)
        }
    }
}

impl Answer {
    /// Sorts what an agent put out, or what was recorded in a file. `only` is what it must be, where that is settled.
    /// Answers with the files that it names, too.
    ///
    /// A JSON object with no other keys than `response`, `trajectory`, `report` and `…_file` is an envelope, and so is one with
    /// a response and another of these, whatever else it has, which is worth a warning. Anything else is the one thing that it looks like; what does not look like JSON is a response in plain text.
    pub fn of_output(output: &[u8], name: &str, only: Option<About>, origin: Origin) -> (Answer, Vec<Named>) {
        let whole = output.strip_prefix(BYTE_ORDER_MARK).unwrap_or(output);
        let output = whole.trim_ascii_end();
        let text = std::str::from_utf8(output).unwrap_or_default();
        if let Some(opened) = Answer::of_envelope(whole, name, origin, 1, &Reading::default()) {
            return opened;
        }
        let mut answer = Answer::default();
        if only.is_none() {
            match beside_messages(text) {
                Some(Beside::Response) => {
                    let why = "'messages' isn't a key of an envelope; put it inside 'trajectory': \
                               {\"response\": …, \"trajectory\": {\"messages\": …}}. If the whole object is the \
                               response, put it inside 'response'";
                    let place = Place { file: name.into(), ..Place::default() };
                    let error = Error::at(ErrorKind::MalformedSubject(why.to_owned()), place);
                    answer.broken = Some(origin.told(error));
                    return (answer, Vec::new());
                }
                Some(Beside::Other(key)) => answer.warnings.push(format!(
                    "{name} is a trace: its last message is the response, and its key '{key}' is ignored; to judge \
                     '{key}', print {{\"response\": …, \"trajectory\": {{\"messages\": …}}}}"
                )),
                None => {}
            }
        }
        let artifact = |is_text| {
            let bytes = if is_text { whole } else { output };
            Artifact { name: name.to_owned(), bytes: bytes.to_vec(), is_text, origin, at: (1, 1) }
        };
        if only.is_none() && traced::is_trace(output) {
            answer.came = format!("{name} is a trace");
            answer.put(About::Trajectory, artifact(false), &Reading::default());
            return (answer, Vec::new());
        }
        let shown = text.trim_start();
        let is_json = match origin {
            Origin::File => !is_text_file(name),
            Origin::Run | Origin::Case => shown.starts_with(['{', '[', '"']) || is_json(shown),
        };
        // Judged as plain text, logs and the rest of the output would be part of the response.
        if origin == Origin::Run
            && !is_json
            && let Some(line) = json_below(text)
        {
            let why = format!(
                "{name} isn't valid JSON (JSON starts on line {line}); send logs to stderr. If all of it is the \
                 response, print {{\"response\": …}}"
            );
            answer.broken = Some(origin.told(Error::new(ErrorKind::MalformedSubject(why))));
            return (answer, Vec::new());
        }
        if output.is_empty() {
            answer.came = format!("{name} is empty");
        } else if let Some(about) = only {
            answer.put(about, artifact(about == About::Response && !is_json), &Reading::default());
        } else if is_json {
            if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(output) {
                let error = malformed(&Malformed::from(&error), output, name, None);
                answer.broken = Some(origin.told(meant_as_json(error, output)));
                return (answer, Vec::new());
            }
            let about = About::of_subject(output);
            answer.came = format!("{name} is a {}: {}", about.subject(), beginning(shown));
            answer.put(about, artifact(false), &Reading::default());
        } else {
            answer.came = format!("{name} is plain text: {}", beginning(shown));
            answer.put(About::Response, artifact(true), &Reading::default());
        }
        (answer, Vec::new())
    }

    /// Opens an envelope, and returns the files that it names with it. Returns `None` for anything else.
    ///
    /// `line` is where it begins in its file, counted from 1.
    pub fn of_envelope(
        output: &[u8],
        name: &str,
        origin: Origin,
        line: usize,
        reading: &Reading<'_>,
    ) -> Option<(Answer, Vec<Named>)> {
        let text = std::str::from_utf8(output.strip_prefix(BYTE_ORDER_MARK).unwrap_or(output)).ok()?;
        let parts = envelope(text)?;
        let mut answer = Answer::default();
        let named = answer.open(text, &parts, (name, line), origin, reading);
        Some((answer, named))
    }

    /// Takes what stands in an envelope, and answers with the files that it names. What is null did not come.
    fn open(
        &mut self,
        text: &str,
        parts: &Parts<'_>,
        (name, first_line): (&str, usize),
        origin: Origin,
        reading: &Reading<'_>,
    ) -> Vec<Named> {
        let shown =
            parts.iter().map(
                |(key, part)| if part.get() == "null" { format!("{key} (null)") } else { (*key).to_owned() },
            );
        let called = if name == "-" { "standard input" } else { name };
        self.came = format!("{called} contains {}", shown.collect::<Vec<_>>().join(", "));
        let has = |wanted: &str| parts.iter().any(|(key, _)| *key == wanted);
        let mut named = Vec::new();
        if !is_meant(parts) {
            let slip = parts.iter().find_map(|(key, part)| Some((visible(key), misspelt(key, part)?)));
            if let Some((key, meant)) = slip {
                let why = format!(
                    "'{key}' isn't a key of an envelope; did you mean '{meant}'? If the whole object is the \
                     response, put it inside 'response'"
                );
                let line = (first_line > 1).then_some(first_line);
                let place = Place { file: name.into(), line, ..Place::default() };
                self.broken = Some(origin.told(Error::at(ErrorKind::MalformedSubject(why), place)));
                return named;
            }
        }
        for (at, (key, part)) in parts.iter().enumerate() {
            let Some((about, is_file)) = envelope_key(key) else {
                let hint = misspelt(key, part).map(|meant| format!("; did you mean '{meant}'?"));
                let key = visible(key);
                let hint = hint.unwrap_or_else(|| match &*key {
                    "messages" if !has("trajectory") => "; put 'messages' inside 'trajectory'".to_owned(),
                    _ => String::new(),
                });
                self.warnings.push(format!("{called} is an envelope; its key '{key}' is ignored{hint}"));
                continue;
            };
            let unobtainable = |why: &str| Error::new(ErrorKind::Unobtainable(format!("{name}: {why}")));
            if parts[at + 1..].iter().any(|(later, _)| later == key) {
                self.warnings.push(format!("'{key}' appears twice in {name}; the last value is used"));
            } else if is_file && has(about.subject()) {
                self.miss(
                    about,
                    Error::new(ErrorKind::Unobtainable(format!(
                        "{name} has both '{}' and '{key}'; keep one",
                        about.subject()
                    ))),
                );
            } else if is_file {
                match serde_json::from_str::<String>(part.get()) {
                    Ok(file) if !file.is_empty() => named.push(Named { about, file }),
                    _ => self.miss(about, unobtainable(&format!("'{key}' must be a file name"))),
                }
            } else if !has(&format!("{key}_file")) && part.get() != "null" {
                let bytes = part.get().as_bytes().to_vec();
                let (line, column) = position(text, part.get());
                let at = (line + first_line - 1, column);
                let artifact = Artifact { name: name.to_owned(), bytes, is_text: false, origin, at };
                self.put(about, artifact, reading);
            }
        }
        named
    }

    /// That only a part of what came is there, of which nothing can be told.
    pub fn cut(why: &str) -> Answer {
        let error = Error::new(ErrorKind::NotEvaluable(why.to_owned()));
        Answer { broken: Some(error), ..Answer::default() }
    }

    /// Nothing came, for this reason.
    pub fn missing(why: Error) -> Answer {
        Answer { broken: Some(why), ..Answer::default() }
    }

    /// What was recorded in a file that holds nothing else; a `.txt` file is a text.
    pub fn recorded(about: About, name: &str, bytes: Vec<u8>) -> Answer {
        let mut answer = Answer::default();
        answer.take(about, name, bytes, Origin::File, &Reading::default());
        answer
    }

    /// What stands in a case.
    pub fn of_values<'v>(values: impl Iterator<Item = (About, &'v Value)>) -> Answer {
        let mut answer = Answer::default();
        for (about, value) in values {
            let bytes = value.to_string().into_bytes();
            let name = about.subject().to_owned();
            let artifact = Artifact { name, bytes, is_text: false, origin: Origin::Case, at: (1, 1) };
            answer.put(about, artifact, &Reading::default());
        }
        let names: Vec<&str> = answer.artifacts.iter().map(|(about, _)| about.subject()).collect();
        answer.came = format!("the case contains {}", names.join(", "));
        answer
    }

    /// Takes what stands in a file that the output named.
    pub fn take(&mut self, about: About, name: &str, bytes: Vec<u8>, origin: Origin, reading: &Reading<'_>) {
        let is_text = about == About::Response && is_text_file(name);
        let name = visible(name).into_owned();
        self.put(about, Artifact { name, bytes, is_text, origin, at: (1, 1) }, reading);
    }

    /// Takes an artifact. A trace in another format is read as the run that it tells; what that run answered in the end is
    /// the response, unless there is one.
    fn put(&mut self, about: About, mut artifact: Artifact, reading: &Reading<'_>) {
        if about == About::Trajectory
            && artifact.origin != Origin::Case
            && let Some(read) = traced::read(&artifact.bytes, reading)
        {
            match read {
                Err(why) => {
                    let kind = ErrorKind::MalformedSubject(why);
                    let (line, column) = if artifact.at == (1, 1) {
                        (None, None)
                    } else {
                        (Some(artifact.at.0), Some(artifact.at.1))
                    };
                    let place = Place { file: (&*artifact.name).into(), line, column, ..Place::default() };
                    self.miss(about, artifact.origin.told(Error::at(kind, place)));
                    return;
                }
                Ok(Traced { native, answer, warnings }) => {
                    self.messages = messages(&artifact.bytes);
                    artifact.bytes = native;
                    self.warnings.extend(warnings);
                    let has_answer = self.artifacts.iter().any(|(known, _)| *known == About::Response);
                    if let Some(answer) = answer.filter(|_| !has_answer) {
                        let bytes = answer.into_bytes();
                        let said =
                            Artifact { name: artifact.name.clone(), bytes, is_text: false, ..artifact };
                        self.artifacts.insert(0, (About::Response, said));
                    }
                }
            }
        }
        self.artifacts.push((about, artifact));
    }

    /// Keeps why a part that was named can't be read.
    pub fn miss(&mut self, about: About, why: Error) {
        self.missed.push((about, why));
    }

    /// Returns true if all that came is text that isn't JSON.
    pub fn is_plain_text(&self) -> bool {
        !self.artifacts.is_empty() && self.artifacts.iter().all(|(_, artifact)| artifact.is_text)
    }

    /// The parts that came or should have, in the order of [`About::ALL`].
    pub fn parts(&self) -> Vec<About> {
        let came = |about: &About| self.artifacts.iter().any(|(known, _)| known == about);
        let missed = |about: &About| self.missed.iter().any(|(known, _)| known == about);
        About::ALL.iter().copied().filter(|about| came(about) || missed(about)).collect()
    }

    /// Returns the messages of the trace that the run was read from: a list of objects with `role`.
    pub fn messages(&self) -> Option<&RawValue> {
        self.messages.as_deref()
    }

    /// One of the things that came.
    pub fn artifact(&self, about: About) -> Result<&Artifact, Error> {
        if let Some((_, found)) = self.artifacts.iter().rev().find(|(known, _)| *known == about) {
            return Ok(found);
        }
        let missed = self.missed.iter().find(|(known, _)| *known == about).map(|(_, why)| why);
        Err(missed.or(self.broken.as_ref()).cloned().unwrap_or_else(|| {
            let message = format!("there is no {}: {}", about.subject(), self.came);
            Error::new(ErrorKind::Unobtainable(message))
        }))
    }

    /// What the run cost with all its sub-agents, where one came and records that.
    pub fn cost(&self) -> Option<f64> {
        let artifact = self.artifact(About::Trajectory).ok()?;
        artifact.read::<TrajectoryAssertion>(&TrajectoryAssertion::whole()).ok()?.subject.cost()
    }

    /// Everything that came.
    pub fn artifacts(&self) -> impl Iterator<Item = (About, &Artifact)> {
        self.artifacts.iter().map(|(about, artifact)| (*about, artifact))
    }
}

impl Artifact {
    /// The bytes that it is.
    pub fn written(&self) -> Written<'_> {
        if self.is_text { Written::Text(&self.bytes) } else { Written::Json(&self.bytes) }
    }

    /// Reads it in a vocabulary. Errors say where it stands in the whole output.
    pub fn read<A: Vocabulary>(&self, setting: &A::Setting) -> Result<Read<A::Subject<'_>>, Error> {
        self.written().read::<A>(setting, &self.name, None).map_err(|error| self.told(error))
    }

    /// What is wrong with it, as whoever asks is told.
    pub(super) fn told(&self, mut error: Error) -> Error {
        if let Some(place) = &mut error.place {
            let (line, column) = self.at;
            place.column = place.column.map(|own| if place.line == Some(1) { own + column - 1 } else { own });
            place.line = place.line.map(|own| own + line - 1);
        }
        self.origin.told(meant_as_json(error, &self.bytes))
    }
}

impl Origin {
    fn told(self, error: Error) -> Error {
        match self {
            Origin::Run => Error::new(ErrorKind::Unobtainable(error.to_string())),
            Origin::File => error,
            Origin::Case => Error::new(error.kind),
        }
    }
}

/// The members of a JSON object, as they are written.
type Parts<'t> = Vec<(&'t str, &'t RawValue)>;

/// Returns true for a JSON object that is an envelope.
pub fn is_envelope(json: &[u8]) -> bool {
    let json = json.strip_prefix(BYTE_ORDER_MARK).unwrap_or(json).trim_ascii();
    may_be_envelope(json) && std::str::from_utf8(json).is_ok_and(|text| envelope(text).is_some())
}

/// Returns false for most of what is no envelope without reading it: an envelope's first key is one that it may have, or it has a
/// response and other keys.
fn may_be_envelope(json: &[u8]) -> bool {
    let first =
        json.strip_prefix(b"{").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"\""));
    let Some(first) = first else { return false };
    let key = memchr::memchr(b'"', first).map_or(first, |end| &first[..end]);
    std::str::from_utf8(key).is_ok_and(|key| envelope_key(key).is_some() || slip_of(key).is_some())
        || memchr::memmem::find(first, b"\"response").is_some()
}

/// The members of an envelope: of an object with no other keys, or with an answer and something beside it. One in which
/// a key is misspelt is an envelope, too, of which nothing can be told.
fn envelope(text: &str) -> Option<Parts<'_>> {
    let parts = members(text)?;
    let has_slip = || {
        parts.iter().any(|(key, _)| envelope_key(key).is_some())
            && parts.iter().any(|(key, part)| misspelt(key, part).is_some())
            && About::of_subject(text.as_bytes()) == About::Response
            && !traced::is_trace(text.as_bytes())
    };
    (is_meant(&parts) || has_slip()).then_some(parts)
}

/// Whether the keys of an object are those of an envelope.
fn is_meant(parts: &Parts<'_>) -> bool {
    let known = parts.iter().filter(|(key, _)| envelope_key(key).is_some()).count();
    let has_response = parts.iter().any(|(key, _)| matches!(envelope_key(key), Some((About::Response, _))));
    known > 0 && (known == parts.len() || (has_response && known > 1))
}

/// The messages in a trace that is a list of them, or that has them under `messages`.
fn messages(trace: &[u8]) -> Option<Box<RawValue>> {
    #[derive(Deserialize)]
    struct Message {
        #[serde(rename = "role")]
        _role: String,
    }
    let text = std::str::from_utf8(trace).ok()?.trim();
    let list = if text.starts_with('[') {
        text
    } else {
        members(text)?.into_iter().rfind(|(key, _)| *key == "messages")?.1.get()
    };
    serde_json::from_str::<Vec<Message>>(list).ok().filter(|messages| !messages.is_empty())?;
    RawValue::from_string(list.to_owned()).ok()
}

fn members(text: &str) -> Option<Parts<'_>> {
    struct Members;
    impl<'t> Visitor<'t> for Members {
        type Value = Parts<'t>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<Self::Value, A::Error> {
            std::iter::from_fn(|| members.next_entry().transpose()).collect()
        }
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let parts = json.deserialize_map(Members).ok()?;
    json.end().ok().map(|()| parts)
}

/// The line and the column of a part of a text.
fn position(text: &str, part: &str) -> (usize, usize) {
    let at = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len());
    let before = &text[..text.floor_char_boundary(at)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// How a text begins, in one line.
fn beginning(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(50).collect();
    cut(&words.join(" ")).into_owned()
}

fn is_text_file(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".txt")
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text).is_ok()
}

/// Adds a hint for text that only looks like JSON: `[INFO] started`, a Python dictionary, JSON with logs below it.
fn meant_as_json(error: Error, bytes: &[u8]) -> Error {
    let text = bytes.trim_ascii_start();
    let may_follow: &[u8] = match text.first() {
        Some(b'{') => b"\"}",
        Some(b'[') => b"\"{[]-0123456789tfn",
        _ => return error,
    };
    if matches!(text, [b'{', b'\'', ..] | [b'[', b'{', b'\'', ..]) {
        return error.retold(|told| format!("{told}; this looks like a Python dict, print json.dumps(…)"));
    }
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<serde::de::IgnoredAny>();
    if let Some(Ok(_)) = values.next() {
        return error.retold(|told| format!("{told}; print nothing after the JSON, send logs to stderr"));
    }
    let next = text[1..].trim_ascii_start().first().copied();
    let is_text = next.is_some_and(|next| !may_follow.contains(&next));
    let told = |told: &str| format!("{told}; text that starts with {{ or [ is read as JSON");
    if is_text { error.retold(told) } else { error }
}

/// Finds the line below the first at which JSON starts that fills the line, or continues to the end of the text.
pub fn json_below(text: &str) -> Option<usize> {
    /// Nobody logs more than this before noticing.
    const SEARCHED_LINES: usize = 200;
    let mut start = 0;
    for (index, line) in text.split_inclusive('\n').take(SEARCHED_LINES).enumerate() {
        if index > 0 && line.starts_with(['{', '[']) && (is_json(line) || is_json(&text[start..])) {
            return Some(index + 1);
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(output: &str) -> Vec<(&'static str, String)> {
        let (answer, _) = Answer::of_output(output.as_bytes(), "stdout", None, Origin::Run);
        let told = |(about, artifact): (About, &Artifact)| {
            (about.subject(), String::from_utf8_lossy(artifact.written().bytes()).into_owned())
        };
        answer.artifacts().map(told).collect()
    }

    #[test]
    fn an_envelope_has_no_other_keys() {
        assert_eq!(sorted(r#"{"response": {"a": 1}}"#), [("response", r#"{"a": 1}"#.to_owned())]);
        let other = r#"{"response": 1, "status": 2}"#;
        assert_eq!(sorted(other), [("response", other.to_owned())]);
        let (answer, _) =
            Answer::of_output(br#"{"response": 1, "report": null, "usage": 2}"#, "stdout", None, Origin::Run);
        assert_eq!(answer.artifacts().count(), 1);
        assert_eq!(answer.warnings, ["stdout is an envelope; its key 'usage' is ignored"]);
        let told = answer.artifact(About::Trajectory).unwrap_err().to_string();
        assert_eq!(told, "there is no trajectory: stdout contains response, report (null), usage");
        let (twice, _) = Answer::of_output(br#"{"response": 1, "response": 2}"#, "stdout", None, Origin::Run);
        assert_eq!(twice.warnings, ["'response' appears twice in stdout; the last value is used"]);
        assert_eq!(twice.artifact(About::Response).unwrap().written().bytes(), b"2");
        assert_eq!(sorted("{}"), [("response", "{}".to_owned())]);
        assert_eq!(sorted(r#"{"trajectory": {"steps": []}, "response": "x"}"#).len(), 2);
    }

    #[test]
    fn a_misspelt_key_of_an_envelope_is_an_error() {
        let slips = [
            (r#"{"response": "ok", "trajectry": {"steps": []}}"#, "'trajectry'", "'trajectory'"),
            (r#"{"response": "ok", "reprot": {}}"#, "'reprot'", "'report'"),
            (r#"{"response": "ok", "trajectoryFile": "a.json"}"#, "'trajectoryFile'", "'trajectory_file'"),
            (r#"{"respnse": "ok", "trajectory": {"steps": []}}"#, "'respnse'", "'response'"),
        ];
        for (output, key, meant) in slips {
            assert!(is_envelope(output.as_bytes()), "{output}");
            let (answer, _) = Answer::of_output(output.as_bytes(), "stdout", None, Origin::Run);
            assert_eq!(answer.artifacts().count(), 0, "{output}");
            for about in [About::Response, About::Trajectory] {
                let told = answer.artifact(about).unwrap_err().to_string();
                let wanted =
                    format!("stdout: {key} isn't a key of an envelope; did you mean {meant}? If the whole");
                assert!(told.starts_with(&wanted), "{told}");
            }
        }
        for whole in [
            r#"{"response": "ok", "export": {}}"#,
            r#"{"response": "ok", "reports": 2}"#,
            r#"{"response": "ok", "import": [], "status": 1}"#,
        ] {
            assert_eq!(sorted(whole), [("response", whole.to_owned())]);
        }
        let extra = br#"{"response": 1, "report": null, "trajectry": {}}"#;
        let (answer, _) = Answer::of_output(extra, "stdout", None, Origin::Run);
        assert_eq!(
            answer.warnings,
            ["stdout is an envelope; its key 'trajectry' is ignored; did you mean 'trajectory'?"]
        );
    }

    #[test]
    fn messages_beside_a_response_are_an_error() {
        for (response, messages) in [
            (r#""ok""#, r#"[{"rol": "user"}]"#),
            (r#""ok""#, r#"[{"role": "user", "content": "x"}]"#),
            (r#"{"status": "error"}"#, r#"[{"role": "assistant", "content": "x"}]"#),
        ] {
            let output = format!(r#"{{"response": {response}, "messages": {messages}}}"#);
            let (answer, _) = Answer::of_output(output.as_bytes(), "stdout", None, Origin::Run);
            for about in [About::Response, About::Trajectory] {
                let told = answer.artifact(about).unwrap_err().to_string();
                assert!(
                    told.starts_with("stdout: 'messages' isn't a key of an envelope; put it inside"),
                    "{told}"
                );
            }
        }
        let (answer, _) =
            Answer::of_output(br#"{"response": "ok", "messages": ["a"]}"#, "stdout", None, Origin::Run);
        assert!(answer.warnings.is_empty() && answer.artifact(About::Response).is_ok());
        // The response of a model, recorded with the request.
        let call = br#"{"model": "m", "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": null,
            "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "{}"}],
            "response": {"choices": [{"message": {"role": "assistant", "content": "y"}, "finish_reason": "stop"}]}}"#;
        let (answer, _) = Answer::of_output(call, "stdout", None, Origin::Run);
        assert!(answer.artifact(About::Trajectory).is_ok());
    }

    #[test]
    fn an_answer_of_another_name_beside_messages_is_warned_of() {
        let output = br#"{"answer": "no", "messages": [{"role": "assistant", "content": "yes"}]}"#;
        let (answer, _) = Answer::of_output(output, "stdout", None, Origin::Run);
        assert_eq!(answer.warnings.len(), 1);
        assert!(answer.warnings[0].contains("its key 'answer' is ignored"), "{:?}", answer.warnings);
        let plain = br#"{"metadata": "no", "messages": [{"role": "assistant", "content": "yes"}]}"#;
        assert!(Answer::of_output(plain, "stdout", None, Origin::Run).0.warnings.is_empty());
    }

    #[test]
    fn a_trace_in_an_envelope_is_refused_as_it_is_outside_of_one() {
        for (trace, why) in [
            (
                r#"{"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[{"name":"refund"}]}]}"#,
                "; closest: openai-chat (",
            ),
            (r#"{"messages":[{"rol":"user"}]}"#, "; closest: openai-chat (message 1: no 'role'); native"),
            (r#"{"mesages":[]}"#, "; closest: openai-chat ('messages' is missing; found 'mesages', did"),
            ("[1]", " (a number); native runs need 'steps'"),
            (r#""words""#, " (a string); native runs need 'steps'"),
        ] {
            let output = format!(r#"{{"response":"ok","trajectory":{trace}}}"#);
            for (name, origin) in [("stdout", Origin::Run), ("a.json", Origin::File)] {
                let (answer, _) = Answer::of_output(output.as_bytes(), name, None, origin);
                let told = answer.artifact(About::Trajectory).unwrap_err().to_string();
                let wanted = format!("{name}:1:31: unrecognized trace format{why}");
                assert!(told.starts_with(&wanted), "{told}");
            }
        }
        // What tries to be a native run is judged as one.
        let native = br#"{"response":"ok","trajectory":{"steps":[{"step_type":"x"}]}}"#;
        let (answer, _) = Answer::of_output(native, "stdout", None, Origin::Run);
        assert!(answer.artifact(About::Trajectory).is_ok());
    }

    #[test]
    fn one_thing_is_what_it_looks_like() {
        assert_eq!(sorted(r#"{"steps": []}"#)[0].0, "trajectory");
        assert_eq!(sorted("plain words")[0].0, "response");
        assert!(sorted(" \n").is_empty());
    }

    #[test]
    fn half_of_a_document_is_an_error_of_the_agent() {
        let (answer, _) = Answer::of_output(br#"{"status": "succ"#, "stdout", None, Origin::Run);
        let error = answer.artifact(About::Response).unwrap_err();
        assert_eq!(error.category(), crate::Category::Runtime);
        assert!(error.to_string().contains("not JSON: unexpected end of input in a string"), "{error}");
    }

    #[test]
    fn logs_beside_json_are_an_error() {
        let refused = |output: &str, only| {
            let (answer, _) = Answer::of_output(output.as_bytes(), "stdout", only, Origin::Run);
            answer.artifact(About::Response).unwrap_err().to_string()
        };
        for only in [None, Some(About::Response)] {
            let told = refused("INFO up\nINFO on\n{\"a\": 1}\n", only);
            assert!(
                told.starts_with("stdout isn't valid JSON (JSON starts on line 3); send logs to stderr"),
                "{told}"
            );
        }
        assert!(refused("{\"a\": 1}\nINFO done\n", None).ends_with("send logs to stderr"));
        assert!(refused("{'a': None}", None).ends_with("this looks like a Python dict, print json.dumps(…)"));
        assert!(
            refused("[INFO] started", None).ends_with("text that starts with { or [ is read as JSON"),
            "{}",
            refused("[INFO] started", None)
        );
        let (answer, _) = Answer::of_output(b"Dear all,\n[sic]\n", "stdout", None, Origin::Run);
        assert!(answer.artifact(About::Response).is_ok());
    }

    #[test]
    fn what_did_not_come_is_told_with_what_did() {
        let (answer, _) = Answer::of_output(b"{\"status\": 1}", "stdout", None, Origin::Run);
        let error = answer.artifact(About::Trajectory).unwrap_err().to_string();
        assert_eq!(error, "there is no trajectory: stdout is a response: {\"status\": 1}");
    }

    #[test]
    fn the_messages_of_a_trace_are_kept() {
        let messages = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]"#;
        for output in [
            messages.to_owned(),
            format!("{{\"messages\": {messages}}}"),
            format!("{{\"response\": 1, \"trajectory\": {{\"messages\": {messages}}}}}"),
        ] {
            let (answer, _) = Answer::of_output(output.as_bytes(), "stdout", None, Origin::Run);
            assert_eq!(answer.messages().map(RawValue::get), Some(messages), "{output}");
        }
        for none in [r#"{"steps": []}"#, r#"{"messages": []}"#, r#"{"messages": [1]}"#, "[]", "no"] {
            assert!(super::messages(none.as_bytes()).is_none(), "{none}");
        }
    }

    #[test]
    fn files_are_named() {
        let (_, named) = Answer::of_output(br#"{"trajectory_file": "t.json"}"#, "stdout", None, Origin::Run);
        assert_eq!(named, [Named { about: About::Trajectory, file: "t.json".to_owned() }]);
    }
}
