//! `probative run --watch`: runs, and runs again what a change affects.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::time::{Instant, SystemTime};

use anstyle::Style;
use probative::report::Format;
use probative::value::visible;
use probative_run::{ANYWHERE, Affected, Outputs, Selection, Suite, Watch, Watcher};

use super::Refusal;
use super::happenings::{Changes, Happening, Happenings, Key, Wake};
use super::session::Session;
use crate::args::RunArguments;
use crate::interrupt::Interrupt;
use crate::keys::Keys;
use crate::secrets;
use crate::terminal::{complain, wants_colour};

/// How many of the things that changed are named.
const NAMED: usize = 3;

/// Runs what is chosen, and then what changes affect, until somebody ends it. Answers with the exit code of the last run.
pub(super) fn run(session: &Session<'_>, arguments: &RunArguments) -> Result<ExitCode, Refusal> {
    check(arguments)?;
    let interrupt = Interrupt::listen_for_processes()?;
    let (happened, happenings) = channel();
    let tell = happened.clone();
    interrupt.tell(move || drop(tell.send(Happening::Interrupted)));
    let tell = happened.clone();
    let changed = move |paths| drop(tell.send(Happening::Changed(paths, Instant::now())));
    let watcher = Watcher::new(changed).map_err(Refusal)?;
    let watch = Watch::start(watcher, written(arguments), arguments.suites.responses.clone());
    let keys = Keys::listen(move |key| {
        let _ = Key::of(key).map(|key| happened.send(Happening::Pressed(key)));
    });
    let mut vigil = Vigil {
        session,
        interrupt: &interrupt,
        watch,
        happenings: Happenings::new(happenings),
        outputs: Outputs::default(),
        has_keys: keys.is_some(),
        began: SystemTime::now(),
        ran: Instant::now(),
        code: ExitCode::from(2),
    };
    vigil.begin(arguments.again.failed)?;
    vigil.keep()
}

/// Whether what is asked for can be told again and again.
fn check(arguments: &RunArguments) -> Result<(), Refusal> {
    let is_endless = |format: Format| format != Format::Human;
    match arguments.cases.told.report.iter().find(|report| report.file.is_none() && is_endless(report.format))
    {
        None => Ok(()),
        Some(report) => {
            let name = report.format.name();
            let message =
                format!("--watch prints only the human report to standard output; use --report {name}=FILE");
            Err(Refusal(message))
        }
    }
}

/// The files that every run writes.
fn written(arguments: &RunArguments) -> Vec<PathBuf> {
    let reports = arguments.cases.told.report.iter().filter_map(|report| report.file.clone());
    reports.chain(arguments.journal.clone()).collect()
}

/// A watch, from its first run to its end.
struct Vigil<'a> {
    session: &'a Session<'a>,
    interrupt: &'a Interrupt,
    watch: Watch,
    happenings: Happenings,
    outputs: Outputs,
    has_keys: bool,
    /// When the last run began.
    began: SystemTime,
    /// When it ended.
    ran: Instant,
    /// How it ended.
    code: ExitCode,
}

impl Vigil<'_> {
    /// The first run. What is refused then is refused altogether.
    fn begin(&mut self, only_failed: bool) -> Result<(), Refusal> {
        let suite = self.load();
        let selection = self.chosen(&suite, only_failed)?;
        self.outputs.run();
        self.began = SystemTime::now();
        self.code = self.session.run(&suite, &selection, self.interrupt)?;
        self.ran = Instant::now();
        Ok(())
    }

    /// Waits and runs again, until it is to end.
    fn keep(mut self) -> Result<ExitCode, Refusal> {
        let mut has_run = true;
        loop {
            if self.interrupt.stop.load(Ordering::Relaxed) {
                return Ok(self.code);
            }
            if has_run && self.invite().is_err() {
                // Nobody reads on.
                return Ok(ExitCode::from(2));
            }
            has_run = match self.happenings.next(self.ran) {
                Wake::Interrupted => return Ok(ExitCode::from(130)),
                Wake::Pressed(Key::Quit) => return Ok(self.code),
                Wake::Pressed(Key::All) => self.again(false),
                Wake::Pressed(Key::Failed) => self.again(true),
                Wake::Changed(changes) => self.changed(&changes),
            };
        }
    }

    /// Reads the documents, and watches what their cases depend on.
    fn load(&mut self) -> Suite {
        let suite = self.session.load();
        self.watch.follow(&suite);
        if let Some(trouble) = self.watch.trouble() {
            complain(&trouble);
        }
        suite
    }

    /// Runs again what changes affect. Answers whether anything was.
    fn changed(&mut self, changes: &Changes) -> bool {
        let all = changes.all();
        self.watch.refresh(&all);
        let suite = self.load();
        let affected = self.sifted(self.watch.affected(&suite, &all), changes, &suite);
        if affected.items.is_empty() {
            return false;
        }
        let head = format!("changed: {}", named(&affected.changed));
        let selection = self.session.selection(&suite).map(|selection| selection.at(affected.items));
        self.run(&head, &suite, selection)
    }

    /// What is left of what changes affect, without those that the cases themselves made.
    fn sifted(&mut self, affected: Affected, changes: &Changes, suite: &Suite) -> Affected {
        let (during, after): (BTreeSet<PathBuf>, BTreeSet<PathBuf>) =
            affected.changed.iter().cloned().partition(|path| !changes.after.contains(path));
        self.outputs.edited(&after);
        let all = during.len();
        let began = self.began;
        let is_made =
            |path: &Path| path.metadata().and_then(|found| found.created()).is_ok_and(|born| born >= began);
        let mut left = self.outputs.sift(during, is_made, |path| {
            let name = shown(path);
            complain(&format!("{name} changes whenever cases run; ignoring changes to it during runs"));
        });
        if left.len() == all {
            return affected;
        }
        left.extend(after);
        self.watch.affected(suite, &left)
    }

    /// What the arguments choose, or of that only what failed.
    fn chosen(&self, suite: &Suite, only_failed: bool) -> Result<Selection, Refusal> {
        let selection = self.session.selection(suite)?;
        if only_failed { self.session.only_failed(selection, suite) } else { Ok(selection) }
    }

    /// Reads the documents and runs again what is chosen of them.
    fn again(&mut self, only_failed: bool) -> bool {
        let suite = self.load();
        let head = if only_failed { "failed" } else { "all" };
        self.run(head, &suite, self.chosen(&suite, only_failed))
    }

    /// Runs what is selected, under a line that says why. What is refused is told, and the watch goes on. Answers whether
    /// anything was told.
    fn run(&mut self, head: &str, suite: &Suite, selection: Result<Selection, Refusal>) -> bool {
        let selection = match selection {
            Ok(selection) if probative_run::list(suite, &selection).is_empty() => return false,
            Ok(selection) => selection,
            Err(refusal) => {
                complain(&refusal);
                return true;
            }
        };
        let cases = match probative_run::selected(suite, &selection) {
            // What is wrong with a document is told below.
            0 => String::new(),
            1 => " → 1 case".to_owned(),
            count => format!(" → {count} cases"),
        };
        // Whether anybody reads it is known below the report.
        let _ = say(&format!("{head}{cases}"), Style::new());
        self.outputs.run();
        self.began = SystemTime::now();
        self.code = self.session.run(suite, &selection, self.interrupt).unwrap_or_else(|refusal| {
            complain(&refusal);
            ExitCode::from(2)
        });
        self.ran = Instant::now();
        true
    }

    /// Says that it waits, and which keys there are.
    fn invite(&self) -> io::Result<()> {
        let keys = if self.has_keys { "; keys: a = run all, f = run failed, q = quit" } else { "" };
        say(&format!("watching for changes{keys}"), Style::new().dimmed())
    }
}

/// Prints a line at once.
fn say(line: &str, style: Style) -> io::Result<()> {
    let style = if wants_colour(&io::stdout()) { style } else { Style::new() };
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{style}{}{style:#}", secrets::hidden(line))?;
    stdout.flush()
}

/// The first of several paths, as they are seen from here.
///
/// What is gone again is named only where nothing else is: an editor may write a file by another that it renames.
fn named(paths: &[PathBuf]) -> String {
    let is_there = |path: &&PathBuf| path.as_os_str() == ANYWHERE || path.exists();
    let there: Vec<&PathBuf> = paths.iter().filter(is_there).collect();
    let paths = if there.is_empty() { paths.iter().collect() } else { there };
    let names: Vec<String> = paths.iter().take(NAMED).map(|path| shown(path)).collect();
    match paths.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// A path as it is seen from here.
fn shown(path: &Path) -> String {
    if path == Path::new(ANYWHERE) {
        return "more files than could be watched".to_owned();
    }
    let here = std::fs::canonicalize(".").unwrap_or_default();
    let path = path.strip_prefix(&here).ok().filter(|path| !path.as_os_str().is_empty()).unwrap_or(path);
    visible(&path.to_string_lossy()).into_owned()
}
