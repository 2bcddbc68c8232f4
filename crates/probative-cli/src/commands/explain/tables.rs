//! What stands in `probative.toml` beside the defaults of flags.

use probative_run::SECRET_NAMES;

use super::{Group, Layout, Topic, first_sentence};

/// The tables of `probative.toml` that have a page.
pub(super) fn group() -> Group {
    let text = redact();
    let topic = Topic { name: "redact".to_owned(), summary: first_sentence(&text), text };
    Group {
        heading: "In probative.toml:".to_owned(),
        noun: "table of probative.toml".to_owned(),
        layout: Layout::Lines,
        topics: vec![topic],
    }
}

fn redact() -> String {
    let names = SECRET_NAMES.join(", ");
    format!(
        "Whose values are hidden in all that is written, every byte as `*`.

Hidden are the values of environment variables that are called {names},
or as `env` says, be they set outside or under `env` of a case or an agent; also escaped,
in Base64, over several lines, or in part where a text is cut. Verdicts stay: what is
judged is what was there. Behind a run, a note on standard error names the variables whose
values were hidden. If one of them is no secret, such as DB_PASSWORD=success on a machine
for tests, name it in `except`: then it is shown.

```toml
[redact]
env = [\"DATABASE_URL\", \"AZURE_*\"]
except = [\"PUBLIC_KEY\"]
```

A value of fewer than 4 characters is shown, and so are true, false, null and none.
"
    )
}
