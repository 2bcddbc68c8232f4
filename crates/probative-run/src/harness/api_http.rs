//! `api.http`: asks a server, or reads a file as if a server had answered with it.

use std::borrow::Cow;
use std::time::Duration;

use probative::exhibit::{Exhibit, ExhibitLine, Marks, Panel, beginning};
use probative::spec::lang::World;
use probative::spec::types::{ApiHttp, Body, Target};
use probative::spec::{Observed, Subject};
use probative::value::excerpt::cut;
use probative::value::{Cause, Malformed, Tree, Value, visible};
use probative::verdict::{Category, Error, ErrorKind};

use super::http::{Answer, LONGEST_BODY, Request};
use super::world::Here;
use super::{Hands, Job, Seen, text_file};

/// What a server answered.
struct Answered<'a> {
    status: Value,
    headers: Value,
    body: Value,
    /// The body as JSON, if it is.
    json: Option<Value>,
    /// Why the body is no JSON that can be judged, though it may be JSON.
    unread: Option<String>,
    here: Here<'a>,
    /// How much of the body is there, if not all of it.
    cut: Option<String>,
    warnings: Vec<String>,
}

pub(super) fn work<'a>(
    hands: &'a Hands<'_>,
    http: &ApiHttp,
    job: Job<'a>,
) -> Result<Box<dyn Seen + 'a>, Error> {
    let answer = match http.request.file() {
        Some(file) => read(file, job),
        None => ask(hands, http, http.request.url.trim()),
    };
    let answer = answer.map_err(|error| error.within(&job.place(&["request", "url"])))?;
    Ok(Box::new(Answered::of(answer, Here::at(&*job.file.directory, hands.stop))))
}

/// Asks a server.
fn ask(hands: &Hands<'_>, http: &ApiHttp, url: &str) -> Result<Answer, Error> {
    let (headers, body) = carried(http);
    let request = Request {
        method: http.request.method.trim().to_owned(),
        url: url.to_owned(),
        headers,
        body,
        timeout: Duration::from_secs_f64(http.harness.timeout_seconds),
        follow_redirects: http.harness.follow_redirects,
    };
    hands.client().fetch(&request, &|| hands.stop.is_tripped()).map_err(|reason| {
        let Request { method, url, .. } = &request;
        Error::new(ErrorKind::Unobtainable(format!("{} {}: {reason}", visible(method), visible(url))))
    })
}

/// The headers and the body of a request. What is JSON says so, unless the case does.
fn carried(http: &ApiHttp) -> (Vec<(String, String)>, Option<Vec<u8>>) {
    let headers = http.request.headers.iter().map(|(name, value)| (name.clone(), value.0.clone()));
    let mut headers: Vec<(String, String)> = headers.collect();
    match http.request.body() {
        Body::Nothing => (headers, None),
        Body::Text(text) => (headers, Some(text.as_bytes().to_vec())),
        Body::Json(value) => {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
            }
            (headers, Some(value.to_string().into_bytes()))
        }
    }
}

/// A file beside the spec, as if a server had answered with it.
fn read(url: &str, job: Job<'_>) -> Result<Answer, Error> {
    let escapes = "api.http request.url escapes contract root";
    let body = text_file::read_inside(url, job.file.place(), escapes, LONGEST_BODY);
    let body = body.map_err(|error| match error.category() {
        Category::Runtime if url.contains(':') => {
            error.retold(|told| format!("{told}; a server URL starts with http:// or https://"))
        }
        _ => error,
    })?;
    Ok(Answer { status: 200, headers: Vec::new(), body, dropped: false })
}

impl<'a> Answered<'a> {
    fn of(answer: Answer, here: Here<'a>) -> Answered<'a> {
        let mut warnings = Vec::new();
        let cut = answer.dropped.then(|| format!("was cut off after {} bytes", answer.body.len()));
        warnings.extend(cut.iter().map(|cut| format!("the body {cut}")));
        let mut headers: Vec<String> =
            answer.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        headers.sort();
        let (json, unread) = match Tree::read(&answer.body) {
            Ok(tree) => (Some(tree.value), None),
            Err(Malformed { cause: Cause::Limit, message, .. }) => (None, Some(message)),
            Err(_) => (None, cut.clone()),
        };
        let body = super::text(answer.body, "the body", &mut warnings);
        Answered {
            status: answer.status.to_string().into(),
            headers: headers.join("\n").into(),
            body: body.into(),
            json,
            unread,
            here,
            cut,
            warnings,
        }
    }
}

impl Observed for Answered<'_> {
    fn subject(&self, target: &'static Target) -> Result<Subject<'_>, Error> {
        let subject = match (target.name, &self.json) {
            ("status", _) => &self.status,
            ("headers", _) => &self.headers,
            ("body_text", _) => &self.body,
            (_, Some(json)) => json,
            (_, None) => {
                if let Some(why) = &self.unread {
                    let message = format!("{} cannot be read as JSON: {why}", target.name);
                    return Err(Error::new(ErrorKind::Exhausted(message)));
                }
                let start = cut(self.body.as_str().unwrap_or_default()).into_owned();
                return Ok(Subject::NotJson(format!("text that isn't JSON: '{start}'")));
            }
        };
        Ok(Subject::Value(Cow::Borrowed(subject)))
    }

    fn cut(&self, target: &'static Target) -> Option<String> {
        self.cut.clone().filter(|_| target.name == "body_text")
    }

    fn world(&self) -> &dyn World {
        &self.here
    }
}

impl Seen for Answered<'_> {
    fn exhibit(&self) -> Option<&dyn Exhibit> {
        Some(self)
    }

    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }
}

impl Exhibit for Answered<'_> {
    fn lines(&self, _: &Marks) -> Vec<ExhibitLine> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let status = ExhibitLine::plain(format!("status {}", text(&self.status)));
        let parts = [("headers", &self.headers), ("body", &self.body)];
        let parts = parts.into_iter().flat_map(|(name, value)| beginning(name, &text(value)));
        std::iter::once(status).chain(parts).collect()
    }

    fn panels(&self) -> Vec<Panel> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let parts = [("status", &self.status), ("headers", &self.headers)];
        let parts = parts.into_iter().map(|(name, value)| Panel::text(name, &text(value)));
        parts.chain([super::exhibits::written("body", &text(&self.body))]).collect()
    }
}
