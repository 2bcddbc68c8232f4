//! Recorded subjects, judged as a stream on all cores.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use probative::question::Question;
use probative::report::{Asked, CaseResult, Outcome, Summary, Unexercised};
use probative::verdict::Error;
use probative::vocabulary::Read;
use probative::{Context, Vocabulary};

use crate::alone::Alone;
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
    /// When the command began: the question and the subjects were yet to be found and read.
    pub began: Instant,
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
    let spare = Arc::new(Spare::default());
    let subjects = subjects.into_iter();
    let mut feed = Feed { how: check.how, subjects, open: None, spare: Arc::clone(&spare), stop: check.stop };
    let judge = Judge {
        check,
        exercised: Exercised::none_of(check.question),
        asked: Asked::of(check.question),
        reports: sinks.iter().map(Sink::shared).collect(),
        spare: &spare,
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
                    spare.give(fragments.into_buffer());
                }
                unheard.store(sinks.iter().all(Sink::has_no_reader), Ordering::Relaxed);
                (check.progress)(&summary, bytes);
            },
        );
    });
    summary.duration = check.timings.then(|| check.began.elapsed());
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
    exercised: Exercised,
    reports: Vec<Arc<Shared>>,
    spare: &'a Spare,
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
        let fragments = self.reports.iter().map(|_| Fragments::within(self.spare.take())).collect();
        let mut told = Told { summary: Summary::default(), idle: Idle::default(), bytes: 0, fragments };
        let emptied = piece.each(|record| {
            let started = self.check.timings.then(Instant::now);
            told.bytes += record.len() as u64;
            let read = record.read::<A>(self.check.question.setting());
            self.tell(&mut told, &record, started, read);
        });
        self.spare.give(emptied);
        told
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
