//! Documents of prose and promises about files: some about the document that they stand in, some about notes beside it.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

use super::Health;
use crate::numbers::Numbers;

/// The cases of one document.
pub(crate) const CASES_PER_FILE: usize = 20;

const NOTES: usize = 50;
const WORDS: [&str; 24] = [
    "the", "service", "keeps", "every", "record", "until", "its", "owner", "asks", "for", "removal", "and",
    "an", "operator", "reviews", "backups", "after", "each", "deploy", "with", "care", "in", "two",
    "regions",
];
const TOPICS: [&str; 8] =
    ["Retention", "Billing", "Access", "Audit", "Exports", "Quotas", "Incidents", "Onboarding"];

/// What a section states, and its case asks for.
struct Fact {
    topic: &'static str,
    number: usize,
    ticket: String,
    days: u64,
}

impl Fact {
    fn new(numbers: &mut Numbers, number: usize) -> Fact {
        let letters = ["AB", "CD", "QX", "ZZ"];
        let ticket = format!("{}-{}", numbers.one_of(&letters), 1000 + numbers.below(9000));
        Fact { topic: numbers.one_of::<&str>(&TOPICS), number, ticket, days: 10 + numbers.below(90) }
    }

    fn write(&self, numbers: &mut Numbers, out: &mut String) {
        let Fact { topic, number, ticket, days } = self;
        let _ = writeln!(out, "## {topic} {number}\n\n{}", prose(numbers, 22));
        let _ =
            writeln!(out, "{topic} lasts {days} days, as ticket {ticket} says.\n{}\n", prose(numbers, 12));
    }
}

/// Writes so many documents below a directory, with the notes that they are about.
pub(crate) fn write_documents(directory: &Path, files: usize, health: Health) -> io::Result<()> {
    let mut numbers = Numbers::seeded(0x5BEC);
    fs::create_dir_all(directory.join("notes"))?;
    // Marks the directory that paths must not leave.
    fs::write(directory.join("probative.toml"), "")?;
    let mut notes = Vec::with_capacity(NOTES);
    for note in 0..NOTES {
        let facts: Vec<Fact> = (0..5).map(|number| Fact::new(&mut numbers, number)).collect();
        let mut text = format!("# Note {note}\n\n");
        for fact in &facts {
            fact.write(&mut numbers, &mut text);
        }
        fs::write(directory.join(format!("notes/{note}.md")), text)?;
        notes.push(facts);
    }
    for file in 0..files {
        let mut text = format!("# Document {file}\n\n{}\n\n", prose(&mut numbers, 40));
        for number in 0..CASES_PER_FILE {
            let own = Fact::new(&mut numbers, number);
            own.write(&mut numbers, &mut text);
            let note = (file + number) % NOTES;
            let (path, fact) = match number % 2 {
                0 => (None, &own),
                _ => (Some(format!("notes/{note}.md")), numbers.one_of(&notes[note])),
            };
            let fault = (health == Health::Faulty && number % 5 == 4).then_some(file + number / 5);
            write_case(&format!("DOC-{file}-{number}"), path, fact, fault, &mut text);
        }
        fs::write(directory.join(format!("{file:03}.spec.md")), text)?;
    }
    Ok(())
}

/// Writes the case about a fact, with a fault if one is asked for.
fn write_case(id: &str, path: Option<String>, fact: &Fact, fault: Option<usize>, out: &mut String) {
    let Fact { topic, number, ticket, days } = fact;
    let kind = id.bytes().map(usize::from).sum::<usize>() % 5;
    let assertion = match kind {
        0 => format!("must:\n      - contain: [\"ticket {ticket}\", \"lasts {days} days\"]"),
        1 => {
            format!("must:\n      - regex: ['(?m)^## {topic} {number}$', 'ticket [A-Z]{{2}}-\\d{{4}} says']")
        }
        2 => format!(
            "can:\n      - regex: ['^{topic} never[ ]lasts']\n      - contain: [\"lasts {days} days\"]"
        ),
        3 if path.is_some() => {
            format!(
                "cannot:\n      - contain: [\"{topic} lasts 0\", \"ticket {ticket}?\"]\n      - contain: [TODO]"
            )
        }
        3 => format!(
            "cannot:\n      - regex: ['{topic} lasts [0]\\d* days']\n      - regex: ['\\bticket {ticket}[?]']"
        ),
        _ => format!(
            "must:\n      - evaluate:\n          - [and, [contains, [lower, [subject]], \"{}\"], [not, [starts_with, [trim, [subject]], \"{topic}\"]]]",
            ticket.to_lowercase()
        ),
    };
    let (mut id, mut path, mut more) = (id, path, "");
    match fault.map(|fault| fault % 5) {
        None => {}
        Some(0) => more = "  - target: text\n    must:\n      - regex: ['^Absent[.]$']\n",
        Some(1) => path = Some("../outside.md".to_owned()),
        Some(2) => path = Some("notes/none.md".to_owned()),
        Some(3) => more = "  - target: text\n    must:\n      - exists: [true]\n",
        Some(_) => id = "DOC-0-0",
    }
    let path = path.map(|path| format!("path: {path}\n")).unwrap_or_default();
    let _ = write!(
        out,
        "```yaml spec-test\nid: {id}\ntype: text.file\ntitle: {topic} {number} says how long\n\
         purpose: keeps this page in step with ticket {ticket}\n{path}assert:\n  - target: text\n    {assertion}\n{more}```\n\n"
    );
}

/// The command of a case: of faulty ones every fifth ends with another code than is asked for.
fn command(number: usize, health: Health) -> &'static str {
    if health == Health::Faulty && number % 5 == 4 { "/bin/false" } else { "/bin/true" }
}

/// A document of cases that run `/bin/true`.
pub(crate) fn spec(numbers: Range<usize>, health: Health) -> String {
    let case = |number| {
        let command = command(number, health);
        format!(
            "# Command {number}\n\n```yaml spec-test\nid: CMD-{number}\ntype: cli.run\nargv: []\nexit_code: 0\n\
             harness: {{entrypoint: {command}}}\n```\n\n"
        )
    };
    numbers.map(case).collect()
}

/// The same for `scrut`.
pub(crate) fn scrut(numbers: Range<usize>, health: Health) -> String {
    let case = |number| format!("# Command {number}\n\n```scrut\n$ {}\n```\n\n", command(number, health));
    numbers.map(case).collect()
}

/// The same for `bats`.
pub(crate) fn bats(numbers: Range<usize>, health: Health) -> String {
    let case = |number| {
        let command = command(number, health);
        format!("@test \"command {number}\" {{\n  run {command}\n  [ \"$status\" -eq 0 ]\n}}\n\n")
    };
    numbers.map(case).collect()
}

/// The same for `cram`.
pub(crate) fn cram(numbers: Range<usize>, health: Health) -> String {
    let case = |number| format!("Command {number}\n\n  $ {}\n\n", command(number, health));
    numbers.map(case).collect()
}

/// The same for `trycmd`, which knows programs by their names.
pub(crate) fn trycmd(numbers: Range<usize>, health: Health) -> String {
    let case = |number| {
        let name = command(number, health).trim_start_matches("/bin/");
        format!("# Command {number}\n\n```\n$ {name}\n```\n\n")
    };
    numbers.map(case).collect()
}

fn prose(numbers: &mut Numbers, words: usize) -> String {
    let mut text = String::new();
    for word in 0..words {
        text.push_str(numbers.one_of::<&str>(&WORDS));
        text.push(if word % 12 == 11 { '\n' } else { ' ' });
    }
    text.truncate(text.trim_end().len());
    text + "."
}
