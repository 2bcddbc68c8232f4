//! A trace file: what its records are, which format they are in, and the runs that they become.

use std::fmt;

use serde::de::{DeserializeSeed, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::closest;
use super::detect::{VOTERS, Vote};
use super::refusal::not_json;
use super::unsupported::Unsupported;
use super::{Given, NoRuns, Note, NoteKind, Reading, Record, Recorded, RunId, Stray, TraceFormat};
use crate::trajectory::model::Trajectory;
use crate::value::tree::HEAVIEST;
use crate::value::{Malformed, Tree, Value};

/// How many bytes of records are held at most until it is settled which format they are in.
const HELD: usize = 16 << 20;

/// Where what is read goes.
pub type Hand<'h> = &'h mut dyn FnMut(Given);

/// A trace file that is read record by record. Only what its runs are made of is kept.
pub struct TraceFile {
    state: State,
    /// How many records came, whether they could be used or not.
    records: usize,
    /// How much the records weigh that the next run may be made of.
    weight: usize,
    /// How much they may weigh.
    heaviest: usize,
    /// Whether the format was given, and what the records speak for all the same.
    is_forced: bool,
    beside: Vote,
    /// How many lines aren't JSON, and what the first of them is.
    not_json: usize,
    first_line: String,
}

enum State {
    /// It is not settled yet which format it is.
    Open {
        vote: Vote,
        held: Vec<Held>,
        bytes: usize,
    },
    Settled(TraceFormat, Box<Reading>),
    /// It cannot be settled.
    Undecided(NoRuns),
}

/// What came before the format was settled.
#[derive(Clone)]
pub(super) enum Held {
    /// A record, its place, and how many bytes it was.
    Record(Record, RunId, usize),
    Stray(Stray),
}

impl Held {
    /// The JSON of a record.
    pub(super) fn record(&self) -> Option<&Value> {
        match self {
            Held::Record(record, ..) => Some(&record.value),
            Held::Stray(_) => None,
        }
    }

    /// How many bytes it was.
    pub(super) fn size(&self) -> usize {
        match self {
            Held::Record(_, _, size) => *size,
            Held::Stray(stray) => stray.why.len(),
        }
    }
}

impl TraceFile {
    /// A file in a format, or in the one that most of its records speak for.
    pub fn new(format: Option<TraceFormat>) -> TraceFile {
        let state = match format {
            Some(format) => State::Settled(format, Box::new(Reading::new(format))),
            None => State::Open { vote: Vote::default(), held: Vec::new(), bytes: 0 },
        };
        let (weight, heaviest, beside) = (0, HEAVIEST, Vote::default());
        let (is_forced, not_json, first_line) = (format.is_some(), 0, String::new());
        TraceFile { state, records: 0, weight, heaviest, is_forced, beside, not_json, first_line }
    }

    /// The format, once it is settled.
    pub fn format(&self) -> Option<TraceFormat> {
        match &self.state {
            State::Settled(format, _) => Some(*format),
            State::Open { .. } | State::Undecided(_) => None,
        }
    }

    /// Whether it is known that no run can come of it, so that no more of it need be read.
    pub fn is_hopeless(&self) -> bool {
        matches!(self.state, State::Undecided(_))
    }

    /// Takes one document that is the whole file. The items of a list are records.
    pub fn document(&mut self, bytes: &[u8], hand: Hand<'_>) -> Result<(), Malformed> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii_start().first() == Some(&b'[') {
            return self.list(bytes, hand);
        }
        let record = parse_tree(bytes)?;
        self.part(record, RunId::Whole, bytes.len(), hand);
        Ok(())
    }

    /// Takes a list item by item, so that one of them is held at a time. One that breaks off is taken as far as it goes.
    fn list(&mut self, bytes: &[u8], hand: Hand<'_>) -> Result<(), Malformed> {
        let cleaned = without_nan(bytes);
        let bytes = cleaned.as_deref().unwrap_or(bytes);
        let items = Items { file: self, hand };
        let mut json = serde_json::Deserializer::from_slice(bytes);
        match items.deserialize(&mut json).and_then(|()| json.end()) {
            Ok(()) => Ok(()),
            Err(error) if error.is_eof() && self.records > 0 => {
                let (id, why) = (RunId::Line(error.line()), BREAKS_OFF.to_owned());
                self.met(Stray { id, kind: NoteKind::Truncated, why }, hand);
                Ok(())
            }
            Err(error) => Err(Tree::read(bytes).err().unwrap_or_else(|| Malformed::from(&error))),
        }
    }

    /// Takes the next line of a file of lines. `is_last` is true of one that no line feed ends.
    pub fn line(&mut self, number: usize, line: &[u8], is_last: bool, hand: Hand<'_>) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        let Some(line) = event(line) else { return };
        match parse_tree(line) {
            Ok(record) => return self.part(record, RunId::Line(number), line.len(), hand),
            Err(_) if is_last && line.first().is_some_and(|first| b"{[\"".contains(first)) => {
                self.records += 1;
                let (id, why) = (RunId::Line(number), BREAKS_OFF.to_owned());
                self.met(Stray { id, kind: NoteKind::Truncated, why }, hand);
            }
            Err(malformed) => self.stray(number, format!("not JSON: {}", malformed.message), hand),
        }
        if self.not_json == 0 {
            self.first_line = not_json(number, line);
        }
        self.not_json += 1;
    }

    /// Passes over a line that could not be read, whatever it was.
    pub fn pass_over(&mut self, number: usize, why: &str, hand: Hand<'_>) {
        self.stray(number, why.to_owned(), hand);
    }

    /// Notes a file that belongs to this one and could not be read: steps are unknown. `what` names it, and says why.
    pub fn skip_companion(&mut self, what: String, hand: Hand<'_>) {
        self.met(Stray { id: RunId::Whole, kind: NoteKind::UnreadFile, why: what }, hand);
    }

    fn stray(&mut self, number: usize, why: String, hand: Hand<'_>) {
        self.records += 1;
        self.met(Stray { id: RunId::Line(number), kind: NoteKind::StrayRecord, why }, hand);
    }

    /// Takes a record that may be a part of a run, as long as all of its parts can be held.
    fn part(&mut self, tree: Tree, id: RunId, size: usize, hand: Hand<'_>) {
        self.weight += tree.weight;
        if self.weight > self.heaviest {
            self.state = State::Undecided(NoRuns::TooHeavy);
        }
        self.record(tree.into(), id, size, hand);
        if matches!(&self.state, State::Settled(_, reading) if reading.each_is_run == Some(true)) {
            self.weight = 0;
        }
    }

    /// Takes a record that stands by itself in its container. `size` is how many bytes it was.
    pub fn record(&mut self, record: Record, id: RunId, size: usize, hand: Hand<'_>) {
        self.records += 1;
        match &mut self.state {
            State::Settled(_, reading) => {
                if self.is_forced && self.beside.asked < VOTERS {
                    self.beside.ask(&record.value);
                }
                reading.record(record, id, hand);
            }
            State::Undecided(_) => {}
            State::Open { vote, held, bytes } => {
                vote.ask(&record.value);
                held.push(Held::Record(record, id, size));
                *bytes += size;
                if vote.asked >= VOTERS || *bytes >= HELD {
                    self.settle(hand);
                }
            }
        }
    }

    fn met(&mut self, stray: Stray, hand: Hand<'_>) {
        match &mut self.state {
            State::Settled(_, reading) => reading.stray(stray, hand),
            State::Undecided(_) => {}
            State::Open { held, bytes, .. } => {
                *bytes += stray.why.len() + size_of::<Held>();
                held.push(Held::Stray(stray));
                if *bytes >= HELD {
                    self.settle(hand);
                }
            }
        }
    }

    /// Settles the format, and reads what was held.
    fn settle(&mut self, hand: Hand<'_>) {
        let State::Open { vote, held, .. } = &mut self.state else { return };
        let winner = vote.winner().or_else(|undecided| match &undecided {
            NoRuns::Ambiguous(formats) => agreed(formats, held).ok_or(undecided),
            _ => Err(undecided),
        });
        let (format, held) = match winner {
            Ok(format) => (format, std::mem::take(held)),
            Err(NoRuns::Unknown { asked: 0, .. }) => {
                let first = held.iter().find_map(|held| match held {
                    Held::Stray(stray) => Some(stray.to_string()),
                    Held::Record(..) => None,
                });
                self.state = State::Undecided(if self.not_json > 0 {
                    NoRuns::NotJson { first: self.first_line.clone() }
                } else {
                    NoRuns::Empty(first.unwrap_or_default())
                });
                return;
            }
            Err(undecided) => {
                self.state = State::Undecided(closest::explained(undecided, held));
                return;
            }
        };
        let reading = read_held(format, held, hand);
        self.state = State::Settled(format, Box::new(reading));
    }

    /// Ends the file. Answers with its format; a file that gives nothing is an error.
    pub fn finish(mut self, hand: Hand<'_>) -> Result<TraceFormat, NoRuns> {
        if self.records == 0 {
            return Err(NoRuns::Empty("contains no records".to_owned()));
        }
        if self.records == self.not_json {
            return Err(NoRuns::NotJson { first: self.first_line });
        }
        self.settle(hand);
        let (format, mut reading) = match self.state {
            State::Settled(format, reading) => (format, reading),
            State::Undecided(why) => return Err(why),
            State::Open { .. } => return Err(NoRuns::Empty("contains no records".to_owned())),
        };
        if let Some(refusal) = reading.refusal() {
            return Err(refusal);
        }
        if let Ok(likely) = self.beside.winner()
            && likely != format
        {
            reading.looks_like(likely, hand);
        }
        let was_given = reading.each_is_run.is_some();
        match reading.finish(hand) {
            Some(notes) if !was_given => {
                let notes = notes.sorted();
                let notes: Vec<String> = match &*notes {
                    // There is nothing but what was not understood.
                    [Note { kind: NoteKind::StrayRecord, count: 1, first }] => vec![first.clone()],
                    notes => notes.iter().map(ToString::to_string).collect(),
                };
                let why = if notes.is_empty() { String::new() } else { format!(": {}", notes.join("; ")) };
                Err(NoRuns::Empty(format!("no run in this {format} trace{why}")))
            }
            _ => Ok(format),
        }
    }
}

/// Reads what was held in the format that was detected.
fn read_held(format: TraceFormat, held: Vec<Held>, hand: Hand<'_>) -> Reading {
    let mut reading = Reading { is_detected: true, ..Reading::new(format) };
    for held in held {
        match held {
            Held::Record(record, id, _) => reading.record(record, id, hand),
            Held::Stray(stray) => reading.stray(stray, hand),
        }
    }
    reading
}

/// The first of several formats, where records are the same runs in all of them: a talk without tools, for one.
fn agreed(formats: &[TraceFormat], held: &[Held]) -> Option<TraceFormat> {
    let read = |format: &TraceFormat| {
        let mut runs = Vec::new();
        let mut keep = |given: Given| {
            runs.extend(given.run().map(|run| (run.id, Trajectory { source: None, ..run.trajectory })));
        };
        read_held(*format, held.to_vec(), &mut keep).finish(&mut keep);
        runs
    };
    let (first, others) = formats.split_first()?;
    let runs = read(first);
    (!runs.is_empty() && others.iter().all(|other| read(other) == runs)).then_some(*first)
}

/// What is said of a last line that is not all there.
const BREAKS_OFF: &str = "cut off before its end";

/// Reads all of a file that is held in memory. `are_lines` says that its lines are documents, where that is known.
pub fn read_trace(
    bytes: &[u8],
    format: Option<TraceFormat>,
    are_lines: bool,
    hand: Hand<'_>,
) -> Result<TraceFormat, NoRuns> {
    let mut file = TraceFile::new(format);
    if are_lines || Layout::of(bytes) == Layout::Lines {
        each_line(bytes, |number, line, is_last| file.line(number, line, is_last, hand));
        return file.finish(hand);
    }
    match file.document(bytes, hand) {
        Ok(()) => file.finish(hand),
        // A first line that breaks off makes lines look like a document. If they are no lines, it is broken where it breaks.
        Err(malformed) if bytes.trim_ascii_start().first() == Some(&b'{') && has_document_below(bytes) => {
            read_trace(bytes, format, true, hand).map_err(|why| match why {
                NoRuns::TooHeavy => NoRuns::TooHeavy,
                _ => NoRuns::Malformed(malformed),
            })
        }
        Err(malformed) => Err(NoRuns::Malformed(malformed)),
    }
}

/// Reads a record that is a run by itself in the format that was [found](probe), or says why it is none.
pub fn read_record(record: Record, format: TraceFormat, id: RunId) -> Result<Recorded, String> {
    if let Some(unsupported) = Unsupported::recognize(&record.value) {
        return Err(unsupported.refusal().cause());
    }
    let fits = format.claim(&record.value).weight > 0;
    let Record { value, repeated_key } = record;
    let (mut reader, mut done) = (format.reader(), Vec::new());
    let place = id.clone();
    reader.record(value, id, &mut done)?;
    reader.finish(&mut done);
    let is_one = |run: &Recorded| fits || run.trajectory.unknown.steps;
    let mut run = done.into_iter().next().filter(is_one).ok_or_else(|| unlike(format))?;
    if let Some(key) = repeated_key {
        run.notes.add_repeated_key(&place, &key);
    }
    Ok(run)
}

/// Says that a record isn't a run in a format.
pub(super) fn unlike(format: TraceFormat) -> String {
    format!("not a run in the {format} format")
}

/// Which format the first lines of a file speak for, and whether each of them is a run by itself.
pub fn probe<'l>(lines: impl Iterator<Item = &'l [u8]>) -> Result<(TraceFormat, bool), NoRuns> {
    let mut vote = Vote::default();
    let records: Vec<Value> = lines
        .filter_map(|line| Some(parse_tree(event(line.trim_ascii())?).ok()?.value))
        .take(VOTERS)
        .collect();
    for record in &records {
        vote.ask(record);
    }
    let format = vote.winner()?;
    let runs = records.iter().filter(|record| format.claim(record).is_run).count();
    Ok((format, runs * 2 > records.len()))
}

/// How the JSON of a file is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One document.
    Document,
    /// A document a line, or an event.
    Lines,
}

impl Layout {
    /// As the beginning of a file tells, which holds its first line and what follows, if anything does.
    pub fn of(beginning: &[u8]) -> Layout {
        let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning).trim_ascii_start();
        if !text.first().is_some_and(|first| b"{[".contains(first)) {
            return Layout::Lines;
        }
        let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
        let (first, rest) = text.split_at(end);
        let is_whole = serde_json::from_slice::<IgnoredAny>(first).is_ok();
        if is_whole && !rest.trim_ascii().is_empty() { Layout::Lines } else { Layout::Document }
    }
}

/// Hands over the lines of a text with their numbers, and whether a line is the last and no line feed ends it.
fn each_line(bytes: &[u8], mut hand: impl FnMut(usize, &[u8], bool)) {
    let mut start = 0;
    for (number, end) in (1..).zip(memchr::memchr_iter(b'\n', bytes).chain([bytes.len()])) {
        hand(number, &bytes[start..end], end == bytes.len());
        start = (end + 1).min(bytes.len());
    }
}

/// Whether one of the next lines is a document by itself.
fn has_document_below(bytes: &[u8]) -> bool {
    /// So many lines are looked at.
    const LOOKED_AT: usize = 20;
    let mut lines = bytes.split(|byte| *byte == b'\n').skip(1).take(LOOKED_AT).map(<[u8]>::trim_ascii);
    lines.any(|line| {
        line.first() == Some(&b'{')
            && line.last() == Some(&b'}')
            && serde_json::from_slice::<IgnoredAny>(line).is_ok()
    })
}

/// The JSON of a line, without what marks it as an event of a stream; `None` where there is none.
fn event(line: &[u8]) -> Option<&[u8]> {
    if let Some(data) = line.strip_prefix(b"data:") {
        let data = data.trim_ascii();
        return (!data.is_empty() && data != b"[DONE]").then_some(data);
    }
    let is_other = [&b":"[..], b"event:", b"id:", b"retry:"].iter().any(|prefix| line.starts_with(prefix));
    (!line.is_empty() && !is_other).then_some(line)
}

/// A record. What Python writes beside JSON is read, too: `NaN` and infinities are null, and half of a character that is
/// written as two (`\ud83d`) is one that cannot be shown.
pub fn parse_record(bytes: &[u8]) -> Result<Record, Malformed> {
    parse_tree(bytes).map(Record::from)
}

fn parse_tree(bytes: &[u8]) -> Result<Tree, Malformed> {
    Tree::read(bytes).or_else(|malformed| {
        let without_nan = without_nan(bytes);
        let cleaned = whole_characters(without_nan.as_deref().unwrap_or(bytes)).or(without_nan);
        let cleaned = cleaned.ok_or_else(|| malformed.clone())?;
        Tree::read(&cleaned).map_err(|_| malformed)
    })
}

/// The same text with a replacement for every escape that is half of a character; `None` where there are none.
fn whole_characters(bytes: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut cleaned: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let here = at + found;
        at = match (unit(here), unit(here + 6)) {
            (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => here + 12,
            (Some(0xd800..0xe000), _) => {
                cleaned.get_or_insert_with(|| bytes.to_vec())[here..here + 6].copy_from_slice(b"\\ufffd");
                here + 6
            }
            _ => here + 2,
        };
        if at >= bytes.len() {
            break;
        }
    }
    cleaned
}

/// The same text with null for `NaN`, `Infinity` and `-Infinity` outside of strings; `None` where there are none.
fn without_nan(bytes: &[u8]) -> Option<Vec<u8>> {
    const NAMES: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];
    memchr::memmem::find(bytes, b"NaN").or(memchr::memmem::find(bytes, b"Infinity"))?;
    let mut cleaned = Vec::with_capacity(bytes.len());
    let (mut rest, mut in_string) = (bytes, false);
    while let Some((&byte, after)) = rest.split_first() {
        let name = NAMES.iter().find(|name| !in_string && rest.starts_with(name));
        if let Some(name) = name {
            cleaned.extend_from_slice(b"null");
            rest = &rest[name.len()..];
            continue;
        }
        cleaned.push(byte);
        rest = after;
        match byte {
            b'"' => in_string = !in_string,
            b'\\' if in_string => {
                if let Some((&escaped, after)) = rest.split_first() {
                    cleaned.push(escaped);
                    rest = after;
                }
            }
            _ => {}
        }
    }
    Some(cleaned)
}

/// Takes the items of a list one after the other.
struct Items<'a, 'h> {
    file: &'a mut TraceFile,
    hand: Hand<'h>,
}

impl<'de> DeserializeSeed<'de> for Items<'_, '_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(item) = items.next_element::<&'de RawValue>()? {
            number += 1;
            let written = item.get().as_bytes();
            let record =
                parse_tree(written).map_err(|malformed| serde::de::Error::custom(malformed.message))?;
            self.file.part(record, RunId::Item(number), written.len(), &mut *self.hand);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(
        format: Option<TraceFormat>,
        heaviest: usize,
        lines: &[&str],
    ) -> (usize, Result<TraceFormat, NoRuns>) {
        let mut file = TraceFile { heaviest, ..TraceFile::new(format) };
        let mut runs = 0;
        let mut hand = |given: Given| runs += usize::from(given.run().is_some());
        for (number, line) in (1..).zip(lines) {
            file.line(number, line.as_bytes(), false, &mut hand);
        }
        let ended = file.finish(&mut hand);
        (runs, ended)
    }

    #[test]
    fn the_records_of_a_run_weigh_no_more_than_can_be_held() {
        let message = r#"{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}"#;
        let weight = parse_tree(message.as_bytes()).unwrap().weight;
        for format in [None, Some(TraceFormat::OpenaiChat)] {
            assert_eq!(read(format, 3 * weight, &[message; 3]), (1, Ok(TraceFormat::OpenaiChat)));
            assert_eq!(read(format, 3 * weight - 1, &[message; 3]), (0, Err(NoRuns::TooHeavy)));
        }
    }

    #[test]
    fn records_that_are_runs_are_weighed_one_by_one() {
        let run = r#"{"messages": [{"role": "user", "content": [[1], [1]]}, {"role": "assistant", "content": "x"}]}"#;
        let weight = parse_tree(run.as_bytes()).unwrap().weight;
        let format = Some(TraceFormat::OpenaiChat);
        assert_eq!(read(format, weight, &[run; 5]), (5, Ok(TraceFormat::OpenaiChat)));
    }

    #[test]
    fn what_breaks_off_is_told_with_its_place() {
        let ended = |text: &str| {
            read_trace(text.as_bytes(), Some(TraceFormat::Inspect), false, &mut |_| {}).unwrap_err()
        };
        let line = ended("[1]\n{\"eval\": ");
        assert!(line.to_string().contains("line 2"), "{line}");
        let only = ended("\n{\"eval\": ");
        assert!(matches!(&only, NoRuns::Malformed(malformed) if malformed.line == 2), "{only:?}");
        // Below what is broken stands a document of its own, of another format.
        let document = ended("{\"eval\":\n!\n{\"role\": \"user\", \"content\": \"x\"}\n");
        assert!(matches!(&document, NoRuns::Malformed(malformed) if malformed.line == 2), "{document:?}");
    }
}
