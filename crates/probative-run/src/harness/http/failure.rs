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
            | ErrorKind::BrokenPipe => {
                format!("{host} closed the connection before the response was complete")
            }
            // What rustls has to say comes as this kind.
            ErrorKind::InvalidData => format!("TLS error with {host}: {error}"),
            _ => format!("cannot reach {host}: {error}"),
        },
        Error::Rustls(error) => format!("TLS error with {host}: {error}"),
        Error::HostNotFound => format!("cannot resolve {host}"),
        Error::Protocol(error) => format!("invalid HTTP from {host}: {error}"),
        Error::LargeResponseHeader(_, most) => {
            format!("the response headers from {host} are longer than {most} bytes")
        }
        Error::Other(reason) => reason.to_string(),
        error => format!("no response from {host}: {error}"),
    }
}
