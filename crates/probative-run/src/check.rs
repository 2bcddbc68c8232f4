//! Recorded subjects, judged as a stream on all cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use probative::question::{Judgement, Question};
use probative::report::{Asked, CaseResult, Outcome, Summary, Unexercised};
use probative::verdict::Error;
use probative::vocabulary::Read;
use probative::{Context, Vocabulary};

use crate::alone::Alone;
use crate::brief::{Briefly, Tried};
use crate::exercised::{Exercised, Idle};
use crate::feed::{Feed, Piece};
use crate::ordered::{FEW, in_order};
use crate::record::Record;
use crate::sink::{Fragments, Shared, Sink};
use crate::spare::Spare;
use crate::subjects::{How, Subject};

/// A question and how it is to be asked.
pub struct Check<'a, A: Vocabulary> {
    /// The question.
    pub question: &'a Question<A>,
    /// What it may depend on.
    pub context: Context<'a>,
    /// How subjects are read.
    pub how: How<'a>,
    /// On how many threads.
    pub threads: usize,
    /// Whether results tell how long they took.
    pub timings: bool,
    /// Set from outside to break off.
    pub stop: &'a AtomicBool,
    /// Called as results are told, with the counts and the bytes judged so far.
    pub progress: &'a (dyn Fn(&Summary, u64) + Sync),
}

/// Judges every subject and tells every report, in the order of the subjects.
///
/// Ends early when told to stop, or when no report can be written any more. The reports are not finished yet: whoever
/// gave them finishes them with the summary.
pub fn check<A: Vocabulary>(check: &Check<'_, A>, subjects: Vec<Subject>, sinks: &mut [Sink]) -> Summary {
    let started = Instant::now();
    let (spare, sheets) = (Arc::new(Spare::default()), Spare::default());
    let subjects = subjects.into_iter();
    let mut feed = Feed { how: check.how, subjects, open: None, spare: Arc::clone(&spare), stop: check.stop };
    let wants_passes = sinks.iter().any(Sink::shows_passes);
    let (asked, reports): (_, Vec<_>) = (Asked::of(check.question), sinks.iter().map(Sink::shared).collect());
    let pass = CaseResult::bare(String::new(), A::TYPE, "", &asked, passed());
    let tells_passes = reports.iter().any(|report| report.tells(&pass));
    let judge = Judge {
        check,
        briefly: Briefly::new(check.question.abridged().filter(|_| !wants_passes)),
        exercised: Exercised::none_of(check.question),
        asked,
        reports,
        tells_passes,
        spare: &spare,
        sheets: &sheets,
    };
    let (mut summary, mut idle, mut bytes) = (Summary::default(), Idle::default(), 0);
    let unheard = AtomicBool::new(false);
    let ends = || check.stop.load(Ordering::Relaxed) || unheard.load(Ordering::Relaxed);
    let work = |piece| judge.piece(piece);
    std::thread::scope(|scope| {
        let alone = Alone::start(scope, &work);
        in_order(
            check.threads,
            FEW,
            || if ends() { None } else { feed.next() },
            |piece| if piece.work.size() > LARGE { alone.work(piece) } else { work(piece) },
            |told: Told| {
                summary.add(&told.summary);
                idle.add(told.idle);
                bytes += told.bytes;
                for (sink, fragments) in sinks.iter_mut().zip(told.fragments) {
                    sink.tell(&fragments);
                    sheets.give(fragments.into_buffer());
                }
                unheard.store(sinks.iter().all(Sink::has_no_reader), Ordering::Relaxed);
                (check.progress)(&summary, bytes);
            },
        );
    });
    summary.duration = check.timings.then(|| started.elapsed());
    summary.interrupted = check.stop.load(Ordering::Relaxed);
    // Subjects that were not judged might have exercised anything.
    if !summary.interrupted {
        summary.unexercised = judge.exercised.never(judge.asked.rows(), idle);
        if check.question.asserts_nothing() && summary.passed > 0 {
            summary.unexercised.push(Unexercised::question(&check.question.document().name));
        }
    }
    summary
}

/// Tells every report that nothing could be judged, because of an error in a file.
pub fn refuse(kind: &'static str, file: &str, error: Error, sinks: &mut [Sink]) -> Summary {
    let asked = Asked::nothing();
    let outcome = Outcome::Errors(vec![error]);
    let result = CaseResult::bare(file.to_owned(), kind, file, &asked, outcome);
    let mut summary = Summary::default();
    summary.count(&result);
    for sink in sinks {
        let mut fragments = Fragments::within(Vec::new());
        fragments.push(&sink.shared(), &result);
        sink.tell(&fragments);
    }
    summary
}

/// Subjects larger than this are judged one after the other, on the thread that is there for them alone.
const LARGE: u64 = 1 << 20;

/// What one thread needs to judge any piece.
struct Judge<'a, A: Vocabulary> {
    check: &'a Check<'a, A>,
    asked: Asked,
    /// What reads of a subject only what the question depends on, where no report shows such a subject.
    briefly: Briefly<'a, A>,
    exercised: Exercised,
    reports: Vec<Arc<Shared>>,
    /// Whether any report tells of a subject of which nothing is to be told but that it passed.
    tells_passes: bool,
    /// Buffers for subjects, and others for what is told of them: these go from one thread to another.
    spare: &'a Spare,
    sheets: &'a Spare,
}

/// How a subject ended of which nothing else is to be told.
fn passed() -> Outcome {
    Outcome::Judged(Judgement::default())
}

/// The results of one piece, rendered for every report.
struct Told {
    summary: Summary,
    idle: Idle,
    bytes: u64,
    fragments: Vec<Fragments>,
}

impl<A: Vocabulary> Judge<'_, A> {
    fn piece(&self, piece: Piece<'_>) -> Told {
        let fragments = self.reports.iter().map(|_| Fragments::within(self.sheets.take())).collect();
        let mut told = Told { summary: Summary::default(), idle: Idle::default(), bytes: 0, fragments };
        let started = self.started(self.tells_passes);
        let tried =
            self.briefly.file_passes(&piece, LARGE, self.spare, |subject| self.passes(&mut told, subject));
        if let Tried::Passes(bytes) = tried {
            told.bytes += bytes;
            self.tell_pass(&mut told, started, &Record::whole(&piece.name));
            return told;
        }
        let is_tried = matches!(tried, Tried::InVain);
        let emptied = piece.each(|record| {
            let started = self.started(self.tells_passes);
            told.bytes += record.len() as u64;
            if let Some(json) = record.json()
                && !is_tried
                && self.briefly.passes(json, |subject| self.passes(&mut told, subject))
            {
                return self.tell_pass(&mut told, started, &record);
            }
            let started = started.or_else(|| self.started(true));
            let read = record.read::<A>(self.check.question.setting());
            self.tell(&mut told, &record, started, read);
        });
        self.spare.give(emptied);
        told
    }

    /// Whether a subject passes that was read only as far as the question needs it. If not, it must be read whole.
    fn passes(&self, told: &mut Told, subject: &A::Subject<'_>) -> bool {
        let Check { question, context, .. } = self.check;
        let judgement = question.judge(subject, context);
        if judgement.passed() {
            self.exercised.learn(question, subject, context, &judgement, &mut told.idle);
        }
        judgement.passed()
    }

    /// Tells of a subject that it passed, and nothing else.
    fn tell_pass(&self, told: &mut Told, started: Option<Instant>, record: &Record<'_>) {
        if self.tells_passes {
            self.render(told, started, self.result(record, passed()));
        } else {
            told.summary.count_passed();
        }
    }

    /// When a subject is begun with, where results tell how long they took and this one is told.
    fn started(&self, is_told: bool) -> Option<Instant> {
        (self.check.timings && is_told).then(Instant::now)
    }

    /// Judges a subject and renders the result.
    fn tell(
        &self,
        told: &mut Told,
        record: &Record<'_>,
        started: Option<Instant>,
        read: Result<Read<A::Subject<'_>>, Error>,
    ) {
        let (subject, warnings) = match read {
            Err(error) => {
                let refused = self.result(record, Outcome::Errors(vec![error]));
                return self.render(told, started, refused);
            }
            Ok(Read { subject, warnings }) => (subject, warnings),
        };
        let Check { question, context, .. } = self.check;
        let judgement = question.judge(&subject, context);
        if judgement.passed() {
            self.briefly.encourage();
        }
        self.exercised.learn(question, &subject, context, &judgement, &mut told.idle);
        let judged = CaseResult {
            exhibit: A::exhibit(&subject),
            warnings,
            losses: A::losses(&subject),
            ..self.result(record, Outcome::Judged(judgement))
        };
        self.render(told, started, judged);
    }

    /// How a subject's judgement ended, and nothing else of it.
    fn result<'r>(&'r self, record: &Record<'r>, outcome: Outcome) -> CaseResult<'r> {
        let bare = CaseResult::bare(record.id(), A::TYPE, record.name, &self.asked, outcome);
        CaseResult { line: record.line(), ..bare }
    }

    fn render(&self, told: &mut Told, started: Option<Instant>, mut result: CaseResult<'_>) {
        result.duration = started.map(|started| started.elapsed());
        told.summary.count(&result);
        for (fragments, report) in told.fragments.iter_mut().zip(&self.reports) {
            fragments.push(report, &result);
        }
    }
}
