//! What a vocabulary says of itself: its assertions with their documentation, read off the enum.

use schemars::schema_for;

use crate::value::Value;
use crate::vocabulary::Vocabulary;

/// One assertion of a vocabulary, as its variant and the comment on it declare it.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The name, as questions write it.
    pub name: String,
    /// The whole documentation, in Markdown.
    pub text: String,
    /// The JSON Schema of the argument.
    pub argument: Value,
}

/// A question and a subject from the documentation, with what the judge must answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// An `expect` object.
    pub question: String,
    /// The subject, as JSON.
    pub subject: String,
    /// The failure's message; `None` where the subject passes.
    pub message: Option<String>,
}

/// What a vocabulary says of itself as a whole, in Markdown.
pub fn introduction<A: Vocabulary>() -> String {
    let schema = schema_for!(A);
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// Every assertion of a vocabulary, in the order of the enum.
pub fn entries<A: Vocabulary>() -> Vec<Entry> {
    let schema = schema_for!(A);
    let variants = schema.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let named = variants.filter_map(|variant| {
        let (name, argument) = variant.get("properties")?.as_object()?.iter().next()?;
        let text = variant.get("description").and_then(Value::as_str).unwrap_or_default();
        Some(Entry { name: name.clone(), text: text.to_owned(), argument: argument.clone() })
    });
    named.collect()
}

impl Entry {
    /// The first sentence.
    pub fn summary(&self) -> &str {
        let paragraph = self.text.split("\n\n").next().unwrap_or_default();
        paragraph.find(". ").map_or(paragraph, |end| &paragraph[..=end])
    }

    /// The examples: after each `expect:` the subjects that it passes and fails, a failure with its message below.
    pub fn examples(&self) -> Vec<Example> {
        let mut examples: Vec<Example> = Vec::new();
        let mut question = "";
        for line in self.text.lines() {
            if let Some(written) = line.strip_prefix("expect:") {
                question = written.trim();
            } else if let Some(subject) = line.strip_prefix("passes:").or_else(|| line.strip_prefix("fails:"))
            {
                let message = line.starts_with("fails:").then(String::new);
                examples.push(Example {
                    question: question.to_owned(),
                    subject: subject.trim().to_owned(),
                    message,
                });
            } else if let (Some(message), Some(example)) =
                (line.strip_prefix("        "), examples.last_mut())
            {
                example.message = Some(message.to_owned());
            }
        }
        examples
    }
}
