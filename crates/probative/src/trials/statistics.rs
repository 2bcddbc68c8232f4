//! What the counts of trials say of how often a case passes.

/// The quantile of the normal distribution that leaves 2.5 % on either side.
const Z: f64 = 1.959_963_984_540_054;

/// A part of a whole; of nothing 0.
pub(super) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// The 95 % interval of Wilson for the rate of which `passed` of `ran` are a sample. Nothing run says nothing: from 0 to 1.
///
/// ```
/// use probative::trials::wilson;
///
/// let (low, high) = wilson(8, 10);
/// assert_eq!((format!("{low:.3}"), format!("{high:.3}")), ("0.490".to_owned(), "0.943".to_owned()));
/// ```
pub fn wilson(passed: usize, ran: usize) -> (f64, f64) {
    if ran == 0 {
        return (0.0, 1.0);
    }
    let (n, rate) = (float(ran), share(passed, ran));
    let scale = 1.0 + Z * Z / n;
    let middle = (rate + Z * Z / (2.0 * n)) / scale;
    let half = Z * (rate * (1.0 - rate) / n + Z * Z / (4.0 * n * n)).sqrt() / scale;
    // What all or none of the trials did may be so for ever, which rounding must not hide.
    let low = if passed == 0 { 0.0 } else { middle - half };
    let high = if passed == ran { 1.0 } else { middle + half };
    (low, high)
}

/// How likely `k` that are drawn from `whole`, none twice, are all among the `part`: C(part, k) / C(whole, k).
///
/// None where fewer than `k` are there. Every factor is at most 1, so nothing overflows.
pub(super) fn all_drawn_from(part: usize, whole: usize, k: usize) -> Option<f64> {
    match k {
        _ if k > whole => None,
        _ if k > part => Some(0.0),
        _ => Some((0..k).map(|drawn| float(part - drawn) / float(whole - drawn)).product()),
    }
}

/// The ks for which pass@k and pass^k are told of so many trials: all of up to 5, else 1, 2, 3, 5, 10, 20, 50, 100, …
///
/// ```
/// use probative::trials::told_ks;
///
/// assert_eq!(told_ks(4), [1, 2, 3, 4]);
/// assert_eq!(told_ks(60), [1, 2, 3, 5, 10, 20, 50]);
/// ```
pub fn told_ks(ran: usize) -> Vec<usize> {
    if ran <= 5 {
        return (1..=ran).collect();
    }
    let tens = std::iter::successors(Some(10_usize), |ten| ten.checked_mul(10));
    let series = tens.flat_map(|ten| [1, 2, 5].map(|step| ten.saturating_mul(step)));
    [1, 2, 3, 5].into_iter().chain(series.take_while(|k| *k <= ran)).collect()
}

#[expect(clippy::cast_precision_loss, reason = "nobody runs 2^53 trials")]
fn float(count: usize) -> f64 {
    count as f64
}
