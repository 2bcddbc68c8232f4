//! One request over HTTP, and its answer as it was received.
//!
//! Every request has its own connection: one that was kept may be closed by the other side just when it is used again, and
//! a test would fail by chance.

mod failure;
mod hop;
mod trust;
mod wire;

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use flate2::bufread::MultiGzDecoder;
use ureq::config::{AutoHeaderValue, Config};
use ureq::http::Response;
use ureq::http::header::LOCATION;
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, TcpConnector};
use ureq::{Agent, Body, Error};

use hop::Hop;
use trust::{Secure, Trust};
use wire::{Record, Recorder};

/// How much of a body is kept, counted after it is decompressed.
pub const LONGEST_BODY: usize = 16 << 20;

/// How many redirects are followed.
const MOST_REDIRECTS: usize = 10;

/// As good as for ever, and no clock overflows.
const LONGEST_TIMEOUT: Duration = Duration::from_hours(24);

/// How often whoever waits for an answer looks whether to go on.
const PATIENCE: Duration = Duration::from_millis(50);

/// What is asked of a server.
#[derive(Debug, Clone)]
pub struct Request {
    /// Any token, sent as it is written: `get` is not `GET`.
    pub method: String,
    /// An absolute URL, http or https. A name and password in it are sent as basic authorization.
    pub url: String,
    /// Sent besides `host`, `user-agent`, `accept` and `content-length`, or instead of them.
    pub headers: Vec<(String, String)>,
    /// `None` sends no body; to POST, PUT and PATCH it is the same as an empty one.
    pub body: Option<Vec<u8>>,
    /// From looking up the name to the last byte of the body, redirects included. More than a day is a day.
    pub timeout: Duration,
    /// Whether the answer is the one at the end of a chain of redirects, or the first.
    pub follow_redirects: bool,
}

/// What a server answered. Any status is an answer, also 404 and 500.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The code of three digits.
    pub status: u16,
    /// In the order received, names spelled as received, none left out; what is not UTF-8 is replaced by U+FFFD.
    pub headers: Vec<(String, String)>,
    /// Without chunks and without gzip, though the headers still speak of them.
    pub body: Vec<u8>,
    /// Whether the body was longer than [`LONGEST_BODY`] and is cut there.
    pub dropped: bool,
}

/// Sends requests. Made once and shared by threads.
pub struct Client {
    trust: Arc<Trust>,
}

impl Client {
    /// A client that trusts the certificates in a file (PEM), or those of the web if none is given.
    ///
    /// The file is read when https is first spoken; that it cannot be read is an error only then.
    pub fn new(roots: Option<PathBuf>) -> Client {
        Client { trust: Arc::new(Trust::new(roots)) }
    }

    /// The answer to one request, or why there is none.
    ///
    /// Looks at `stop` twenty times a second, and gives up when it says so. No proxy is asked, whatever the environment
    /// names.
    pub fn fetch(&self, request: &Request, stop: &dyn Fn() -> bool) -> Result<Answer, String> {
        let timeout = request.timeout.min(LONGEST_TIMEOUT);
        let deadline = Instant::now() + timeout;
        if stop() {
            return Err(Silence::Interrupted.told(timeout));
        }
        let hop = Hop::first(request)?;
        let redirects = if request.follow_redirects { MOST_REDIRECTS } else { 0 };
        let record = Record::default();
        let agent = self.agent(timeout, &record);

        // Nothing calls a thread back that waits for a name server, so one is sent for which nobody has to wait.
        let (tell, told) = sync_channel(1);
        let sent = agent.clone();
        thread::Builder::new()
            .name("fetch".into())
            .spawn(move || tell.send(follow(&sent, &record, hop, redirects)))
            .map_err(|error| format!("cannot start a thread: {error}"))?;
        let answer = wait(&told, deadline, stop);
        agent.shutdown();
        answer.unwrap_or_else(|silence| Err(silence.told(timeout)))
    }

    /// What speaks HTTP for one request.
    fn agent(&self, timeout: Duration, record: &Record) -> Agent {
        let config = Config::builder()
            .http_status_as_error(false)
            .allow_non_standard_methods(true)
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .user_agent(concat!("probative/", env!("CARGO_PKG_VERSION")))
            .accept_encoding(AutoHeaderValue::None)
            // Whoever waits is the clock; this only ends the thread of a connection that is no longer waited for.
            .timeout_connect(Some(timeout + Duration::from_secs(1)))
            .build();
        let connector =
            ().chain(TcpConnector::default())
                .chain(Secure(Arc::clone(&self.trust)))
                .chain(Recorder(record.clone()));
        Agent::with_parts(config, connector, DefaultResolver::default())
    }
}

/// Why nobody waits any longer.
enum Silence {
    Interrupted,
    Late,
    Broken,
}

impl Silence {
    fn told(&self, timeout: Duration) -> String {
        match self {
            Silence::Interrupted => "interrupted".into(),
            Silence::Late => format!("timed out after {timeout:?}"),
            Silence::Broken => "the request was aborted".into(),
        }
    }
}

/// What is told until a deadline.
fn wait<T>(told: &Receiver<T>, deadline: Instant, stop: &dyn Fn() -> bool) -> Result<T, Silence> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match told.recv_timeout(left.min(PATIENCE)) {
            Ok(answer) => return Ok(answer),
            Err(RecvTimeoutError::Disconnected) => return Err(Silence::Broken),
            Err(RecvTimeoutError::Timeout) if stop() => return Err(Silence::Interrupted),
            Err(RecvTimeoutError::Timeout) if left <= PATIENCE => return Err(Silence::Late),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// The answer at the end of so many redirects at most. With none to follow, a redirect is the answer.
fn follow(agent: &Agent, record: &Record, mut hop: Hop, redirects: usize) -> Result<Answer, String> {
    for _ in 0..=redirects {
        let response = hop.send(agent).map_err(|error| failure::why(error, &hop.uri))?;
        match redirect(&response) {
            Some(location) if redirects > 0 => hop = hop.redirected(response.status(), &location)?,
            _ => return take_down(response, record).map_err(|error| failure::why(error, &hop.uri)),
        }
    }
    Err(format!("more than {redirects} redirects"))
}

/// Where the answer sends whoever asked. Without a `location`, and for 300 and 304, there is nowhere to go.
fn redirect(response: &Response<Body>) -> Option<String> {
    let location = response.headers().get(LOCATION)?;
    matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308)
        .then(|| String::from_utf8_lossy(location.as_bytes()).into_owned())
}

fn take_down(response: Response<Body>, record: &Record) -> Result<Answer, Error> {
    let status = response.status().as_u16();
    let headers = record.headers().ok_or_else(|| Error::Other("the response headers are too long".into()))?;
    let mut body = response.into_body().into_reader();
    let (body, dropped) = if is_gzip(&headers) {
        // What is packed is never twice as long as what it holds.
        let (packed, _) = read(&mut body, 2 * LONGEST_BODY)?;
        unpack(&packed)
            .map_err(|error| Error::Other(format!("cannot decompress the body: {error}").into()))?
    } else {
        read(&mut body, LONGEST_BODY)?
    };
    Ok(Answer { status, headers, body, dropped })
}

/// Everything up to a limit, and whether there is more.
fn read(from: &mut dyn Read, limit: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.take(limit as u64 + 1).read_to_end(&mut bytes)?;
    let more = bytes.len() > limit;
    bytes.truncate(limit);
    Ok((bytes, more))
}

/// What gzip holds. Nothing, as it comes after HEAD, holds nothing.
fn unpack(packed: &[u8]) -> io::Result<(Vec<u8>, bool)> {
    if packed.is_empty() {
        Ok((Vec::new(), false))
    } else {
        read(&mut MultiGzDecoder::new(packed), LONGEST_BODY)
    }
}

fn is_gzip(headers: &[(String, String)]) -> bool {
    let encoding = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    encoding.is_some_and(|(_, value)| ["gzip", "x-gzip"].iter().any(|gzip| value.eq_ignore_ascii_case(gzip)))
}
