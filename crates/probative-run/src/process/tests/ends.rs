//! Time limits, being stopped, and what a process leaves behind.

use super::*;

fn limited(script: &str, limit: Duration) -> (Ended, Duration) {
    let begun = Instant::now();
    let ended = ran(&Command { limit, ..shell(script) });
    (ended, begun.elapsed())
}

const SOON: Duration = Duration::from_millis(300);

#[test]
fn a_process_is_asked_to_end_at_its_time_limit() {
    let (ended, took) =
        limited("trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.01; done", SOON);
    assert_eq!((ended.how, text(&ended.stdout)), (How::TimedOut, "hello\nbye\n"));
    assert!(took >= SOON && took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_process_that_does_not_end_when_asked_is_killed() {
    let (ended, took) = limited("trap '' TERM; echo $$; while :; do sleep 0.01; done", SOON);
    assert_eq!(ended.how, How::TimedOut);
    assert!(took >= SOON + GRACE && took < SOON + GRACE * 2, "{took:?}");
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn the_whole_group_is_killed_at_the_time_limit() {
    let (ended, took) = limited("(trap '' TERM; while :; do sleep 0.01; done) & echo $!; wait", SOON);
    assert_eq!(ended.how, How::TimedOut);
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn the_longest_limit_is_none() {
    assert_eq!(limited("exit 4", Duration::MAX).0.how, How::Exited(4));
}

#[test]
fn a_stopped_process_is_killed_too() {
    let (ended, _) = limited("echo $$; kill -STOP $$", SOON);
    assert_eq!(ended.how, How::TimedOut);
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn what_stays_in_the_background_dies_with_the_process() {
    let (ended, took) = limited("sleep 1000 & echo $!; exit 5", LONG);
    assert_eq!(ended.how, How::Exited(5));
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn what_has_left_the_group_and_keeps_the_pipe_is_not_waited_for() {
    // It never runs for long: whoever reads this must not have to kill it.
    let (ended, took) = limited("setsid sleep 20 & echo left", LONG);
    assert_eq!((ended.how, text(&ended.stdout)), (How::Exited(0), "left\n"));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn what_floods_the_pipe_from_outside_of_the_group_is_not_waited_for() {
    let (ended, took) = limited("setsid timeout 20 yes & sleep 0.1; echo left >&2", LONG);
    assert_eq!((ended.how, text(&ended.stderr)), (How::Exited(0), "left\n"));
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_process_that_closes_its_output_is_waited_for() {
    let (ended, took) = limited("exec >&- 2>&-; sleep 0.3; exit 6", LONG);
    assert_eq!(ended.how, How::Exited(6));
    assert!(took >= Duration::from_millis(300), "{took:?}");
}

/// Runs a script, and stops it after the given times.
fn stopped(script: &str, after: &[Duration]) -> (Ended, Duration) {
    let (stop, command, begun) = (Stop::new().unwrap(), shell(script), Instant::now());
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| {
            for time in after {
                std::thread::sleep(time.saturating_sub(begun.elapsed()));
                stop.trip();
            }
        });
        run(&command, &stop).unwrap()
    });
    (ended, begun.elapsed())
}

#[test]
fn a_stop_asks_to_end() {
    let (ended, took) =
        stopped("trap 'echo bye; exit 0' TERM; echo hello; while :; do sleep 0.01; done", &[SOON]);
    assert_eq!((ended.how, text(&ended.stdout)), (How::Interrupted, "hello\nbye\n"));
    assert!(took >= SOON && took < Duration::from_secs(2), "{took:?}");
}

#[test]
fn a_stop_kills_what_does_not_end() {
    let (ended, took) = stopped("trap '' TERM; echo $$; while :; do sleep 0.01; done", &[SOON]);
    assert_eq!(ended.how, How::Interrupted);
    assert!(took >= SOON + GRACE && took < SOON + GRACE * 2, "{took:?}");
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn a_second_stop_kills_at_once() {
    let (ended, took) = stopped("trap '' TERM; echo $$; while :; do sleep 0.01; done", &[SOON, SOON * 2]);
    assert_eq!(ended.how, How::Interrupted);
    assert!(took >= SOON * 2 && took < GRACE, "{took:?}");
    assert!(is_gone(pid(&ended.stdout)));
}

#[test]
fn two_stops_at_once_kill_at_once() {
    let (ended, took) = stopped("trap '' TERM; while :; do sleep 0.01; done", &[SOON, SOON, SOON]);
    assert_eq!(ended.how, How::Interrupted);
    assert!(took < GRACE, "{took:?}");
}

#[test]
fn nothing_starts_after_a_stop() {
    let stop = Stop::new().unwrap();
    assert!(!stop.is_tripped());
    stop.trip();
    assert!(stop.is_tripped());
    // Nobody even looks whether there is such a program.
    let ended = run(&Command { program: "/none".into(), ..shell("") }, &stop).unwrap();
    assert_eq!((ended.how, ended.stdout), (How::Interrupted, Output::default()));
}

#[test]
fn waiting_takes_no_time_of_the_processor() {
    let before = ticks();
    stopped("trap '' TERM; while :; do sleep 0.1; done", &[SOON]);
    limited("exec >&- 2>&-; trap '' TERM; while :; do sleep 0.1; done", SOON);
    assert!(ticks() - before < 10, "{} hundredths of a second", ticks() - before);
}
