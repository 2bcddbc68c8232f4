//! Where an answer leads elsewhere.

use std::io::Write;

use crate::server::{Server, sized};
use crate::{fetch, get, headers, request};

fn to(status: &str, location: &str) -> String {
    sized(status, &format!("Location: {location}\r\n"), "moved")
}

#[test]
fn a_chain_is_followed_to_its_end() {
    let server = Server::new(|path, stream| {
        let answer = match path {
            "/a/1" => to("301 Moved", "2"),
            "/a/2" => to("302 Found", "../b?x=y"),
            "/b?x=y" => to("307 Temporary", "/c#there"),
            _ => sized("200 OK", "X-End: yes\r\n", path),
        };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    let answer = get(&server.url("/a/1")).unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"/c"[..]));
    assert_eq!(answer.headers, headers(&[("X-End", "yes"), ("Content-Length", "2")]));
    assert_eq!(server.asked().len(), 4);
}

#[test]
fn every_request_has_its_own_connection() {
    // It would keep the first one open, but never looks at it again.
    let server = Server::new(|path, stream| match path {
        "/" => {
            stream.write_all(b"HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 0\r\n\r\n").unwrap();
            std::thread::sleep(crate::LONG);
        }
        _ => stream.write_all(sized("200 OK", "", "").as_bytes()).unwrap(),
    });
    assert_eq!(get(&server.url("/")).unwrap().status, 200);
}

#[test]
fn the_first_answer_is_the_answer_when_none_is_followed() {
    let server = Server::saying(to("302 Found", "file:///etc/passwd"));
    let mut first = request("GET", &server.url("/"));
    first.follow_redirects = false;
    let answer = fetch(&first).unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (302, &b"moved"[..]));
    assert_eq!(answer.headers[0], ("Location".into(), "file:///etc/passwd".into()));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn ten_redirects_are_followed_and_no_more() {
    let server = Server::new(|path, stream| {
        let count: usize = path[1..].parse().unwrap();
        let answer =
            if count == 0 { sized("200 OK", "", "") } else { to("302 Found", &(count - 1).to_string()) };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    assert_eq!(get(&server.url("/10")).unwrap().status, 200);
    assert_eq!(get(&server.url("/11")).unwrap_err(), "more than 10 redirects");
    let circle = Server::saying(to("302 Found", "/"));
    assert_eq!(get(&circle.url("/")).unwrap_err(), "more than 10 redirects");
    assert_eq!(circle.asked().len(), 11);
}

#[test]
fn nothing_but_http_is_followed() {
    for (location, expected) in [
        ("file:///etc/passwd", "redirected to 'file:///etc/passwd', which is not a URL: invalid format"),
        ("ftp://h/x", "redirected to 'ftp://h/x', which is neither http nor https"),
        ("http://a b/", "redirected to 'http://a b/', which is not a URL: invalid uri character"),
    ] {
        let server = Server::saying(to("302 Found", location));
        assert_eq!(get(&server.url("/")).unwrap_err(), expected);
    }
}

#[test]
fn what_leads_nowhere_is_an_answer() {
    for answer in [to("300 Choices", "/x"), to("304 Not Modified", "/x"), sized("302 Found", "", "")] {
        let server = Server::saying(answer);
        assert!((300..305).contains(&get(&server.url("/")).unwrap().status));
        assert_eq!(server.asked().len(), 1);
    }
}

#[test]
fn some_statuses_turn_a_method_into_get_and_others_keep_it() {
    for (status, method, expected) in [
        ("301 X", "POST", "GET"),
        ("302 X", "POST", "GET"),
        ("303 X", "POST", "GET"),
        ("307 X", "POST", "POST"),
        ("308 X", "POST", "POST"),
        ("301 X", "PUT", "PUT"),
        ("303 X", "DELETE", "GET"),
        ("303 X", "HEAD", "HEAD"),
        ("307 X", "DELETE", "DELETE"),
    ] {
        let server = Server::new(move |path, stream| {
            let answer = if path == "/" { to(status, "/end") } else { sized("200 OK", "", "") };
            stream.write_all(answer.as_bytes()).unwrap();
        });
        let mut first = request(method, &server.url("/"));
        first.body = Some(b"body".to_vec());
        first.headers = headers(&[("Content-Type", "text/plain"), ("X-Mine", "1")]);
        assert_eq!(fetch(&first).unwrap().status, 200, "{status} {method}");
        let last = server.asked().pop().unwrap();
        assert!(last.starts_with(&format!("{expected} /end ")), "{status} {method}: {last}");
        assert!(last.contains("x-mine: 1"), "{last}");
        let kept = method == expected;
        assert_eq!(
            last.ends_with("\r\n\r\nbody") && last.contains("content-length: 4"),
            kept,
            "{status} {last}"
        );
        assert_eq!(last.contains("content-type"), kept, "{last}");
    }
}

#[test]
fn what_is_meant_for_one_server_is_not_told_to_another() {
    let credentials = [
        ("Authorization", "Bearer s3cret"),
        ("Proxy-Authorization", "Basic s3cret"),
        ("Cookie", "c=s3cret"),
        ("Host", "s3cret.example"),
        ("X-Api-Key", "s3cret"),
        ("Api-Key", "s3cret"),
        ("X-Auth-Token", "s3cret"),
        ("X-Amz-Security-Token", "s3cret"),
        ("X-Goog-Api-Key", "s3cret"),
        ("Ocp-Apim-Subscription-Key", "s3cret"),
        ("X-Own", "s3cret"),
        ("Referer", "http://s3cret.example/"),
    ];
    let secret = [&credentials[..], &[("Accept", "text/x-mine"), ("User-Agent", "mine/1")]].concat();
    let end = Server::saying(sized("200 OK", "", ""));
    let elsewhere = Server::saying(to("302 Found", &end.url("/")));
    let mut first = request("GET", &elsewhere.url("/"));
    first.headers = headers(&secret);
    assert_eq!(fetch(&first).unwrap().status, 200);
    assert_eq!(elsewhere.asked()[0].matches("s3cret").count(), credentials.len());
    let last = &end.asked()[0];
    assert!(!last.contains("s3cret"), "{last}");
    assert!(last.contains("accept: text/x-mine") && last.contains("user-agent: mine/1"), "{last}");
    assert!(last.contains(&format!("host: {}", end.address)), "{last}");

    let same = Server::new(|path, stream| {
        let answer = if path == "/" { to("302 Found", "/end") } else { sized("200 OK", "", "") };
        stream.write_all(answer.as_bytes()).unwrap();
    });
    first.url = same.url("/");
    assert_eq!(fetch(&first).unwrap().status, 200);
    assert_eq!(same.asked()[1].matches("s3cret").count(), credentials.len());
}
