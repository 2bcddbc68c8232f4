//! `run --watch` at a terminal of its own: what it shows, keys that are pressed, how it ends.
#![allow(dead_code, unreachable_pub, reason = "every test file uses some of it")]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rustix::termios::tcgetattr;
use rustix_openpty::{Pty, openpty};

use crate::cases::exit_code;
use crate::place::Place;

/// The machine may be slow.
const PATIENCE: Duration = Duration::from_mins(1);

pub struct Vigil {
    pub child: Child,
    keys: File,
    /// The terminal itself, which outlives the process that uses it.
    terminal: OwnedFd,
    shown: Arc<Mutex<String>>,
    /// Up to where the test has read.
    read: usize,
    /// The settings of the terminal before it was started.
    pub before: String,
}

impl Vigil {
    /// Starts `probative run --watch` with further arguments.
    pub fn start(place: &Place, arguments: &[&str]) -> Vigil {
        Vigil::start_with(place, arguments, &[])
    }

    /// The same with some variables of the environment.
    pub fn start_with(place: &Place, arguments: &[&str], variables: &[(&str, &str)]) -> Vigil {
        let Pty { controller, user: terminal } = openpty(None, None).unwrap();
        let stream = || terminal.try_clone().unwrap();
        let mut command = place.command(&[&["run", "--watch"], arguments].concat());
        command
            .env("NO_COLOR", "1")
            .envs(variables.iter().copied())
            .stdin(stream())
            .stdout(stream())
            .stderr(stream());
        let before = settings(&terminal);
        let child = command.spawn().unwrap();
        let shown = Arc::new(Mutex::new(String::new()));
        let (mut screen, keys) = (File::from(controller.try_clone().unwrap()), File::from(controller));
        let to = Arc::clone(&shown);
        std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = screen.read(&mut part) {
                let text = String::from_utf8_lossy(&part[..count]).replace('\r', "");
                to.lock().unwrap().push_str(&text);
            }
        });
        Vigil { child, keys, terminal, shown, read: 0, before }
    }

    /// Waits until a text is shown behind what was read already, and answers with what stood before it.
    #[track_caller]
    pub fn until(&mut self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let shown = self.shown.lock().unwrap().clone();
            if let Some(at) = shown[self.read..].find(text) {
                let before = shown[self.read..self.read + at].to_owned();
                self.read += at + text.len();
                return before;
            }
            assert!(begun.elapsed() < PATIENCE, "{text:?} is not shown behind {} in:\n{shown}", self.read);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until it waits.
    #[track_caller]
    pub fn until_it_waits(&mut self) -> String {
        let before = self.until("watching ");
        self.until("; keys: a = run all, f = run failed, q = quit\n");
        before
    }

    /// Waits until the terminal hands over keys one by one.
    #[track_caller]
    pub fn until_it_listens(&self) {
        let begun = Instant::now();
        while self.settings() == self.before {
            assert!(begun.elapsed() < PATIENCE, "the terminal stays as it was");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The settings of the terminal.
    pub fn settings(&self) -> String {
        settings(&self.terminal)
    }

    pub fn exit_code(&mut self) -> Option<i32> {
        exit_code(&mut self.child)
    }
}

impl Drop for Vigil {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn settings(terminal: &OwnedFd) -> String {
    format!("{:?}", tcgetattr(terminal).unwrap())
}
