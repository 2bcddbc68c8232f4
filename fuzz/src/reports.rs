//! Reports: any results, told in every format, read as those read it who take it.

mod held;
mod made;

use arbitrary::Unstructured;
use probative::report::{
    CaseResult, Conformance, EvidenceRoom, Format, LeftOut, Renderer, Rerun, Status, Style, Summary, Telling,
    Verbosity,
};

use held::Report;

/// Results that are made of the bytes.
///
/// JSON and XML can be parsed, whatever texts they hold; nothing is obeyed by a terminal; no text begins a line of TAP or a
/// command of GitHub's, becomes Markdown, or ends the script that it stands in.
pub fn reports(bytes: &[u8]) {
    let mut choices = Unstructured::new(bytes);
    let Ok(world) = made::world(&mut choices) else { return };
    let results = world.results();
    let summary = world.summary(&results);
    for format in Format::ALL {
        let told = told(&*format.renderer(world.style(false)), &results, &summary);
        held::to_its_laws(format, &told, &results, &summary);
    }
    held::is_json(&told(&Conformance, &results, &summary).text);
    let plain = told(&*Format::Human.renderer(world.style(false)), &results, &summary);
    let coloured = told(&*Format::Human.renderer(world.style(true)), &results, &summary);
    assert_eq!(held::without_colour(&coloured.text), plain.text, "colour changes nothing but colour");
}

/// The whole report, as it is put together.
fn told(renderer: &dyn Renderer, results: &[CaseResult<'_>], summary: &Summary) -> Report {
    let (mut text, mut apart) = (Vec::new(), Vec::new());
    let (mut full, mut notes, mut left_out) = (0, 0, LeftOut::default());
    let mut room = renderer.evidence_room();
    let limit = renderer.tells_at_most();
    for result in results {
        let (count, more) = match renderer.telling(result) {
            Telling::Silent => continue,
            Telling::Note => (&mut notes, &mut left_out.notes),
            Telling::Full => (&mut full, &mut left_out.results),
        };
        if *count == limit {
            *more += 1;
            continue;
        }
        *count += 1;
        if full + notes > 1 {
            text.extend_from_slice(renderer.separator().as_bytes());
        }
        renderer.result(result, &mut text);
        let mut evidence = Vec::new();
        renderer.evidence(result, &mut evidence);
        match room_for(result, &mut room).checked_sub(evidence.len()) {
            None => left_out.evidence += 1,
            Some(left) => {
                *room_for(result, &mut room) = left;
                if renderer.evidence_stands_apart() { &mut apart } else { &mut text }.append(&mut evidence);
            }
        }
    }
    let frame = renderer.frame(summary);
    let whole = [
        renderer.opening().as_bytes(),
        frame.head.as_bytes(),
        &text,
        &apart,
        renderer.remainder(&left_out).as_bytes(),
        frame.tail.as_bytes(),
    ]
    .concat();
    let text = String::from_utf8(whole).expect("a report is UTF-8");
    Report { text, told: full + notes }
}

fn room_for<'r>(result: &CaseResult<'_>, room: &'r mut EvidenceRoom) -> &'r mut usize {
    if matches!(result.status(), Status::Pass | Status::Skip) { &mut room.passed } else { &mut room.others }
}

fn style(colour: bool, rerun: Option<Rerun>) -> Style {
    Style { colour, noun: "case", rerun, verbosity: Verbosity::Normal }
}
