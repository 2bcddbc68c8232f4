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

/// Sends an HTTP request and checks the response.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[schemars(extend("required" = ["request"]))]
pub struct ApiHttp {
    /// Request to send.
    #[serde(default)]
    pub request: HttpRequest,
    /// Settings for sending the request.
    #[serde(default)]
    pub harness: HttpHarness,
}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("required" = ["method", "url"]))]
pub struct HttpRequest {
    /// HTTP method: `GET`, `POST`, …
    #[schemars(length(min = 1))]
    pub method: String,
    /// URL; without a scheme, a file relative to the spec file.
    #[schemars(length(min = 1))]
    pub url: String,
    /// Request headers.
    pub headers: IndexMap<String, Word>,
    /// Request body as text.
    body_text: Option<String>,
    /// Request body as JSON.
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

/// Keys of `harness` in an `api.http` case.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(deny_unknown_fields)]
pub struct HttpHarness {
    /// Time limit in seconds.
    #[serde(deserialize_with = "positive")]
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = LONGEST))]
    pub timeout_seconds: f64,
    /// Follow redirects; true by default.
    pub follow_redirects: bool,
    /// Limits for each `evaluate` expression: `max_steps`, `max_nodes`, `max_literal_bytes`, `timeout_ms`.
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
            let message = format!("api.http request.method isn't a valid method: '{}'", visible(method));
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
            return Err(Mistake::at("api.http request.url must not contain spaces; use %20", at));
        }
        for (name, Word(value)) in &self.request.headers {
            if !is_token(name) || value.contains(['\r', '\n']) {
                let message = format!("api.http request.headers: '{}' isn't a valid header", visible(name));
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
        Err(D::Error::custom(format_args!(
            "expected a number greater than 0 and at most {LONGEST}, found {found}"
        )))
    }
}

impl From<ApiHttp> for Work {
    fn from(http: ApiHttp) -> Self {
        Work::ApiHttp(Box::new(http))
    }
}
