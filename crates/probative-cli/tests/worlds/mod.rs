//! The same project in different worlds: other file systems, orders, paths, locales, time zones and numbers of jobs; what the program leaves in each must be the same bytes.
#![cfg(unix)]

pub(crate) mod project;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;

use tempfile::TempDir;

/// What a run may not depend on.
#[derive(Clone, Debug)]
pub(crate) struct World {
    jobs: usize,
    locale: &'static str,
    zone: &'static str,
    /// One of three: each has another file system, path and umask, and makes files and variables in another order.
    kind: usize,
}

/// Turkish has another lower case of `I` and another decimal point, Arabic other digits. They are asked for whether they are
/// installed or not: what is not installed is `C` to the C library, and the variables are there all the same for whoever reads them.
const LOCALES: [&str; 3] = ["C.UTF-8", "tr_TR.UTF-8", "ar_EG.UTF-8"];

/// Five hours and three quarters from UTC, and the fourteen hours that no other place has.
const ZONES: [&str; 3] = ["UTC", "Asia/Kathmandu", "Pacific/Kiritimati"];

const JOBS: [usize; 3] = [1, 2, 16];

impl World {
    /// Nine in which every number of jobs meets every locale, every zone and every order of files, and these each other.
    pub(crate) fn all() -> Vec<World> {
        let square = |row, column| World::with([row, column, (row + column) % 3, (row + 2 * column) % 3]);
        (0..9).map(|at| square(at / 3, at % 3)).collect()
    }

    /// Three that differ in everything.
    pub(crate) fn some() -> Vec<World> {
        [0, 1, 2].map(|at| World::with([at; 4])).into()
    }

    fn with([jobs, locale, zone, kind]: [usize; 4]) -> World {
        World { jobs: JOBS[jobs], locale: LOCALES[locale], zone: ZONES[zone], kind }
    }

    /// Makes the project in this world, one file after the other in an order of its own.
    pub(crate) fn make(&self, files: &[(PathBuf, Vec<u8>)]) -> Made {
        let home = self.directory();
        let root = home.path().join(["p", "another place", "ж"][self.kind]);
        for at in self.order(files.len()) {
            let (name, bytes) = &files[at];
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
        }
        std::fs::create_dir_all(root.join("out")).unwrap();
        std::fs::create_dir_all(home.path().join("tmp")).unwrap();
        Made { world: self.clone(), root, home: Rc::new(home) }
    }

    /// Two of three are in memory, where there is such a directory: file systems on disks tend to list names by their
    /// hashes, in whichever order they were made.
    fn directory(&self) -> TempDir {
        let memory = Path::new("/dev/shm");
        let in_memory = (self.kind > 0).then(|| tempfile::tempdir_in(memory).ok());
        in_memory.flatten().unwrap_or_else(|| tempfile::tempdir().unwrap())
    }

    /// The numbers below a bound: forwards, backwards, or shuffled.
    fn order(&self, bound: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..bound).collect();
        match self.kind {
            0 => {}
            1 => order.reverse(),
            _ => {
                // A linear congruence is enough to mix them.
                let mut state = self.kind as u64 + 1;
                for at in (1..bound).rev() {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let with = usize::try_from(state >> 33).unwrap() % (at + 1);
                    order.swap(at, with);
                }
            }
        }
        order
    }

    /// The whole environment, in an order of its own.
    fn variables(&self, home: &Path) -> Vec<String> {
        let path = std::env::var("PATH").unwrap();
        let home = home.to_str().unwrap();
        let mut variables = vec![
            format!("PATH={path}"),
            format!("HOME={home}"),
            format!("XDG_CACHE_HOME={home}/cache"),
            format!("TMPDIR={home}/tmp"),
            format!("TZ={}", self.zone),
            format!("LC_ALL={}", self.locale),
            format!("LANG={}", self.locale),
            format!("LANGUAGE={}", &self.locale[..1]),
            format!("USER=user-{}", self.kind),
            format!("HOSTNAME=host-{}", self.kind),
            format!("COLUMNS={}", 40 + self.kind),
            // What children make of a locale is theirs: shells complain of one that is not installed.
            "SPEC_RUNNER_ENV_ALLOWLIST=HOME".to_owned(),
        ];
        let order = self.order(variables.len());
        order.into_iter().map(|at| std::mem::take(&mut variables[at])).collect()
    }
}

/// A project in a world.
pub(crate) struct Made {
    world: World,
    pub(crate) root: PathBuf,
    home: Rc<TempDir>,
}

impl Made {
    /// The same files in the same place, for whoever lives in another world.
    pub(crate) fn seen_from(&self, world: World) -> Made {
        Made { world, root: self.root.clone(), home: Rc::clone(&self.home) }
    }

    /// How the file system lists a directory.
    pub(crate) fn listed(&self, directory: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.join(directory)).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// Runs the program there, and gives everything that it left: both streams, the exit code, and the files in `out/`.
    /// `-j` is added where there is one to add.
    pub(crate) fn run(&self, arguments: &[&str]) -> Left {
        let umask = ["022", "077", "002"][self.world.kind];
        let mut command = Command::new("sh");
        command.args(["-c", "umask $0; exec env -i \"$@\"", umask]);
        command.args(self.world.variables(self.home.path()));
        command.arg(assert_cmd::cargo::cargo_bin!("probative")).args(arguments);
        if matches!(arguments[0], "run" | "check" | "conformance") {
            command.args(["-j", &self.world.jobs.to_string()]);
        }
        let ended = command.current_dir(&self.root).stdin(Stdio::null()).output().unwrap();
        let mut left = BTreeMap::new();
        left.insert("standard output".to_owned(), ended.stdout);
        left.insert("standard error".to_owned(), ended.stderr);
        left.insert("exit code".to_owned(), format!("{:?}", ended.status.code()).into_bytes());
        for name in self.listed("out") {
            let bytes = std::fs::read(self.root.join("out").join(&name)).unwrap();
            left.insert(name, bytes);
        }
        Left { world: self.world.clone(), left }
    }
}

/// What the program left in a world.
pub(crate) struct Left {
    world: World,
    pub(crate) left: BTreeMap<String, Vec<u8>>,
}

impl Left {
    pub(crate) fn text(&self, name: &str) -> &str {
        std::str::from_utf8(&self.left[name]).unwrap()
    }

    /// Lines that are written as things end are the same lines, in any order.
    pub(crate) fn sorting(mut self, name: &str) -> Left {
        let bytes = self.left.get_mut(name).unwrap();
        let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        lines.sort_unstable();
        *bytes = lines.concat();
        self
    }

    /// Nothing in it is other bytes than there.
    #[track_caller]
    pub(crate) fn is_the_same_as(&self, other: &Left) {
        assert!(self.left.keys().eq(other.left.keys()), "{:?} and {:?}", self.left.keys(), other.left.keys());
        let mut differs = String::new();
        for (name, bytes) in &self.left {
            let there = &other.left[name];
            if bytes != there {
                let at = bytes.iter().zip(there).take_while(|(here, there)| here == there).count();
                let around = |bytes: &[u8]| {
                    let from = at.saturating_sub(200);
                    String::from_utf8_lossy(&bytes[from..bytes.len().min(at + 200)]).into_owned()
                };
                let (here, there) = (around(bytes), around(there));
                writeln!(differs, "\n{name}, at byte {at}:\n--- {here}\n+++ {there}").unwrap();
            }
        }
        assert!(differs.is_empty(), "{:?} and {:?} differ in {differs}", self.world, other.world);
    }
}
