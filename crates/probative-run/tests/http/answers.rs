//! What comes back is what was sent.

use std::io::Write;
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use probative_run::harness::http::LONGEST_BODY;

use crate::server::{Server, sized};
use crate::{LONG, fetch, get, headers, request};

#[test]
fn get_sends_little_and_gets_everything() {
    let server = Server::saying(sized("200 OK", "", "hello"));
    let answer = get(&server.url("/a/b?c=d#e")).unwrap();
    assert_eq!((answer.status, answer.body.as_slice(), answer.dropped), (200, &b"hello"[..], false));
    let asked = &server.asked()[0];
    let mut lines: Vec<&str> = asked.lines().collect();
    assert_eq!(lines.remove(0), "GET /a/b?c=d HTTP/1.1");
    lines.sort_unstable();
    let agent = format!("user-agent: probative/{}", env!("CARGO_PKG_VERSION"));
    let host = format!("host: {}", server.address);
    assert_eq!(lines, ["", "accept: */*", &host, &agent]);
}

#[test]
fn no_proxy_is_asked() {
    let this = std::env::current_exe().unwrap();
    let again = Command::new(this)
        .args(["--exact", "answers::get_sends_little_and_gets_everything"])
        .envs(["http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| (name, "http://127.0.0.1:1")))
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&again.stdout);
    assert!(told.contains("1 passed"), "{told}");
}

#[test]
fn post_sends_its_body_and_its_own_headers() {
    let server = Server::saying(sized("201 Created", "", ""));
    let mut post = request("POST", &server.url("/"));
    post.body = Some(b"{\"a\": 1}".to_vec());
    post.headers =
        headers(&[("Content-Type", "application/json"), ("User-Agent", "me"), ("X-A", "1"), ("x-a", "2")]);
    assert_eq!(fetch(&post).unwrap().status, 201);
    let asked = &server.asked()[0];
    for expected in
        ["content-type: application/json", "user-agent: me", "x-a: 1", "x-a: 2", "content-length: 8"]
    {
        assert_eq!(asked.lines().filter(|line| *line == expected).count(), 1, "{expected} in {asked}");
    }
    assert!(asked.ends_with("\r\n\r\n{\"a\": 1}") && !asked.contains("probative"), "{asked}");
}

#[test]
fn a_body_may_go_with_any_method_and_none_is_an_empty_one_where_one_is_expected() {
    let server = Server::saying(sized("200 OK", "", ""));
    for (method, body, expected) in [
        ("GET", Some("x"), Some("content-length: 1")),
        ("DELETE", Some("x"), Some("content-length: 1")),
        ("PROPFIND", Some("x"), Some("content-length: 1")),
        ("POST", None, Some("content-length: 0")),
        ("PUT", None, Some("content-length: 0")),
        ("DELETE", None, None),
        ("x-own!", None, None),
    ] {
        let mut any = request(method, &server.url("/"));
        any.body = body.map(|body| body.as_bytes().to_vec());
        assert_eq!(fetch(&any).unwrap().status, 200, "{method}");
        let asked = server.asked().pop().unwrap();
        assert!(asked.starts_with(&format!("{method} / ")), "{asked}");
        assert_eq!(asked.lines().find(|line| line.starts_with("content-length")), expected, "{method}");
    }
}

#[test]
fn bad_statuses_are_answers() {
    for (line, status) in [("404 Not Found", 404), ("500 Internal Server Error", 500), ("799 What", 799)] {
        let answer = get(&Server::saying(sized(line, "", "no")).url("/")).unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (status, &b"no"[..]));
    }
}

#[test]
fn headers_keep_names_order_and_repetitions() {
    let sent = "X-Thing: 1\r\nDATE: now\r\nx-thing: 2\r\nEmpty:\r\nX-Odd:  caf\u{e9} \r\n";
    let answer = get(&Server::saying(sized("200 OK", sent, "ab")).url("/")).unwrap();
    let expected = [
        ("X-Thing", "1"),
        ("DATE", "now"),
        ("x-thing", "2"),
        ("Empty", ""),
        ("X-Odd", "caf\u{e9}"),
        ("Content-Length", "2"),
    ];
    assert_eq!(answer.headers, headers(&expected));
}

#[test]
fn headers_in_pieces_and_after_hints_are_those_of_the_answer() {
    let server = Server::new(|_, stream| {
        for piece in [
            "HTTP/1.1 103 Early Hints\r\nX-Hint: 1\r\n\r\nHTTP/1.1 2",
            "00 OK\r\nX-Thi",
            "ng: 1\r\nContent-Length: 2\r\n",
            "\r\na",
            "b",
        ] {
            stream.write_all(piece.as_bytes()).unwrap();
            sleep(Duration::from_millis(20));
        }
    });
    let answer = get(&server.url("/")).unwrap();
    assert_eq!(answer.headers, headers(&[("X-Thing", "1"), ("Content-Length", "2")]));
    assert_eq!(answer.body, b"ab");
}

#[test]
fn a_body_ends_by_length_by_chunks_or_by_the_end() {
    for sent in [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde",
        "HTTP/1.1 200 OK\r\n\r\nabcde",
        "HTTP/1.0 200 OK\r\n\r\nabcde",
        "HTTP/1.0 200\r\nContent-Length: 5\r\n\r\nabcdefgh",
    ] {
        assert_eq!(get(&Server::saying(sent).url("/")).unwrap().body, b"abcde", "{sent}");
    }
}

#[test]
fn what_has_no_body_is_not_waited_for() {
    let sent = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n";
    let server = Server::new(|_, stream| {
        stream.write_all(sent.as_bytes()).unwrap();
        sleep(LONG);
    });
    let answer = fetch(&request("HEAD", &server.url("/"))).unwrap();
    assert_eq!((answer.status, answer.body.len(), answer.headers.len()), (200, 0, 2));
    for status in ["204 No Content", "304 Not Modified"] {
        let answer = get(&Server::saying(format!("HTTP/1.1 {status}\r\nX: y\r\n\r\n")).url("/")).unwrap();
        assert_eq!((answer.body.len(), answer.headers.len()), (0, 1), "{status}");
    }
}

#[test]
fn bytes_are_not_taken_for_text() {
    let mut sent = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=latin1\r\n\r\n".to_vec();
    sent.extend(0..=255);
    let answer = get(&Server::saying(sent).url("/")).unwrap();
    assert_eq!(answer.body, (0..=255).collect::<Vec<u8>>());
}

fn gzipped(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(plain).unwrap();
    let packed = encoder.finish().unwrap();
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", packed.len());
    [head.into_bytes(), packed].concat()
}

#[test]
fn gzip_is_undone_and_its_headers_stay() {
    let answer = get(&Server::saying(gzipped(b"hello hello hello")).url("/")).unwrap();
    assert_eq!(answer.body, b"hello hello hello");
    assert_eq!(answer.headers[0], ("Content-Encoding".into(), "gzip".into()));
    assert_eq!(answer.headers[1].0, "Content-Length");
}

#[test]
fn a_long_body_is_cut_and_says_so() {
    let sent = |length: usize| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n");
        [head.into_bytes(), vec![b'x'; length]].concat()
    };
    let endless = Server::new(|_, stream| {
        let head = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        let _ = stream.write_all(&[head, vec![b'x'; LONGEST_BODY + 1]].concat());
        sleep(LONG);
    });
    assert!(get(&endless.url("/")).unwrap().dropped);
    for (sent, dropped) in [
        (sent(LONGEST_BODY), false),
        (sent(LONGEST_BODY + 1), true),
        (gzipped(&vec![0; LONGEST_BODY]), false),
        (gzipped(&vec![0; 4 * LONGEST_BODY]), true),
    ] {
        let answer = get(&Server::saying(sent).url("/")).unwrap();
        assert_eq!((answer.body.len(), answer.dropped), (LONGEST_BODY, dropped));
    }
}
