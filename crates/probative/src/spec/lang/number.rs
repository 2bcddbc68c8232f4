//! Sums and differences: exact for whole numbers of up to 64 bits, doubles as soon as one is in it.

use crate::value::compare_numbers;
use crate::verdict::Error;

use super::datum::Datum;
use super::fault::{exhausted, malformed};
use super::symbol::{Operation, Two};

/// The sum of whole numbers, if that is as small as they are.
#[inline]
pub(super) fn small_sum(a: &Datum<'_>, b: &Datum<'_>) -> Option<i64> {
    match (a, b) {
        (Datum::Whole(a), Datum::Whole(b)) => a.checked_add(*b),
        _ => None,
    }
}

/// The difference of whole numbers, if that is as small as they are.
#[inline]
pub(super) fn small_difference(a: &Datum<'_>, b: &Datum<'_>) -> Option<i64> {
    match (a, b) {
        (Datum::Whole(a), Datum::Whole(b)) => a.checked_sub(*b),
        _ => None,
    }
}

pub(super) fn add<'e>(a: &Datum<'e>, b: &Datum<'e>) -> Result<Datum<'e>, Error> {
    combine(Two::Add, a, b)
}

pub(super) fn sub<'e>(a: &Datum<'e>, b: &Datum<'e>) -> Result<Datum<'e>, Error> {
    combine(Two::Sub, a, b)
}

/// Whether two values are the same number; `None` unless both are numbers.
pub(super) fn equal(a: &Datum<'_>, b: &Datum<'_>) -> Option<bool> {
    Some(compare_numbers(&a.number()?, &b.number()?).is_eq())
}

fn combine<'e>(operation: Two, a: &Datum<'e>, b: &Datum<'e>) -> Result<Datum<'e>, Error> {
    let name = Operation::Two(operation).name();
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        let result = if operation == Two::Add { a + b } else { a - b };
        return match (i64::try_from(result), u64::try_from(result)) {
            (Ok(whole), _) => Ok(Datum::Whole(whole)),
            (_, Ok(large)) => Ok(Datum::Large(large)),
            _ => Err(exhausted(format!("{name} of {a} and {b} overflows 64 bits"))),
        };
    }
    let number = |datum: &Datum<'_>| {
        float(datum).ok_or_else(|| malformed(format!("'{name}' takes numbers, got {}", datum.told())))
    };
    let (a, b) = (number(a)?, number(b)?);
    match if operation == Two::Add { a + b } else { a - b } {
        result if result.is_finite() => Ok(Datum::Float(result)),
        _ => Err(exhausted(format!("{name} of {a:?} and {b:?} overflows a double"))),
    }
}

fn whole(datum: &Datum<'_>) -> Option<i128> {
    match datum {
        Datum::Whole(number) => Some((*number).into()),
        Datum::Large(number) => Some((*number).into()),
        _ => None,
    }
}

#[expect(clippy::cast_precision_loss, reason = "beside a double, a whole number is the nearest one")]
fn float(datum: &Datum<'_>) -> Option<f64> {
    match datum {
        Datum::Whole(number) => Some(*number as f64),
        Datum::Large(number) => Some(*number as f64),
        Datum::Float(number) => Some(*number),
        _ => None,
    }
}
