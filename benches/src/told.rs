//! What programs print, and how figures are printed.

use std::io;
use std::process::Command;

/// What a program prints; an error if it does not end as one of these, or says nothing about why.
pub(crate) fn output(command: &mut Command, codes: &[i32]) -> io::Result<String> {
    let ended = command.output().map_err(|why| io::Error::other(format!("{command:?}: {why}")))?;
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    if ended.status.code().is_some_and(|code| codes.contains(&code)) {
        return Ok(out.into_owned());
    }
    Err(io::Error::other(format!("{command:?} ended with {}\n{out}{err}", ended.status)))
}

/// The seconds that a program prints as its last line.
pub(crate) fn seconds(command: &mut Command) -> io::Result<f64> {
    let said = output(command, &[0])?;
    let last = said.lines().last().unwrap_or_default();
    last.trim().parse().map_err(|_| io::Error::other(format!("{command:?} printed no seconds: {said}")))
}

/// A time with three figures: `1.23 s`, `45.6 ms`, `789 µs`.
pub(crate) fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 1.0 => format!("{} s", figures(seconds)),
        seconds if seconds >= 1e-3 => format!("{} ms", figures(seconds * 1e3)),
        seconds => format!("{} µs", figures(seconds * 1e6)),
    }
}

/// A number with three figures, but always whole above 100: `0.0123`, `1.23`, `45.6`, `7,890`.
pub(crate) fn figures(number: f64) -> String {
    match number.abs() {
        size if size >= 99.95 => grouped(&format!("{number:.0}")),
        size if size >= 9.995 => format!("{number:.1}"),
        size if size >= 0.0995 => format!("{number:.2}"),
        _ => format!("{number:.3}"),
    }
}

/// A count with commas: `200,000`.
pub(crate) fn count(number: usize) -> String {
    grouped(&number.to_string())
}

/// How many jobs, in words.
pub(crate) fn jobs_told(jobs: usize) -> &'static str {
    if jobs == 1 { "one job" } else { "two jobs" }
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_three() {
        let told = [0.01234, 0.1, 1.234, 12.34, 99.96, 123.4, 1_234_567.0].map(figures);
        assert_eq!(told, ["0.012", "0.10", "1.23", "12.3", "100", "123", "1,234,567"]);
    }

    #[test]
    fn times_have_their_unit() {
        assert_eq!([2.0, 0.0456, 0.000_789].map(time), ["2.00 s", "45.6 ms", "789 µs"]);
    }
}
