//! Why there is no answer, in words.

use std::io::ErrorKind;

use ureq::Error;
use ureq::http::Uri;

/// Says what went wrong with which server. A name and password in the URL are not told.
pub(super) fn why(error: Error, uri: &Uri) -> String {
    let host = match (uri.host().unwrap_or_default(), uri.port()) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.to_owned(),
    };
    match error {
        Error::Io(error) => match error.kind() {
            ErrorKind::ConnectionRefused => format!("{host} refused the connection"),
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => format!("{host} closed the connection before the answer was complete"),
            // What rustls has to say comes as this kind.
            ErrorKind::InvalidData => format!("no TLS with {host}: {error}"),
            _ => format!("cannot reach {host}: {error}"),
        },
        Error::Rustls(error) => format!("no TLS with {host}: {error}"),
        Error::HostNotFound => format!("cannot find {host}"),
        Error::Protocol(error) => format!("no HTTP with {host}: {error}"),
        Error::LargeResponseHeader(_, most) => format!("the head from {host} is longer than {most} bytes"),
        Error::Other(reason) => reason.to_string(),
        error => format!("no answer from {host}: {error}"),
    }
}
