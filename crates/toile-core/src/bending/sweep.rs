//! Sweeps over independent elements on several threads, with one result whatever their number.

use rayon::prelude::*;

/// Elements a thread takes at a time: some tens of microseconds of work.
const CHUNK: usize = 1024;

/// The list of f(i), i < len.
pub(super) fn map<T: Send>(len: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if len <= CHUNK || rayon::current_num_threads() == 1 {
        (0..len).map(f).collect()
    } else {
        (0..len).into_par_iter().with_min_len(CHUNK).map(f).collect()
    }
}

/// Σ f(i), added up chunk by chunk in a fixed order.
pub(super) fn sum(len: usize, f: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    let chunk = |c: usize| (c * CHUNK..((c + 1) * CHUNK).min(len)).map(&f).sum::<f64>();
    let chunks = len.div_ceil(CHUNK);
    if chunks <= 1 || rayon::current_num_threads() == 1 {
        (0..chunks).map(chunk).sum()
    } else {
        (0..chunks).into_par_iter().map(chunk).collect::<Vec<_>>().into_iter().sum()
    }
}
