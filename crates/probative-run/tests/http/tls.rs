//! Whom to believe.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use probative_run::harness::http::{Answer, Client};
use rcgen::{CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::server::{Server, read, sized};
use crate::{headers, request};

/// A server whose certificate is for `localhost`, and the certificate of who vouches for it, in a file.
struct Secured {
    address: SocketAddr,
    directory: tempfile::TempDir,
}

impl Secured {
    fn new() -> Secured {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let mut authority = CertificateParams::default();
        authority.distinguished_name.push(DnType::CommonName, format!("who vouches for {address}"));
        authority.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let mut own = CertificateParams::new(["localhost".to_owned()]).unwrap();
        own.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let own = own.signed_by(&key, &authority).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![own.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();

        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("roots.pem"), authority.pem()).unwrap();
        let config = Arc::new(config);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut connection = ServerConnection::new(Arc::clone(&config)).unwrap();
                let mut stream = stream.unwrap();
                let mut stream = Stream::new(&mut connection, &mut stream);
                if read(&mut stream).starts_with("GET") {
                    stream.write_all(sized("200 OK", "X-Safe: yes\r\n", "secret").as_bytes()).unwrap();
                }
            }
        });
        Secured { address, directory }
    }

    fn url(&self, host: &str) -> String {
        format!("https://{host}:{}/", self.address.port())
    }

    fn roots(&self) -> PathBuf {
        self.directory.path().join("roots.pem")
    }
}

fn get(roots: Option<PathBuf>, url: &str) -> Result<Answer, String> {
    Client::new(roots).fetch(&request("GET", url), &|| false)
}

#[test]
fn a_certificate_in_the_file_is_believed() {
    let server = Secured::new();
    let client = Client::new(Some(server.roots()));
    for _ in 0..3 {
        let answer = client.fetch(&request("GET", &server.url("localhost")), &|| false).unwrap();
        assert_eq!((answer.status, answer.body.as_slice()), (200, &b"secret"[..]));
        assert_eq!(answer.headers, headers(&[("X-Safe", "yes"), ("Content-Length", "6")]));
    }
}

#[test]
fn a_redirect_may_lead_to_tls() {
    let server = Secured::new();
    let plain = Server::saying(sized("302 Found", &format!("Location: {}\r\n", server.url("localhost")), ""));
    assert_eq!(get(Some(server.roots()), &plain.url("/")).unwrap().body, b"secret");
}

#[test]
fn a_certificate_of_a_stranger_is_not_believed() {
    let server = Secured::new();
    let expected = format!(
        "TLS error with localhost:{}: invalid peer certificate: UnknownIssuer",
        server.address.port()
    );
    assert_eq!(get(None, &server.url("localhost")).unwrap_err(), expected);
    assert_eq!(get(Some(Secured::new().roots()), &server.url("localhost")).unwrap_err(), expected);
}

#[test]
fn a_certificate_for_another_name_is_not_believed() {
    let server = Secured::new();
    let reason = get(Some(server.roots()), &server.url("127.0.0.1")).unwrap_err();
    let expected = format!(
        "TLS error with {}: invalid peer certificate: certificate not valid for name",
        server.address
    );
    assert!(reason.starts_with(&expected), "{reason}");
}

#[test]
fn a_server_without_tls_says_so() {
    let server = Server::saying(sized("200 OK", "", ""));
    let reason = get(None, &format!("https://{}/", server.address)).unwrap_err();
    assert!(reason.starts_with(&format!("TLS error with {}: ", server.address)), "{reason}");
}

#[test]
fn the_file_is_read_only_for_https() {
    let plain = Server::saying(sized("200 OK", "", ""));
    let server = Secured::new();
    let missing = server.directory.path().join("missing.pem");
    let client = Client::new(Some(missing.clone()));
    assert_eq!(client.fetch(&request("GET", &plain.url("/")), &|| false).unwrap().status, 200);
    let reason = client.fetch(&request("GET", &server.url("localhost")), &|| false).unwrap_err();
    assert!(
        reason.starts_with(&format!("cannot read the certificates in '{}': ", missing.display())),
        "{reason}"
    );
    std::fs::write(&missing, "nothing here").unwrap();
    let reason = get(Some(missing.clone()), &server.url("localhost")).unwrap_err();
    assert_eq!(reason, format!("no certificate in '{}'", missing.display()));
}
