//! Pages about ideas that no table names.

use super::{Group, Layout, Topic, exit_codes, first_sentence, tables};

/// The pages that are written by hand, each with its file.
const TOPICS: [(&str, &str); 13] = [
    ("baselines", include_str!("topics/baselines.md")),
    ("claims", include_str!("topics/claims.md")),
    ("dates", include_str!("topics/dates.md")),
    ("envelope", include_str!("topics/envelope.md")),
    ("matchers", include_str!("topics/matchers.md")),
    ("never-exercised", include_str!("topics/never-exercised.md")),
    ("paths", include_str!("topics/paths.md")),
    ("patterns", include_str!("topics/patterns.md")),
    ("scope", include_str!("topics/scope.md")),
    ("secrets", include_str!("topics/secrets.md")),
    ("suites", include_str!("topics/suites.md")),
    ("traces", include_str!("topics/traces.md")),
    ("trials", include_str!("topics/trials.md")),
];

/// A page with its examples further to the right instead of in fences.
fn laid_out(page: &str) -> String {
    let (mut text, mut is_example) = (String::new(), false);
    for line in page.lines() {
        if line.starts_with("```") {
            is_example = !is_example;
            continue;
        }
        text.extend([if is_example { "  " } else { "" }, line, "\n"]);
    }
    text
}

/// All topics, by name.
pub(super) fn group() -> Group {
    let topic = |(name, text): (&str, &str)| Topic {
        name: name.to_owned(),
        summary: first_sentence(text),
        text: laid_out(text),
    };
    let mut topics: Vec<Topic> = TOPICS.map(topic).into();
    topics.extend([exit_codes::topic(), tables::topic()]);
    topics.sort_by(|one, other| one.name.cmp(&other.name));
    Group { heading: "Topics:".to_owned(), noun: "topic".to_owned(), layout: Layout::Lines, topics }
}
