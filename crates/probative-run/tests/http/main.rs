//! Requests to servers of our own making, over the loopback.

mod answers;
mod failures;
mod redirects;
mod server;
mod tls;

use std::time::Duration;

use probative_run::harness::http::{Answer, Client, Request};

/// How long a server stays silent that never says anything more.
const LONG: Duration = Duration::from_mins(1);

/// A request that waits long enough not to be late on a busy machine.
fn request(method: &str, url: &str) -> Request {
    Request {
        method: method.into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        timeout: Duration::from_secs(20),
        follow_redirects: true,
    }
}

fn fetch(request: &Request) -> Result<Answer, String> {
    Client::new(None).fetch(request, &|| false)
}

fn get(url: &str) -> Result<Answer, String> {
    fetch(&request("GET", url))
}

fn headers(given: &[(&str, &str)]) -> Vec<(String, String)> {
    given.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
}
