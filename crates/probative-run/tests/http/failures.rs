//! Why there is no answer, and how soon that is known.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use probative_run::harness::http::Client;

use crate::server::Server;
use crate::{LONG, fetch, get, headers, request};

/// Fails within 300 ms, and says that it waited no longer.
fn times_out(url: &str) {
    let mut hasty = request("GET", url);
    hasty.timeout = Duration::from_millis(300);
    let start = Instant::now();
    assert_eq!(fetch(&hasty).unwrap_err(), "timed out after 300ms");
    let took = start.elapsed();
    assert!(took >= hasty.timeout && took < Duration::from_secs(5), "{took:?}");
}

#[test]
fn a_server_that_never_answers_is_left() {
    times_out(&Server::new(|_, _| sleep(LONG)).url("/"));
}

#[test]
fn a_server_that_drips_is_left() {
    let drip = |stream: &mut TcpStream, start: &str| {
        stream.write_all(start.as_bytes()).unwrap();
        while stream.write_all(b"x").is_ok() {
            sleep(Duration::from_millis(20));
        }
    };
    times_out(&Server::new(move |_, stream| drip(stream, "HTTP/1.1 200 OK\r\nX-Slow: ")).url("/"));
    times_out(
        &Server::new(move |_, stream| drip(stream, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n"))
            .url("/"),
    );
    // Here the end of the connection would be the end of the body.
    times_out(&Server::new(move |_, stream| drip(stream, "HTTP/1.1 200 OK\r\n\r\n")).url("/"));
}

#[test]
fn all_redirects_together_have_the_time_of_one() {
    let server = Server::new(|_, stream| {
        sleep(Duration::from_millis(100));
        let _ = stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
    });
    times_out(&server.url("/"));
}

#[test]
fn a_server_that_never_accepts_is_left() {
    // Nobody takes connections from its queue, and once that is full, no more are made.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    while queue.len() < 5000 {
        match TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            Ok(stream) => queue.push(stream),
            Err(_) => break,
        }
    }
    times_out(&format!("http://{address}/"));
}

#[test]
fn a_server_is_let_go_when_its_time_is_over() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut hasty = request("GET", &format!("http://{}/", listener.local_addr().unwrap()));
    hasty.timeout = Duration::from_millis(100);
    fetch(&hasty).unwrap_err();
    let (mut stream, _) = listener.accept().unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    let start = Instant::now();
    crate::server::read(&mut stream);
    assert_eq!(std::io::Read::read(&mut stream, &mut [0]).unwrap(), 0);
    assert!(start.elapsed() < LONG / 2);
}

#[test]
fn a_stop_is_heard_at_once() {
    let server = Server::new(|_, _| sleep(LONG));
    let stop = AtomicBool::new(false);
    let stopped = || stop.load(Ordering::Relaxed);
    let patient = request("GET", &server.url("/"));
    let took = std::thread::scope(|scope| {
        let clock = scope.spawn(|| {
            sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
            Instant::now()
        });
        assert_eq!(Client::new(None).fetch(&patient, &stopped).unwrap_err(), "interrupted");
        Instant::now().duration_since(clock.join().unwrap())
    });
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(server.asked().len(), 1);
    assert_eq!(Client::new(None).fetch(&patient, &stopped).unwrap_err(), "interrupted");
    sleep(Duration::from_millis(100));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_refused_connection_says_so() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://me:s3cret@{address}/");
    assert_eq!(get(&url).unwrap_err(), format!("{address} refused the connection"));
}

#[test]
fn an_unknown_host_says_so() {
    let reason = get("http://no-such-host.invalid/").unwrap_err();
    assert!(reason.starts_with("cannot reach no-such-host.invalid: "), "{reason}");
}

#[test]
fn an_answer_that_breaks_off_is_none() {
    for sent in [
        "",
        "HTTP/1.1 200 OK\r\nX: y\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ] {
        let server = Server::saying(sent);
        let expected = format!("{} closed the connection before the response was complete", server.address);
        assert_eq!(get(&server.url("/")).unwrap_err(), expected, "{sent}");
    }
}

#[test]
fn what_is_not_http_is_no_answer() {
    for (sent, expected) in [
        ("SSH-2.0-OpenSSH\r\n\r\n", "invalid HTTP from HOST: http parse fail: invalid HTTP version"),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "invalid HTTP from HOST: chunk length cannot be read as a number",
        ),
        (
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain text",
            "cannot decompress the body: invalid gzip header",
        ),
    ] {
        let server = Server::saying(sent);
        let expected = expected.replace("HOST", &server.address.to_string());
        assert_eq!(get(&server.url("/")).unwrap_err(), expected, "{sent}");
    }
    let endless = Server::saying(format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(200_000)));
    let expected = format!("the response headers from {} are longer than 65536 bytes", endless.address);
    assert_eq!(get(&endless.url("/")).unwrap_err(), expected);
}

#[test]
fn a_bad_request_is_not_sent() {
    for (url, expected) in [
        ("", "'' is not a URL: empty string"),
        ("/x", "'/x' is neither http nor https"),
        ("localhost:80", "'localhost:80' is neither http nor https"),
        ("ftp://h/", "'ftp://h/' is neither http nor https"),
        ("http://", "'http://' is not a URL: empty string"),
        ("http://:80/", "'http://:80/' has no host"),
        ("http://h:99999/", "'http://h:99999/' has an invalid port"),
        ("http://a:b@h:99999/", "'http://a:b@h:99999/' has an invalid port"),
        ("http://h/\u{e9} x", "'http://h/\u{e9} x' is not a URL: invalid uri character"),
    ] {
        assert_eq!(get(url).unwrap_err(), expected);
    }
    let server = Server::saying("");
    for method in ["", "G T", "GET\r\nX: y", "\u{e9}"] {
        assert_eq!(
            fetch(&request(method, &server.url("/"))).unwrap_err(),
            format!("'{method}' isn't an HTTP method")
        );
    }
    let mut bad = request("GET", &server.url("/"));
    for (name, value, expected) in [
        ("a b", "c", "'a b' isn't a valid header name"),
        ("", "c", "'' isn't a valid header name"),
        ("a", "b\r\nc: d", "the value of header 'a' has invalid characters"),
        ("Content-Length", "7", "header 'content-length' doesn't match the body of 0 bytes"),
    ] {
        bad.headers = headers(&[(name, value)]);
        assert_eq!(fetch(&bad).unwrap_err(), expected);
    }
    assert!(server.asked().is_empty());
}

#[test]
fn odd_headers_and_times_do_no_harm() {
    let server = Server::saying("HTTP/1.1 200 OK\r\n\r\n");
    for given in [
        headers(&[("Transfer-Encoding", "chunked")]),
        headers(&[("Transfer-Encoding", "gzip")]),
        headers(&[("Content-Length", "3"), ("Transfer-Encoding", "chunked")]),
        headers(&[("Content-Length", "3")]),
        headers(&[("Expect", "100-continue")]),
        headers(&[("Connection", "upgrade"), ("Upgrade", "x")]),
    ] {
        let mut odd = request("POST", &server.url("/"));
        odd.body = Some(b"abc".to_vec());
        odd.headers.clone_from(&given);
        assert_eq!(fetch(&odd).map(|answer| answer.status), Ok(200), "{given:?}");
    }
    let mut long = request("GET", &server.url("/"));
    long.timeout = Duration::MAX;
    assert_eq!(fetch(&long).unwrap().status, 200);
    long.timeout = Duration::ZERO;
    assert_eq!(fetch(&long).unwrap_err(), "timed out after 0ns");
}
