//! A server that says what it is told to say, and remembers what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// Listens until the test is over.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Answers every path as `answer` says, on one connection each, which is closed afterwards.
    pub(crate) fn new(answer: impl Fn(&str, &mut TcpStream) + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let server = Server { address: listener.local_addr().unwrap(), asked: Arc::default() };
        let (asked, answer) = (Arc::clone(&server.asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (asked, answer, mut stream) = (Arc::clone(&asked), Arc::clone(&answer), stream.unwrap());
                thread::spawn(move || {
                    let request = read(&mut stream);
                    let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                    asked.lock().unwrap().push(request);
                    answer(&path, &mut stream);
                });
            }
        });
        server
    }

    /// Answers everything with the same bytes.
    pub(crate) fn saying(bytes: impl Into<Vec<u8>>) -> Server {
        let bytes = bytes.into();
        Server::new(move |_, stream| drop(stream.write_all(&bytes)))
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// What was asked so far: head and body of every request, with its own line ends.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

/// One request: its head, and as much body as the head says.
pub(crate) fn read(stream: &mut impl Read) -> String {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while !request.ends_with("\r\n\r\n") && reader.read_line(&mut request).unwrap_or(0) > 0 {}
    if request.contains("transfer-encoding: chunked") {
        while !request.ends_with("\r\n0\r\n\r\n") && reader.read_line(&mut request).unwrap_or(0) > 0 {}
        return request;
    }
    let length = request.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    if reader.read_exact(&mut body).is_ok() {
        request.push_str(&String::from_utf8_lossy(&body));
    }
    request
}

/// Something to answer with, whose length is told.
pub(crate) fn sized(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
}
