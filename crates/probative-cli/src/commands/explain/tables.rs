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

In all output, asterisks replace the values of secret variables: those named
{names}, and those that match a pattern in `redact.env`.
This covers the environment and the `env` of agents and cases. A value is hidden even if
it is escaped, Base64-encoded, split across lines or truncated. Verdicts are based on the
original values. After a run, a note on standard error names the variables whose values
were hidden. If one of them isn't secret, such as DB_PASSWORD=success on a test machine,
list it in `except`.

```toml
[redact]
env = [\"DATABASE_URL\", \"AZURE_*\"]
except = [\"PUBLIC_KEY\"]
```

Values shorter than 4 characters are never hidden, nor are true, false, null and none.
"
    )
}
