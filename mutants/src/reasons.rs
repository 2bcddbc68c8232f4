//! Why some mutants may survive: what is written in `mutants/reasons.toml`.

use std::fs;
use std::path::Path;

use serde::Deserialize;

/// The reasons that are written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    #[serde(default, rename = "mutants")]
    entries: Vec<Reason>,
}

/// Why these mutants of a function change nothing that anyone could see.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// Below `crates/probative/src/`.
    pub file: String,
    pub function: String,
    /// Each as it is told: `what → what`.
    pub mutations: Vec<String>,
    because: String,
}

impl Reasons {
    /// No file, no reasons.
    pub fn read(path: &Path) -> Result<Reasons, String> {
        let text = fs::read_to_string(path).unwrap_or_default();
        let reasons: Reasons =
            toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        match reasons.entries.iter().find(|reason| reason.because.trim().is_empty()) {
            Some(reason) => Err(format!("{}: {} has no reason", path.display(), reason.function)),
            None => Ok(reasons),
        }
    }

    /// Whether there is a reason for this survivor.
    pub fn has(&self, file: &str, function: &str, told: &str) -> bool {
        self.each().any(|(reason, mutation)| {
            file.ends_with(&format!("src/{}", reason.file)) && reason.function == function && mutation == told
        })
    }

    /// Every mutation that has a reason.
    pub fn each(&self) -> impl Iterator<Item = (&Reason, &str)> {
        self.entries
            .iter()
            .flat_map(|reason| reason.mutations.iter().map(move |told| (reason, told.as_str())))
    }
}
