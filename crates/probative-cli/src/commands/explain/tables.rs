//! Tables of `probative.toml`.

use probative_run::SECRET_NAMES;

use super::{Topic, first_sentence};

/// The table `[redact]`.
pub(super) fn topic() -> Topic {
    let text = redact();
    Topic { name: "redact".to_owned(), summary: first_sentence(&text), text }
}

fn redact() -> String {
    let names = SECRET_NAMES.join(", ");
    format!(
        "Table in probative.toml that names secret variables.

In all output, asterisks replace the values of variables that are named
{names}, or that match `env`, in the environment and in
`env` of a case or an agent. A value is also hidden if it is escaped, encoded in Base64,
split over several lines, or cut. Verdicts are based on the original values. After a run,
a note on standard error names the variables whose values were hidden. If one of them
isn't secret, such as DB_PASSWORD=success on a test machine, list it in `except`.

```toml
[redact]
env = [\"DATABASE_URL\", \"AZURE_*\"]
except = [\"PUBLIC_KEY\"]
```

Values shorter than 4 characters are never hidden, nor are true, false, null and none.
"
    )
}
