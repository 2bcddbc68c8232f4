//! Header names as they were received.
//!
//! ureq gives all names in lower case, so what comes in is written down on its way from the connection to ureq, and the
//! names are read from there, with the parser that ureq uses.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use httparse::{EMPTY_HEADER, Status};
use ureq::Error;
use ureq::unversioned::transport::{Buffers, ConnectionDetails, Connector, NextTimeout, Transport};

/// How much is written down. A head may have 64 KiB, and others before it that only say that it will come.
const LONGEST: usize = 256 << 10;

/// ureq refuses an answer with more.
const MOST_HEADERS: usize = 128;

/// What came in over the last connection, from its beginning.
#[derive(Debug, Clone, Default)]
pub(super) struct Record(Arc<Mutex<Vec<u8>>>);

impl Record {
    /// The headers of the answer, once all of them are there.
    pub(super) fn headers(&self) -> Option<Vec<(String, String)>> {
        headers(&self.bytes())
    }

    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The headers of the first answer that is final: 100, 102 and 103 come before it, 101 is one.
fn headers(mut bytes: &[u8]) -> Option<Vec<(String, String)>> {
    loop {
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let Ok(Status::Complete(length)) = response.parse(bytes) else { return None };
        match response.code {
            Some(100 | 102..200) => bytes = &bytes[length..],
            _ => return Some(response.headers.iter().map(spelled).collect()),
        }
    }
}

fn spelled(header: &httparse::Header<'_>) -> (String, String) {
    (header.name.to_owned(), String::from_utf8_lossy(header.value).into_owned())
}

/// Writes down what comes in over every connection, beginning anew with each.
#[derive(Debug)]
pub(super) struct Recorder(pub(super) Record);

impl<In: Transport> Connector<In> for Recorder {
    type Out = Recorded<In>;

    fn connect(&self, _: &ConnectionDetails, chained: Option<In>) -> Result<Option<Recorded<In>>, Error> {
        self.0.bytes().clear();
        Ok(chained.map(|inner| Recorded { inner, record: self.0.clone() }))
    }
}

/// A connection whose beginning is written down.
#[derive(Debug)]
pub(super) struct Recorded<T> {
    inner: T,
    record: Record,
}

impl<T: Transport> Transport for Recorded<T> {
    fn buffers(&mut self) -> &mut dyn Buffers {
        self.inner.buffers()
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> Result<(), Error> {
        self.inner.transmit_output(amount, timeout)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> Result<bool, Error> {
        let before = self.inner.buffers().input().len();
        let came = self.inner.await_input(timeout)?;
        let mut record = self.record.bytes();
        if record.len() < LONGEST {
            record.extend_from_slice(self.inner.buffers().input().get(before..).unwrap_or_default());
        }
        Ok(came)
    }

    fn is_open(&mut self) -> bool {
        self.inner.is_open()
    }

    fn is_tls(&self) -> bool {
        self.inner.is_tls()
    }
}
