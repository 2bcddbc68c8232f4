//! `api.http`: what a server answers.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::Value;

use super::{Form, Target, Type, Word, Work, Written};
use crate::document::{Mistake, Node};
use crate::spec::lang::Budget;
use crate::value::visible;

pub(super) static TARGETS: &[Target] = &[
    Target { name: "status", form: Form::Text },
    Target { name: "headers", form: Form::Text },
    Target { name: "body_text", form: Form::Text },
    Target { name: "body_json", form: Form::Json },
];

/// A case about a server's answer.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["request"]))]
pub struct ApiHttp {
    /// What it is asked.
    #[serde(default)]
    pub request: HttpRequest,
    /// How it is asked.
    #[serde(default)]
    pub harness: HttpHarness,
}

/// What a server is asked.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["method", "url"]))]
pub struct HttpRequest {
    /// `GET`, `POST`, …
    #[schemars(length(min = 1))]
    pub method: String,
    /// Where; without a scheme, a file beside the spec.
    #[schemars(length(min = 1))]
    pub url: String,
    /// Header names and values.
    pub headers: IndexMap<String, Word>,
    /// What it carries, as it is.
    body_text: Option<String>,
    /// What it carries, as JSON.
    body_json: Option<Value>,
}

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Body<'a> {
    /// Nothing.
    Nothing,
    /// Text, as it is.
    Text(&'a str),
    /// A value, as JSON.
    Json(&'a Value),
}

/// What `harness` takes in a case about a server.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct HttpHarness {
    /// How many seconds the answer may take.
    #[serde(deserialize_with = "positive")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = LONGEST))]
    pub timeout_seconds: f64,
    /// Whether to go where an answer leads.
    pub follow_redirects: bool,
    /// What each `evaluate` may cost.
    pub spec_lang: Budget,
}

impl HttpRequest {
    /// The file that is read instead of asking a server: a `url` without a scheme.
    pub fn file(&self) -> Option<&str> {
        Some(self.url.trim()).filter(|url| !url.contains("://"))
    }

    /// What the request carries.
    pub fn body(&self) -> Body<'_> {
        match (&self.body_text, &self.body_json) {
            (Some(text), _) => Body::Text(text),
            (None, Some(value)) => Body::Json(value),
            (None, None) => Body::Nothing,
        }
    }
}

impl Default for HttpHarness {
    fn default() -> Self {
        HttpHarness { timeout_seconds: 5.0, follow_redirects: true, spec_lang: Budget::default() }
    }
}

impl Written for ApiHttp {
    type Harness = HttpHarness;

    const VERBATIM: &'static [&'static [&'static str]] = &[&["request", "headers"]];

    fn check(&self, _: &Type, case: &Node) -> Result<(), Mistake> {
        let at = case.get("request").unwrap_or(case).span.clone();
        let HttpRequest { method, url, body_text, body_json, .. } = &self.request;
        let missing =
            [("url", url), ("method", method)].into_iter().filter(|(_, text)| text.trim().is_empty());
        let missing: Vec<String> =
            missing.map(|(key, _)| format!("api.http request.{key} is required")).collect();
        if !missing.is_empty() {
            return Err(Mistake::at(missing.join("; "), at));
        }
        if !is_token(method.trim()) {
            let message = format!("api.http request.method is no method: '{}'", visible(method));
            return Err(Mistake::at(message, at));
        }
        if let Some((scheme, _)) = url.trim().split_once("://")
            && !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
        {
            let message = format!("api.http request.url must be http or https, not '{}'", visible(scheme));
            return Err(Mistake::at(message, at));
        }
        if url.contains("://")
            && url.trim().contains(|character: char| character.is_whitespace() || character.is_control())
        {
            return Err(Mistake::at("api.http request.url must not hold spaces; write %20", at));
        }
        for (name, Word(value)) in &self.request.headers {
            if !is_token(name) || value.contains(['\r', '\n']) {
                let message =
                    format!("api.http request.headers: '{}' cannot be sent as a header", visible(name));
                return Err(Mistake::at(message, at));
            }
        }
        if body_text.is_some() && body_json.is_some() {
            let message = "api.http request takes body_text or body_json, not both";
            return Err(Mistake::at(message, at));
        }
        Ok(())
    }
}

/// Whether a word can be a method or the name of a header: RFC 9110's token.
fn is_token(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !word.is_empty() && word.bytes().all(is_part)
}

/// The most seconds that a request can take: a day.
const LONGEST: f64 = 86_400.0;

/// A time that a request can take: positive, and no longer than a day.
fn positive<'de, D: Deserializer<'de>>(reader: D) -> Result<f64, D::Error> {
    let seconds = f64::deserialize(reader)?;
    if seconds > 0.0 && seconds <= LONGEST {
        Ok(seconds)
    } else {
        let found = if seconds.abs() < 1e15 { seconds.to_string() } else { format!("{seconds:e}") };
        Err(D::Error::custom(format_args!("expected a number above 0, up to {LONGEST}, found {found}")))
    }
}

impl From<ApiHttp> for Work {
    fn from(http: ApiHttp) -> Self {
        Work::ApiHttp(Box::new(http))
    }
}
