//! Threads that do not change results.
//!
//! Elements are sorted into groups by the vertex chunks they touch, groups into colours so that two groups of a colour
//! touch no common chunk. Colours run one after the other, the groups of a colour at the same time, the elements of a
//! group in order: every sum is taken in the same order whatever the number of threads. The number of chunks depends on the
//! mesh alone. Threads come from the rayon pool that the caller installed.

#![allow(unsafe_code)] // `Scatter`: shared writes that the colouring keeps apart; see its safety comment.

use rayon::prelude::*;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Vertices below which one chunk is used: handing out work costs more than it saves.
const SERIAL_VERTICES: usize = 2000;
/// Nodes below which nothing is handed out at all.
pub(crate) const SERIAL_NODES: usize = 1000;
/// Chunks above that. More than the threads of a workstation would cut the mesh into too many borders.
const CHUNKS: usize = 8;

/// Number of chunks for a mesh: a function of its size alone, never of the threads.
pub fn chunk_count(vertex_count: usize) -> usize {
    if vertex_count < SERIAL_VERTICES { 1 } else { CHUNKS }
}

/// The vertices of chunk `chunk`.
pub fn chunk_range(vertex_count: usize, chunk: usize) -> Range<usize> {
    let chunks = chunk_count(vertex_count);
    vertex_count * chunk / chunks..vertex_count * (chunk + 1) / chunks
}

/// Keeps the threads of the pool looking for work while `work` runs on this one.
///
/// A step hands out pieces of some tens of microseconds with serial stretches between them. Threads that fall asleep in
/// those take as long to wake as the next piece takes to do: on two cores, solves gain nothing from the second.
pub(crate) fn awake<R>(nodes: usize, work: impl FnOnce() -> R) -> R {
    let threads = rayon::current_num_threads();
    if threads == 1 || nodes < SERIAL_NODES {
        return work();
    }
    /// Ends the watch however the work ends.
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Release);
        }
    }
    let (over, owner) = (AtomicBool::new(false), rayon::current_thread_index());
    rayon::in_place_scope(|scope| {
        for _ in 1..threads {
            scope.spawn(|_| watch(&over, owner));
        }
        let _over = Over(&over);
        work()
    })
}

/// Does whatever work turns up until it is over.
fn watch(over: &AtomicBool, owner: Option<usize>) {
    // The owner may pick this up while it waits for others. It must go back to them, or nobody would end the watch.
    if owner.is_some() && rayon::current_thread_index() == owner {
        return;
    }
    let mut idle = 0;
    while !over.load(Ordering::Acquire) {
        match rayon::yield_now() {
            Some(rayon::Yield::Executed) => idle = 0,
            _ if idle < 10_000 => {
                idle += 1;
                std::hint::spin_loop();
            }
            // A long serial stretch: others may need the core.
            _ => std::thread::yield_now(),
        }
    }
}

/// Items that one thread takes at a time: some tens of microseconds of work.
const RUN: usize = 1024;

/// Calls `work(i, item)` on every item, on several threads where there are many.
pub(crate) fn each<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    if items.len() <= RUN || rayon::current_num_threads() == 1 {
        return items.iter_mut().enumerate().for_each(|(i, item)| work(i, item));
    }
    items.par_chunks_mut(RUN).enumerate().for_each(|(run, items)| {
        items.iter_mut().enumerate().for_each(|(i, item)| work(run * RUN + i, item));
    });
}

/// The list of f(i), i < len.
pub(crate) fn map<T: Send>(len: usize, f: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    if len <= RUN || rayon::current_num_threads() == 1 {
        (0..len).map(f).collect()
    } else {
        (0..len).into_par_iter().with_min_len(RUN).map(f).collect()
    }
}

/// Σ f(i), i < len: runs of fixed length, added up in order.
pub(crate) fn sum(len: usize, f: impl Fn(usize) -> f64 + Sync + Send) -> f64 {
    let run = |r: usize| (r * RUN..((r + 1) * RUN).min(len)).map(&f).sum::<f64>();
    let runs = len.div_ceil(RUN);
    if runs <= 1 || rayon::current_num_threads() == 1 {
        (0..runs).map(run).sum()
    } else {
        (0..runs).into_par_iter().map(run).collect::<Vec<_>>().into_iter().sum()
    }
}

/// An order of elements that can be scattered to vertices by several threads with one result.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Element numbers in the order of work.
    pub order: Vec<u32>,
    colours: Vec<Vec<Range<usize>>>,
}

impl Schedule {
    /// Sorts elements, each given by the vertices it writes to.
    pub fn new<'a>(vertex_count: usize, stencils: impl Iterator<Item = &'a [u32]>) -> Self {
        let chunks = chunk_count(vertex_count);
        let chunk_of =
            |v: u32| (0..chunks).find(|&c| chunk_range(vertex_count, c).contains(&(v as usize))).unwrap_or(0);
        let mut chunk_table = vec![0u8; vertex_count];
        for (v, c) in chunk_table.iter_mut().enumerate() {
            *c = chunk_of(v as u32) as u8;
        }
        let mut groups: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (e, stencil) in stencils.enumerate() {
            let mask = stencil.iter().fold(0u32, |m, &v| m | 1 << chunk_table[v as usize]);
            // Elements inside one chunk first: those groups are the large ones and all run together.
            groups.entry((mask.count_ones(), mask)).or_default().push(e as u32);
        }
        let mut colours: Vec<(u32, Vec<u32>)> = Vec::new();
        let (mut order, mut ranges) = (Vec::new(), BTreeMap::new());
        for (&(_, mask), elements) in &groups {
            ranges.insert(mask, order.len()..order.len() + elements.len());
            order.extend_from_slice(elements);
            match colours.iter_mut().find(|(used, _)| used & mask == 0) {
                Some((used, members)) => {
                    *used |= mask;
                    members.push(mask);
                }
                None => colours.push((mask, vec![mask])),
            }
        }
        let colours = colours.into_iter().map(|(_, masks)| masks.iter().map(|m| ranges[m].clone()).collect()).collect();
        Self { order, colours }
    }

    /// Runs `work` on ranges of positions in [`Schedule::order`]; ranges that run at the same time share no vertex.
    pub fn run(&self, work: impl Fn(Range<usize>) + Sync) {
        for colour in &self.colours {
            if colour.len() == 1 || rayon::current_num_threads() == 1 {
                colour.iter().cloned().for_each(&work);
            } else {
                colour.par_iter().cloned().for_each(&work);
            }
        }
    }
}

/// A slice that the elements of a [`Schedule`] add to.
///
/// SAFETY: `at` hands out a mutable place from a shared reference. That is sound as long as two threads never name the same
/// place at the same time: places belong to vertices or pairs of vertices of an element, and [`Schedule::run`] keeps
/// elements with a common vertex chunk on one thread. Only code inside `Schedule::run` may use it.
#[derive(Clone, Copy)]
pub struct Scatter<'a, T> {
    start: *mut T,
    len: usize,
    _slice: PhantomData<&'a mut [T]>,
}

unsafe impl<T: Send> Send for Scatter<'_, T> {}
unsafe impl<T: Send> Sync for Scatter<'_, T> {}

impl<'a, T> Scatter<'a, T> {
    /// Wraps a slice for the duration of a run.
    pub fn new(slice: &'a mut [T]) -> Self {
        Self { start: slice.as_mut_ptr(), len: slice.len(), _slice: PhantomData }
    }

    /// The place `i`.
    #[allow(clippy::mut_from_ref)]
    #[inline(always)]
    pub fn at(&self, i: usize) -> &mut T {
        assert!(i < self.len);
        // SAFETY: in bounds by the line above, unshared by the contract of the type.
        unsafe { &mut *self.start.add(i) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The watch ends with the work, whether it returns or panics, inside and outside the pool, and work inside it is shared out.
    #[test]
    fn threads_watch_until_the_work_is_over() {
        let sums = |_: usize| awake(SERIAL_NODES, || (0..50).map(|k| sum(10_000, |i| (i % 7 + k) as f64)).sum::<f64>());
        let outside = sums(0);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| sums(threads)), outside);
            let fail = || pool.install(|| awake(SERIAL_NODES, || panic!("on purpose")));
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(fail));
            assert!(failed.is_err());
        }
    }

    /// Groups of a colour share no vertex, and every element is there once.
    #[test]
    fn colours_keep_vertices_apart() {
        let n = 5000u32;
        let stencils: Vec<[u32; 3]> =
            (0..20_000u32).map(|k| [k * 7919 % n, (k * 7919 + 1) % n, k * 104_729 % n]).collect();
        let schedule = Schedule::new(n as usize, stencils.iter().map(|s| s.as_slice()));
        let mut seen = schedule.order.clone();
        seen.sort_unstable();
        assert_eq!(seen, (0..20_000).collect::<Vec<_>>());
        for colour in &schedule.colours {
            let mut owner = vec![usize::MAX; n as usize];
            for (g, range) in colour.iter().enumerate() {
                for &e in &schedule.order[range.clone()] {
                    for v in stencils[e as usize] {
                        assert!(owner[v as usize] == usize::MAX || owner[v as usize] == g);
                        owner[v as usize] = g;
                    }
                }
            }
        }
    }
}
