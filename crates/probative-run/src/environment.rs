//! The environment that cases run in, read once.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use probative::spec::Mode;

use crate::process::WITHIN;

/// What the environment says about how cases are run.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// All variables, by name.
    variables: Vec<(OsString, OsString)>,
    /// Whether they are those of this process.
    is_of_this_process: bool,
    /// The entrypoint of cases without one.
    pub entrypoint: Option<String>,
    /// Whether hooks, and the entrypoint above, are refused.
    pub safe_mode: bool,
    /// The variables that children may see, beside `PATH` and those that a case sets; without a list, all.
    allowed: Option<Vec<OsString>>,
    /// What is done about assertions that say less than they seem to, where a case does not say.
    pub health: Mode,
    /// The certificates to trust instead of those that are built in.
    pub certificates: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process; or what is wrong in it.
    pub fn of_this_process() -> Result<Environment, String> {
        let environment = Environment::of(std::env::vars_os().collect())?;
        Ok(Environment { is_of_this_process: true, ..environment })
    }

    fn of(mut variables: Vec<(OsString, OsString)>) -> Result<Environment, String> {
        variables.sort();
        let get = |name: &str| {
            let found = variables.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
        };
        let text = |name: &str| get(name).map(|value| value.to_string_lossy().into_owned());
        let health = match text("SPEC_RUNNER_ASSERT_HEALTH") {
            None => Mode::default(),
            Some(word) => Mode::named(&word).ok_or_else(|| {
                let names = Mode::ALL.map(Mode::name).join(", ");
                format!("SPEC_RUNNER_ASSERT_HEALTH: expected one of {names}, found '{word}'")
            })?,
        };
        let names = |list: String| list.split(',').map(str::trim).map(OsString::from).collect();
        Ok(Environment {
            entrypoint: text("SPEC_RUNNER_ENTRYPOINT"),
            safe_mode: get("SPEC_RUNNER_SAFE_MODE").is_some_and(|value| value != "0"),
            allowed: variables
                .iter()
                .find(|(name, _)| name == "SPEC_RUNNER_ENV_ALLOWLIST")
                .map(|(_, list)| names(list.to_string_lossy().into_owned())),
            health,
            certificates: get("SSL_CERT_FILE").map(PathBuf::from),
            is_of_this_process: false,
            variables,
        })
    }

    /// The cases that this process is itself within.
    pub(crate) fn within(&self) -> Option<&OsStr> {
        self.value(WITHIN).filter(|value| !value.is_empty())
    }

    /// The value of a variable.
    pub(crate) fn value(&self, name: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str())
    }

    /// Whether children see just what this process does, before a case sets its own.
    pub(crate) fn is_inherited_whole(&self) -> bool {
        self.is_of_this_process && self.allowed.is_none()
    }

    /// The variables that children see before a case sets its own.
    pub(crate) fn inherited(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        let is_allowed = |name: &OsString| {
            self.allowed.as_ref().is_none_or(|allowed| name == "PATH" || allowed.contains(name))
        };
        let seen = self.variables.iter().filter(move |(name, _)| is_allowed(name));
        seen.map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(variables: &[(&str, &str)]) -> Result<Environment, String> {
        Environment::of(variables.iter().map(|(name, value)| (name.into(), value.into())).collect())
    }

    #[test]
    fn children_see_what_is_allowed() {
        let seen = |variables: &[(&str, &str)]| -> Vec<String> {
            let environment = environment(variables).unwrap();
            environment.inherited().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
        };
        assert_eq!(seen(&[("PATH", "/bin"), ("B", "1"), ("A", "2")]), ["A", "B", "PATH"]);
        let listed = ("SPEC_RUNNER_ENV_ALLOWLIST", "B, C");
        assert_eq!(seen(&[("PATH", "/bin"), ("B", "1"), ("A", "2"), listed]), ["B", "PATH"]);
        assert_eq!(seen(&[("PATH", "/bin"), ("A", "2"), ("SPEC_RUNNER_ENV_ALLOWLIST", "")]), ["PATH"]);
    }

    #[test]
    fn a_mode_that_is_none_is_told() {
        assert_eq!(environment(&[("SPEC_RUNNER_ASSERT_HEALTH", "warn")]).unwrap().health, Mode::Warn);
        let told = environment(&[("SPEC_RUNNER_ASSERT_HEALTH", "loud")]).unwrap_err();
        assert_eq!(told, "SPEC_RUNNER_ASSERT_HEALTH: expected one of ignore, warn, error, found 'loud'");
    }
}
