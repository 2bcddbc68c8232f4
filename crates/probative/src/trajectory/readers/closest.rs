//! The formats that an unrecognized file comes closest to: it is read in each of them, and what doesn't fit is the reason.

use super::detect::VOTERS;
use super::file::Held;
use super::{Closest, Given, NoRuns, Note, Reading, Recorded, TraceFormat};
use crate::document::nearest;
use crate::value::Value;
use crate::value::excerpt::cut;

/// How many records, and how many bytes of them, are read in every format.
const MOST_RECORDS: usize = VOTERS;
const MOST_BYTES: usize = 1 << 20;

/// How many members of a record are looked at.
const MOST_MEMBERS: usize = 100;

/// How many keys of a record are named.
const MOST_KEYS: usize = 3;

/// Adds what is known about the records that were held to the reason for refusing them.
pub(super) fn explained(refusal: NoRuns, held: &[Held]) -> NoRuns {
    match refusal {
        NoRuns::Unknown { asked, has_steps, .. } => {
            let records = || held.iter().filter_map(Held::record);
            let only = if asked == 1 { records().next() } else { None };
            let part = only.and_then(trace_within);
            let mut closest = if part.is_none() { closest(held, &formats(), false) } else { Vec::new() };
            if part.is_none() && closest.is_empty() && !has_steps {
                closest.extend(held.iter().find(|held| held.record().is_some()).and_then(by_key));
            }
            NoRuns::Unknown {
                asked,
                has_steps,
                first: records().next().map(described).unwrap_or_default(),
                part,
                closest,
            }
        }
        NoRuns::TooFew { asked, resembles, .. } => {
            let formats: Vec<TraceFormat> = resembles.iter().map(|(format, _)| *format).collect();
            NoRuns::TooFew { asked, resembles, closest: closest(held, &formats, true) }
        }
        other => other,
    }
}

fn formats() -> Vec<TraceFormat> {
    TraceFormat::ALL.iter().filter(|format| **format != TraceFormat::Native).copied().collect()
}

/// The formats in which the records are a run, though not all of it can be read: those that read most of it come first.
/// `fit` says that some of the records are known to fit each of the formats.
fn closest(held: &[Held], formats: &[TraceFormat], fit: bool) -> Vec<Closest> {
    let (mut bytes, mut records) = (0, 0);
    let few = held.iter().take_while(|held| {
        bytes += held.size();
        records += usize::from(held.record().is_some());
        bytes <= MOST_BYTES && records <= MOST_RECORDS
    });
    let few: Vec<&Held> = few.collect();
    let mut attempts: Vec<(usize, Closest)> =
        formats.iter().filter_map(|format| attempt(*format, &few, fit)).collect();
    let least = attempts.iter().map(|(lost, _)| *lost).min().unwrap_or_default();
    // A few more or less say little: then the order of the formats, the best-known first, decides.
    attempts.sort_by_key(|(lost, _)| *lost > 2 * least);
    attempts.into_iter().map(|(_, closest)| closest).collect()
}

/// Reads records in a format. Returns how much was not understood, and the first such thing; `None` if nothing was understood.
fn attempt(format: TraceFormat, held: &[&Held], fits: bool) -> Option<(usize, Closest)> {
    let (mut runs, mut refused) = (Vec::<Recorded>::new(), Vec::new());
    let mut hand = |given: Given| match given {
        Given::Run(run) => runs.push(*run),
        Given::NoRun { id, why } => refused.push(id.located(&why)),
    };
    let mut reading = Reading::new(format);
    for held in held {
        match (*held).clone() {
            Held::Record(record, id, _) => reading.record(record, id, &mut hand),
            Held::Stray(stray) => reading.stray(stray, &mut hand),
        }
    }
    let (misfits, records) = (reading.misfits, reading.records);
    reading.finish(&mut hand);
    if !fits && misfits * 2 > records && records > 1 {
        return None;
    }
    let has_content = |run: &Recorded| {
        let run = &run.trajectory;
        !run.steps.is_empty() || run.input.is_some() || run.final_output.is_some()
    };
    if !fits && !runs.iter().any(has_content) {
        return None;
    }
    let notes: Vec<Note> = runs.into_iter().flat_map(|run| run.notes.sorted()).collect();
    let lossy = || notes.iter().filter(|note| note.kind.loses_steps());
    let lost = refused.len() + lossy().map(|note| note.count).sum::<usize>();
    let first = refused.first().cloned().or_else(|| lossy().next().map(|note| note.first.clone()))?;
    let why = match (records, misfits) {
        (1, _) | (_, 0) => first,
        (_, 1) => format!("1 of {records} records doesn't fit; {first}"),
        _ => format!("{misfits} of {records} records don't fit; {first}"),
    };
    Some((lost, Closest { format, why }))
}

/// A list that marks a format by its name.
struct Marked {
    key: &'static str,
    format: TraceFormat,
    /// What its items are called.
    item: &'static str,
    /// What keeps one from being such an item.
    why_not: fn(&Value) -> Option<String>,
}

static MARKED: &[Marked] = &[
    Marked {
        key: "messages",
        format: TraceFormat::OpenaiChat,
        item: "message",
        why_not: super::openai_chat::why_no_message,
    },
    Marked {
        key: "contents",
        format: TraceFormat::Gemini,
        item: "content",
        why_not: super::gemini::why_no_content,
    },
    Marked { key: "resourceSpans", format: TraceFormat::Otlp, item: "span", why_not: no_reason },
    Marked { key: "resource_spans", format: TraceFormat::Otlp, item: "span", why_not: no_reason },
];

/// Lists of these items are recognized whatever the items are.
fn no_reason(_: &Value) -> Option<String> {
    None
}

/// The format whose key a record has, though nothing in it can be read, and the first thing that doesn't fit.
fn by_key(held: &Held) -> Option<Closest> {
    let Held::Record(record, id, _) = held else { return None };
    let record = record.value.as_object()?;
    let misspelt = || {
        let lists = record.iter().take(MOST_MEMBERS).filter(|(_, member)| member.is_array());
        lists.into_iter().find_map(|(key, _)| {
            let meant = nearest(key, MARKED.iter().map(|marked| marked.key))?;
            let marked = MARKED.iter().find(|marked| marked.key == meant)?;
            let key = cut(key);
            Some((marked, format!("'{meant}' is missing; found '{key}', did you mean '{meant}'?")))
        })
    };
    let known = MARKED.iter().find_map(|marked| {
        let why = match record.get(marked.key)? {
            Value::Array(items) if items.is_empty() => format!("'{}' is empty", marked.key),
            Value::Array(items) => (1..).zip(items).take(MOST_RECORDS).find_map(|(number, item)| {
                Some(format!("{} {number}: {}", marked.item, (marked.why_not)(item)?))
            })?,
            _ => format!("'{}' isn't an array", marked.key),
        };
        Some((marked, why))
    });
    let (marked, why) = known.or_else(misspelt)?;
    Some(Closest { format: marked.format, why: id.located(&why) })
}

/// The member of a record that is a trace, and its format.
fn trace_within(record: &Value) -> Option<(String, TraceFormat)> {
    let members = record.as_object()?.iter().filter(|(_, member)| member.is_object() || member.is_array());
    members.take(MOST_MEMBERS).find_map(|(key, member)| {
        let mut vote = super::detect::Vote::default();
        vote.ask(member);
        Some((cut(key).into_owned(), vote.winner().ok()?))
    })
}

/// What a record is, in a few words: `an object with 'id' and 'text'`.
fn described(record: &Value) -> String {
    let Value::Object(members) = record else { return super::json::kind_of(record).to_owned() };
    let mut keys: Vec<String> = members.keys().take(MOST_KEYS).map(|key| format!("'{}'", cut(key))).collect();
    match members.len() {
        0 => return "an empty object".to_owned(),
        count if count > MOST_KEYS => keys.push(match count - MOST_KEYS {
            1 => "1 more key".to_owned(),
            more => format!("{more} more keys"),
        }),
        _ => {}
    }
    let (last, others) = keys.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    let others = others.join(", ");
    let keys = if others.is_empty() { last.to_owned() } else { format!("{others} and {last}") };
    format!("an object with {keys}")
}
