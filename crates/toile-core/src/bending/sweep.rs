//! Sweeps over independent elements on several threads, with one result whatever their number.

use rayon::prelude::*;

/// Elements a thread takes at a time: some tens of microseconds of work.
const CHUNK: usize = 1024;

/// A list of f(i), i < len.
pub(super) fn map<T: Send + Clone + Default>(len: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut out = vec![T::default(); len];
    let one = |(chunk, part): (usize, &mut [T])| {
        for (k, value) in part.iter_mut().enumerate() {
            *value = f(chunk * CHUNK + k);
        }
    };
    if len <= CHUNK || rayon::current_num_threads() == 1 {
        out.chunks_mut(CHUNK).enumerate().for_each(one);
    } else {
        out.par_chunks_mut(CHUNK).enumerate().for_each(one);
    }
    out
}

/// Σ f(i), added up chunk by chunk in a fixed order.
pub(super) fn sum(len: usize, f: impl Fn(usize) -> f64 + Sync) -> f64 {
    map_chunks(len, |range| range.map(&f).sum::<f64>()).into_iter().sum()
}

fn map_chunks(len: usize, f: impl Fn(std::ops::Range<usize>) -> f64 + Sync) -> Vec<f64> {
    let range = |c: usize| c * CHUNK..((c + 1) * CHUNK).min(len);
    let chunks = len.div_ceil(CHUNK);
    if chunks <= 1 || rayon::current_num_threads() == 1 {
        (0..chunks).map(|c| f(range(c))).collect()
    } else {
        (0..chunks).into_par_iter().map(|c| f(range(c))).collect()
    }
}
