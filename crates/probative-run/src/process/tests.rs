//! Real processes, most of them shells.

mod ends;
mod input;
mod many;
mod terminal;

use std::ffi::OsStr;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Command, Ended, GRACE, How, Input, Output, Stop, Variable, run};

/// Longer than any test takes, and shorter than anybody waits.
const LONG: Duration = Duration::from_mins(1);

fn shell(script: &str) -> Command<'static> {
    Command {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        inherits: false,
        environment: vec![variable("PATH", "/usr/local/bin:/usr/bin:/bin")],
        directory: "/".into(),
        input: Input::Nothing,
        limit: LONG,
    }
}

fn variable(name: &'static str, value: &'static str) -> Variable<'static> {
    (OsStr::new(name).into(), Some(OsStr::new(value).into()))
}

fn ran(command: &Command<'_>) -> Ended {
    run(command, &Stop::new().unwrap()).unwrap()
}

fn fed(script: &str, input: Input) -> Ended {
    ran(&Command { input, ..shell(script) })
}

fn text(output: &Output) -> &str {
    std::str::from_utf8(&output.bytes).unwrap()
}

/// The number that the first line of the output is.
fn pid(output: &Output) -> i32 {
    text(output).lines().next().unwrap().parse().unwrap()
}

/// Whether a process is gone, or will be very soon.
fn is_gone(pid: i32) -> bool {
    let stat = format!("/proc/{pid}/stat");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        match std::fs::read_to_string(Path::new(&stat)) {
            Ok(stat) if !stat.contains(") Z ") => std::thread::sleep(Duration::from_millis(5)),
            _ => return true,
        }
    }
    false
}

/// How many hundredths of a second this thread has kept a processor busy.
fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // After the name come eleven others, and then the time of the program and that of the system for it.
    let times = stat.rsplit(") ").next().unwrap().split(' ').skip(11).take(2);
    times.map(|time| time.parse::<u64>().unwrap()).sum()
}

#[test]
fn a_process_ends_with_its_exit_code() {
    assert_eq!(ran(&shell("exit 0")).how, How::Exited(0));
    assert_eq!(ran(&shell("exit 7")).how, How::Exited(7));
    assert_eq!(ran(&shell("exit 255")).how, How::Exited(255));
}

#[test]
fn death_by_a_signal_is_128_and_the_signal() {
    assert_eq!(ran(&shell("kill -KILL $$")).how, How::Exited(137));
    assert_eq!(ran(&shell("kill -TERM $$")).how, How::Exited(143));
}

#[test]
fn both_streams_are_captured_apart() {
    let ended = ran(&shell("echo out; echo err >&2; printf more"));
    assert_eq!((text(&ended.stdout), text(&ended.stderr)), ("out\nmore", "err\n"));
    assert_eq!((ended.stdout.dropped, ended.stderr.dropped), (0, 0));
}

#[test]
fn the_environment_and_the_directory_are_those_given() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = shell("env; pwd -P");
    command.environment.push(variable("ONLY", "this"));
    command.directory = directory.path().canonicalize().unwrap();
    let ended = ran(&command);
    let pwd = command.directory.to_str().unwrap();
    let mut lines: Vec<_> = text(&ended.stdout).lines().filter(|line| !line.starts_with("PWD=")).collect();
    lines.sort_unstable();
    assert_eq!(lines, [pwd, "ONLY=this", "PATH=/usr/local/bin:/usr/bin:/bin"]);
}

#[test]
fn what_is_inherited_is_changed_as_the_environment_says() {
    let inherited = std::env::vars_os().find(|(name, _)| name != "PATH" && name != "PWD").unwrap().0;
    let mut command = Command { inherits: true, ..shell("env") };
    let names = |command: &Command<'_>| -> Vec<String> {
        let ended = ran(command);
        text(&ended.stdout)
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|one| one.0.to_owned())
            .collect()
    };
    let is_there = |names: &[String], name: &OsStr| names.iter().any(|one| OsStr::new(one) == name);
    assert!(is_there(&names(&command), &inherited));
    command.environment.extend([(inherited.as_os_str().into(), None), variable("ONLY", "this")]);
    let names = names(&command);
    assert!(!is_there(&names, &inherited) && is_there(&names, OsStr::new("ONLY")));
}

#[test]
fn what_goes_beyond_the_cap_is_counted_and_thrown_away() {
    let ended = ran(&shell("head -c 20000000 /dev/zero; head -c 16777216 /dev/zero >&2"));
    assert_eq!(ended.how, How::Exited(0));
    assert_eq!((ended.stdout.bytes.len(), ended.stdout.dropped), (16 << 20, 20_000_000 - (16 << 20)));
    assert_eq!((ended.stderr.bytes.len(), ended.stderr.dropped), (16 << 20, 0));
}

#[test]
fn a_process_that_writes_much_and_exits_at_once_loses_nothing() {
    for _ in 0..50 {
        let ended = ran(&shell("head -c 65536 /dev/zero; exec head -c 65536 /dev/zero >&2"));
        assert_eq!((ended.stdout.bytes.len(), ended.stderr.bytes.len()), (65536, 65536));
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode: u32| {
        let path = place.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let cases = [
        (place.path().join("none"), "no such file"),
        (place.path().to_owned(), "it is a directory"),
        (file("plain", "#!/bin/sh\n", 0o644), "it is not executable"),
        (file("orphan", "#!/no/such/shell\n", 0o755), "the interpreter on its first line doesn't exist"),
        (
            file("prose", "hello\n", 0o755),
            "neither an executable for this system nor a script that starts with #!",
        ),
        (file("part", "", 0o755).join("of"), "not a directory"),
    ];
    for (program, why) in cases {
        let error =
            run(&Command { program: program.clone(), ..shell("") }, &Stop::new().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), format!("cannot run {}: {why}", program.display()));
    }
    let error =
        run(&Command { directory: "/no/where".into(), ..shell("") }, &Stop::new().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "cannot run /bin/sh: its working directory /no/where doesn't exist");
}

#[test]
fn a_program_that_was_just_written_is_waited_for() {
    use std::os::unix::fs::OpenOptionsExt;
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("program");
    let writing = std::fs::OpenOptions::new().create(true).append(true).mode(0o755).open(&program).unwrap();
    std::io::Write::write_all(&mut &writing, b"#!/bin/sh\nexit 3\n").unwrap();
    let closing = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(50));
        drop(writing);
    });
    assert_eq!(ran(&Command { program, ..shell("") }).how, How::Exited(3));
    closing.join().unwrap();
}
