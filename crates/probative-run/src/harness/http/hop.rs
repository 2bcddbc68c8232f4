//! One request of a chain: the first, or where a redirect leads.

use ureq::http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LANGUAGE,
    CONTENT_LENGTH, CONTENT_TYPE, RANGE, TRANSFER_ENCODING, USER_AGENT,
};
use ureq::http::{self, HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri};
use ureq::{Agent, Body, Error};

use super::Request;

/// The headers of a case that a redirect takes to another server. None of them can hold a credential.
const HARMLESS: [HeaderName; 11] = [
    ACCEPT,
    ACCEPT_ENCODING,
    ACCEPT_LANGUAGE,
    CACHE_CONTROL,
    CONTENT_ENCODING,
    CONTENT_LANGUAGE,
    CONTENT_LENGTH,
    CONTENT_TYPE,
    RANGE,
    TRANSFER_ENCODING,
    USER_AGENT,
];

/// A request that can be sent.
pub(super) struct Hop {
    pub(super) uri: Uri,
    method: Method,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl Hop {
    /// What is asked first, or what is wrong with it.
    pub(super) fn first(request: &Request) -> Result<Hop, String> {
        let Request { method, url, headers: given, body, .. } = request;
        let uri = absolute(url).map_err(|problem| format!("'{url}' {problem}"))?;
        let method =
            Method::from_bytes(method.as_bytes()).map_err(|_| format!("'{method}' isn't an HTTP method"))?;
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            let known = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| format!("'{name}' isn't a valid header name"))?;
            let value = HeaderValue::from_str(value)
                .map_err(|_| format!("the value of header '{name}' has invalid characters"))?;
            headers.try_append(known, value).map_err(|_| "too many headers".to_owned())?;
        }
        let expected = matches!(method, Method::POST | Method::PUT | Method::PATCH);
        let body = body.clone().or_else(|| expected.then(Vec::new));
        check_length(&headers, body.as_ref().map_or(0, Vec::len))?;
        Ok(Hop { uri, method, headers, body })
    }

    /// Sends it, and gives the answer as far as its body.
    pub(super) fn send(&self, agent: &Agent) -> Result<Response<Body>, Error> {
        let mut request = http::Request::new(());
        request.method_mut().clone_from(&self.method);
        request.uri_mut().clone_from(&self.uri);
        request.headers_mut().clone_from(&self.headers);
        match &self.body {
            Some(body) => agent.run(request.map(|()| body.as_slice())),
            None => agent.run(request),
        }
    }

    /// What is asked next, as browsers do it.
    ///
    /// After 303, and after 301 and 302 where it was POST, it is GET without a body; otherwise it is the same again.
    /// Another scheme, host or port is sent none of the headers that a case sets but [`HARMLESS`]: any other may hold a
    /// credential, whatever it is called.
    pub(super) fn redirected(mut self, status: StatusCode, location: &str) -> Result<Hop, String> {
        let uri = absolute(&joined(&self.uri, location))
            .map_err(|problem| format!("redirected to '{location}', which {problem}"))?;
        let becomes_get = match status.as_u16() {
            301 | 302 => self.method == Method::POST,
            303 => self.method != Method::HEAD,
            _ => false,
        };
        if becomes_get {
            self.method = Method::GET;
            self.body = None;
            self.keep_headers(|name| !name.as_str().starts_with("content-") && *name != TRANSFER_ENCODING);
        }
        if origin(&self.uri) != origin(&uri) {
            self.keep_headers(|name| HARMLESS.contains(name));
        }
        self.uri = uri;
        Ok(self)
    }

    fn keep_headers(&mut self, is_kept: impl Fn(&HeaderName) -> bool) {
        let names: Vec<HeaderName> = self.headers.keys().filter(|name| !is_kept(name)).cloned().collect();
        for name in names {
            self.headers.remove(name);
        }
    }
}

/// A length that is not the body's would have ureq wait for the rest of it.
fn check_length(headers: &HeaderMap, length: usize) -> Result<(), String> {
    match headers
        .get_all(CONTENT_LENGTH)
        .iter()
        .find(|given| given.as_bytes() != length.to_string().as_bytes())
    {
        Some(_) => Err(format!("header 'content-length' doesn't match the body of {length} bytes")),
        None => Ok(()),
    }
}

/// An address that can be asked, or what is wrong with it.
fn absolute(url: &str) -> Result<Uri, String> {
    let uri: Uri = url.parse().map_err(|error| format!("is not a URL: {error}"))?;
    let Some("http" | "https") = uri.scheme_str() else { return Err("is neither http nor https".into()) };
    let server = uri.authority().map_or("", |authority| authority.as_str());
    let server = server.rsplit('@').next().unwrap_or_default();
    match (uri.host().unwrap_or_default(), uri.port_u16()) {
        ("", _) => Err("has no host".into()),
        // A port that is too great is not seen as one, and the usual port would be asked.
        (host, None) if server.trim_end_matches(':') != host => Err("has an invalid port".into()),
        _ => Ok(uri),
    }
}

/// Scheme, host and port: what makes a server this one and no other.
fn origin(uri: &Uri) -> (Option<&str>, String, u16) {
    let scheme = uri.scheme_str();
    let usual = if scheme == Some("https") { 443 } else { 80 };
    (scheme, uri.host().unwrap_or_default().to_ascii_lowercase(), uri.port_u16().unwrap_or(usual))
}

/// A reference as seen from an address (RFC 3986, 5.2).
fn joined(base: &Uri, reference: &str) -> String {
    let reference = reference.split('#').next().unwrap_or_default();
    let scheme = base.scheme_str().unwrap_or_default();
    let server = base.authority().map_or("", |authority| authority.as_str());
    if has_scheme(reference) {
        return reference.to_owned();
    }
    if reference.starts_with("//") {
        return format!("{scheme}:{reference}");
    }
    let (path, query) = match reference.find('?') {
        Some(at) => reference.split_at(at),
        None => (reference, ""),
    };
    let directory = base.path().rfind('/').map_or("/", |at| &base.path()[..=at]);
    match (path, query) {
        ("", "") => base.to_string(),
        ("", query) => format!("{scheme}://{server}{}{query}", base.path()),
        (path, query) if path.starts_with('/') => format!("{scheme}://{server}{}{query}", without_dots(path)),
        (path, query) => format!("{scheme}://{server}{}{query}", without_dots(&format!("{directory}{path}"))),
    }
}

/// Whether a reference begins with a scheme: letters, digits, `+`, `-` and `.` before a colon.
fn has_scheme(reference: &str) -> bool {
    reference.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.chars().all(|other| other.is_ascii_alphanumeric() || "+-.".contains(other))
    })
}

/// A path from the root in which nothing is `.` or `..`. Above the root is the root.
fn without_dots(path: &str) -> String {
    let mut kept = Vec::new();
    for part in path.split('/').skip(1) {
        match part {
            "." => {}
            ".." => drop(kept.pop()),
            part => kept.push(part),
        }
    }
    if path.ends_with("/.") || path.ends_with("/..") {
        kept.push("");
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_seen_from_where_it_stands() {
        let base: Uri = "http://a:81/b/c/d?q".parse().unwrap();
        for (reference, expected) in [
            ("g", "http://a:81/b/c/g"),
            ("./g/", "http://a:81/b/c/g/"),
            ("/g?y#s", "http://a:81/g?y"),
            ("//h/x", "http://h/x"),
            ("?y", "http://a:81/b/c/d?y"),
            ("", "http://a:81/b/c/d?q"),
            ("#s", "http://a:81/b/c/d?q"),
            (".", "http://a:81/b/c/"),
            ("..", "http://a:81/b/"),
            ("../../../g", "http://a:81/g"),
            ("/x/../y/./z?a=../b", "http://a:81/y/z?a=../b"),
            ("https://h/../x", "https://h/../x"),
            ("g?u=http://h", "http://a:81/b/c/g?u=http://h"),
            ("file:///etc/passwd", "file:///etc/passwd"),
            ("javascript:x", "javascript:x"),
        ] {
            assert_eq!(joined(&base, reference), expected, "{reference}");
        }
    }

    #[test]
    fn a_server_is_another_by_scheme_host_or_port() {
        let same = |a: &str, b: &str| origin(&a.parse().unwrap()) == origin(&b.parse().unwrap());
        assert!(same("http://a/x", "http://A:80/y"));
        assert!(same("https://a/x", "https://a:443/"));
        assert!(!same("http://a/", "https://a/"));
        assert!(!same("http://a/", "http://a:81/"));
        assert!(!same("http://a/", "http://b/"));
    }
}
