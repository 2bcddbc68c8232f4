//! Whose certificates are believed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ureq::Error;
use ureq::config::Config;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::transport::{ConnectionDetails, Connector, RustlsConnector, Transport};

/// The certificates that are trusted, read when they are first needed, and the TLS sessions made with them.
#[derive(Debug)]
pub(super) struct Trust {
    roots: Option<PathBuf>,
    config: OnceLock<Result<Config, String>>,
    rustls: RustlsConnector,
}

impl Trust {
    /// Trusts what a file holds, or the certificates of the web.
    pub(super) fn new(roots: Option<PathBuf>) -> Trust {
        Trust { roots, config: OnceLock::new(), rustls: RustlsConnector::default() }
    }

    fn config(&self) -> Result<&Config, Error> {
        let config = self.config.get_or_init(|| {
            let roots = self.roots.as_deref().map_or(Ok(RootCerts::WebPki), read)?;
            Ok(Config::builder().tls_config(TlsConfig::builder().root_certs(roots).build()).build())
        });
        config.as_ref().map_err(|reason| Error::Other(reason.as_str().into()))
    }
}

/// The certificates in a file. What else it holds, such as a key, is passed over.
fn read(path: &Path) -> Result<RootCerts, String> {
    let shown = path.display();
    let text =
        fs::read(path).map_err(|error| format!("cannot read the certificates in '{shown}': {error}"))?;
    let mut certificates = Vec::new();
    for item in parse_pem(&text) {
        match item {
            Ok(PemItem::Certificate(certificate)) => certificates.push(certificate),
            Ok(_) => {}
            Err(error) => return Err(format!("cannot read the certificates in '{shown}': {error}")),
        }
    }
    if certificates.is_empty() {
        Err(format!("no certificate in '{shown}'"))
    } else {
        Ok(certificates.into())
    }
}

/// Wraps a connection in TLS if the URL says https.
#[derive(Debug)]
pub(super) struct Secure(pub(super) Arc<Trust>);

impl<In: Transport> Connector<In> for Secure {
    type Out = <RustlsConnector as Connector<In>>::Out;

    fn connect(&self, details: &ConnectionDetails, chained: Option<In>) -> Result<Option<Self::Out>, Error> {
        // The same connection, but with the certificates in its configuration if it needs any.
        let config = if details.needs_tls() { self.0.config()? } else { details.config };
        let details = ConnectionDetails {
            config,
            uri: details.uri,
            addrs: details.addrs.clone(),
            request_level: false,
            resolver: details.resolver,
            now: details.now,
            timeout: details.timeout,
            current_time: Arc::clone(&details.current_time),
            run_connector: Arc::clone(&details.run_connector),
            register_shutdown: Arc::clone(&details.register_shutdown),
        };
        self.0.rustls.connect(&details, chained)
    }
}
