//! One set of results in every format that other programs read, as it looks. `UPDATE_SNAPSHOTS=1` writes the files anew.
#![expect(clippy::disallowed_methods, reason = "a test may look at files and at the environment")]

use std::path::Path;
use std::time::Duration;

use probative::exhibit::{Exhibit, ExhibitLine};
use probative::question::Judgement;
use probative::report::{
    Asked, CaseResult, Format, LeftOut, Outcome, Rerun, Status, Style, Summary, Telling, Verbosity,
};
use probative::trials::{PassRule, Trial, Trials};
use probative::verdict::{Error, ErrorKind, Place, Verdict};

const HOSTILE: &str =
    "]]> </failure> # SKIP | @all #1 ``` \u{1b}[31m\u{0}\u{fffe}\n::error::x\n##[group]y %0A ...";

/// What was seen of a command, with hostile lines.
struct Shown;

impl Exhibit for Shown {
    fn lines(&self, _: &probative::exhibit::Marks) -> Vec<ExhibitLine> {
        let line = |text: &str| ExhibitLine { text: text.to_owned(), note: None };
        vec![line("::error::x"), line("..."), line("```"), line("not ok"), line("</details> @all")]
    }
}

/// A case named `id`, at a line of the document.
fn case<'a>(id: &str, line: usize, asked: &'a Asked, outcome: Outcome) -> CaseResult<'a> {
    CaseResult {
        line: Some(line),
        duration: Some(Duration::from_micros(1234)),
        ..CaseResult::bare(id.to_owned(), "cli.run", "refund.spec.md", asked, outcome)
    }
}

fn judged(verdict: Verdict) -> Outcome {
    let mut judgement = Judgement::default();
    judgement.take(0, Ok(verdict));
    Outcome::Judged(judgement)
}

fn failed(message: &str) -> Outcome {
    judged(Verdict::fail(message).expected("text to contain 'a'").actual("'b'").at("stdout").into())
}

/// Results that end in every way.
fn results(asked: &Asked) -> Vec<CaseResult<'_>> {
    let trial = |message: Option<&str>| Trial {
        status: if message.is_some() { Status::Fail } else { Status::Pass },
        message: message.map(str::to_owned),
        summary: None,
        recording: None,
        cost: None,
        duration: None,
    };
    let trials = Trials {
        planned: 3,
        rule: PassRule::All,
        ran: vec![trial(None), trial(Some("no")), trial(None)],
        shown: Some(2),
    };
    let error = |message: &str| {
        let place = Place {
            line: Some(31),
            column: Some(3),
            ..Place { file: "refund.spec.md".into(), ..Place::default() }
        };
        Outcome::Errors(vec![Error::at(ErrorKind::Unobtainable(message.to_owned()), place)])
    };
    let skipped = Outcome::Skipped("not today # TODO".to_owned());
    vec![
        CaseResult { title: Some("all is well"), ..case("PASS", 3, asked, judged(Verdict::Pass)) },
        CaseResult {
            title: Some(HOSTILE),
            exhibit: Some(&Shown),
            ..case("FAIL,1:2", 10, asked, failed(HOSTILE))
        },
        case("ERROR", 30, asked, error("cannot read x: no such file")),
        case("SKIP", 40, asked, skipped),
        CaseResult {
            flaky: true,
            warnings: vec!["flaky: passed on attempt 2; first attempt: 'b'".to_owned()],
            ..case("FLAKY", 50, asked, judged(Verdict::Pass))
        },
        CaseResult { trials: Some(trials), ..case("TRIALS", 60, asked, failed("no")) },
        CaseResult { duration: None, file: "-", line: Some(2), ..case(HOSTILE, 70, asked, failed("no")) },
    ]
}

/// The whole report, as it is put together.
fn report(format: Format, asked: &Asked) -> String {
    let rerun = Some(Rerun::Run { command: "run", with: String::new() });
    let renderer =
        format.renderer(Style { colour: false, noun: "case", rerun, verbosity: Verbosity::Normal });
    let (mut told, mut apart) = (Vec::new(), Vec::new());
    let mut summary = Summary { duration: Some(Duration::from_millis(1500)), ..Summary::default() };
    for result in &results(asked) {
        summary.count(result);
        if renderer.telling(result) != Telling::Silent {
            renderer.result(result, &mut told);
            let evidence = if renderer.evidence_stands_apart() { &mut apart } else { &mut told };
            renderer.evidence(result, evidence);
        }
    }
    told.extend(apart);
    let frame = renderer.frame(&summary);
    let told = String::from_utf8(told).unwrap();
    format!(
        "{}{}{told}{}{}",
        renderer.opening(),
        frame.head,
        renderer.remainder(&LeftOut::default()),
        frame.tail
    )
}

fn is_as_it_was(name: &str, format: Format) {
    let asked =
        Asked::one("contain", Place { file: "refund.spec.md".into(), line: Some(12), ..Place::default() });
    let told = report(format, &asked);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(told, kept, "{name}: UPDATE_SNAPSHOTS=1 writes it anew");
}

#[test]
fn junit() {
    is_as_it_was("junit.xml", Format::Junit);
}

#[test]
fn github() {
    is_as_it_was("github.txt", Format::Github);
}

#[test]
fn markdown() {
    is_as_it_was("markdown.md", Format::Markdown);
}

#[test]
fn tap() {
    is_as_it_was("report.tap", Format::Tap);
}

/// Read as Markdown, it is one heading, one table, and parts that are folded away; no text has become anything else.
#[test]
fn no_text_becomes_markdown() {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    let text = include_str!("snapshots/markdown.md");
    let (mut starts, mut code) = (Vec::new(), Vec::new());
    for event in
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_GFM | Options::ENABLE_STRIKETHROUGH)
    {
        match event {
            Event::Start(
                Tag::TableRow | Tag::TableHead | Tag::TableCell | Tag::HtmlBlock | Tag::Paragraph,
            ) => {}
            Event::Start(tag) => starts.push(format!("{tag:?}").split(['(', ' ']).next().unwrap().to_owned()),
            Event::InlineHtml(tag) => assert!(["<code>", "</code>"].contains(&&*tag), "{tag}"),
            Event::Html(html) => {
                let is_ours = html.starts_with("<details><summary>") || html.starts_with("</details>");
                assert!(is_ours && html.matches('<').count() <= 5, "{html}");
            }
            Event::Code(text) => code.push(text.to_string()),
            _ => {}
        }
    }
    let blocks = ["CodeBlock"; 4];
    assert_eq!(starts, [&["Heading", "Table"][..], &blocks].concat());
    assert!(code.is_empty(), "{code:?}");
}

/// No text may begin a line of its own, whatever it holds.
#[test]
fn annotations_are_single_lines() {
    let asked = Asked::nothing();
    let renderer = Format::Github.renderer(Style {
        colour: false,
        noun: "case",
        rerun: None,
        verbosity: Verbosity::Normal,
    });
    let outcome = Outcome::Errors(vec![Error::new(ErrorKind::Unobtainable("x\n".repeat(10_000)))]);
    let mut told = Vec::new();
    renderer.result(&CaseResult { file: "a\r\nb", ..case("x\n::error::", 1, &asked, outcome) }, &mut told);
    let told = String::from_utf8(told).unwrap();
    assert_eq!(told.lines().count(), 1);
    assert!(told.starts_with(r"::error file=a\r%0Ab,line=1,title=x\n%3A%3Aerror%3A%3A::"), "{told}");
    assert!((4_000..6_000).contains(&told.len()), "{} bytes", told.len());
}

#[test]
fn an_interrupted_run_bails_out() {
    let renderer = Format::Tap.renderer(Style {
        colour: false,
        noun: "case",
        rerun: None,
        verbosity: Verbosity::Normal,
    });
    let tail = |total: usize, interrupted: bool| {
        renderer.frame(&Summary { total, passed: total, interrupted, ..Summary::default() }).tail
    };
    assert!(tail(3, true).ends_with("\nBail out! interrupted\n"), "{}", tail(3, true));
    assert!(tail(3, false).ends_with("\n1..3\n"), "{}", tail(3, false));
}
