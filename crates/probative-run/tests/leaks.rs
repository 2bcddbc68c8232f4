//! Nothing stays open, and nobody stays unburied. The only test here: it counts what its process has open.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::time::Duration;

use probative_run::process::{Command, Input, Stop, run};

fn shell(script: &str) -> Command<'static> {
    Command {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        inherits: false,
        environment: vec![(
            OsStr::new("PATH").into(),
            Some(OsStr::new("/usr/local/bin:/usr/bin:/bin").into()),
        )],
        directory: "/".into(),
        input: Input::Nothing,
        limit: Duration::from_mins(1),
    }
}

#[test]
fn nothing_stays_open_and_nobody_stays_unburied() {
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    for _ in 0..10 {
        let stop = Stop::new().unwrap();
        for input in [Input::Text(b"text".to_vec()), Input::Terminal(b"text".to_vec())] {
            run(&Command { input, ..shell("sleep 1000 & cat") }, &stop).unwrap();
        }
        run(&Command { limit: Duration::from_millis(10), ..shell("sleep 1000") }, &stop).unwrap();
        run(&Command { program: "/none".into(), ..shell("") }, &stop).unwrap_err();
    }
    assert_eq!(open(), before);
    assert_eq!(std::fs::read_to_string("/proc/thread-self/children").unwrap(), "");
}
