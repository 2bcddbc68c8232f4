//! Traces of other programs, as the command line reads them.
