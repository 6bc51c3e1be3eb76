//! Tasks that do not depend on each other, shared among threads.
//!
//! Each thread has its own worker and each task its own room to write to: both are handed out by
//! value or exclusively, so that no race can be written. Who does which task is by chance; results
//! come in no order.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};

/// Threads for each processor beyond which more only take turns, and the least number that is still
/// taken at its word.
const EACH: usize = 4;
const AT_WORD: usize = 16;

/// As many threads as are asked for and of use: as the machine runs at once where no number is given,
/// and a few times that at most.
pub(crate) fn useful(threads: Option<usize>) -> usize {
    let usual = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    threads.map_or(usual, |asked| asked.min((EACH * usual).max(AT_WORD)))
}

/// Threads that help with the tasks of a solve.
pub(crate) struct Crew {
    /// None where the calling thread works alone.
    pool: Option<rayon::ThreadPool>,
    threads: usize,
}

impl Crew {
    /// A crew of so many threads, of as many as the machine runs at once where no number is given,
    /// but of `most` at most. Where the system refuses threads, the calling one works alone: what is
    /// found does not depend on them.
    pub(crate) fn new(threads: Option<usize>, most: usize) -> Self {
        let threads = useful(threads).min(most).max(1);
        let build = || rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok();
        let pool = if threads > 1 { build() } else { None };
        Self { threads: if pool.is_some() { threads } else { 1 }, pool }
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Does all tasks, each by one of the workers, of which there are no more than threads.
    ///
    /// # Errors
    /// What tasks failed with, one at least; tasks not begun by then are left.
    ///
    /// # Panics
    /// When a task does; tasks not begun by then are left.
    pub(crate) fn share<W: Send, T: Send, R: Send, E: Send>(
        &self,
        workers: &mut [W],
        tasks: Vec<T>,
        work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, Vec<E>> {
        debug_assert!(workers.len() <= self.threads && !workers.is_empty(), "a worker a thread");
        let pool = self.pool.as_ref().filter(|_| tasks.len() > 1 && workers.len() > 1);
        let Some(pool) = pool else {
            let alone = &mut workers[0];
            let done: Result<_, E> = tasks.into_iter().map(|task| work(alone, task)).collect();
            return done.map_err(|error| vec![error]);
        };
        let count = tasks.len();
        let queue = Queue(Mutex::new(tasks.into_iter()));
        let done = Mutex::new((Vec::with_capacity(count), Vec::new()));
        pool.scope(|scope| {
            for worker in workers.iter_mut().take(count) {
                scope.spawn(|_| {
                    let rest = Rest(&queue);
                    let (mut mine, mut failed) = (Vec::new(), None);
                    while let Some(task) = queue.next() {
                        match work(worker, task) {
                            Ok(result) => mine.push(result),
                            Err(error) => {
                                failed = Some(error);
                                break;
                            }
                        }
                    }
                    drop(rest);
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    done.0.extend(mine);
                    done.1.extend(failed);
                });
            }
        });
        let (done, failed) = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        debug_assert!(!failed.is_empty() || done.len() == count, "every task was done");
        if failed.is_empty() { Ok(done) } else { Err(failed) }
    }
}

impl Crew {
    /// Begins a task that one of the threads does while the calling one goes on.
    ///
    /// # Panics
    /// Where the calling thread works alone.
    pub(crate) fn begin<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Begun<T> {
        let pool = self.pool.as_ref().expect("a crew of several threads");
        let (sender, receiver) = channel();
        pool.spawn(move || {
            // Nobody may be left to hear of it.
            sender.send(catch_unwind(AssertUnwindSafe(work))).ok();
        });
        Begun { receiver, done: None }
    }
}

/// A task that was begun. Where it is dropped, the task is done nevertheless, and forgotten.
pub(crate) struct Begun<T> {
    receiver: Receiver<std::thread::Result<T>>,
    done: Option<std::thread::Result<T>>,
}

impl<T> Begun<T> {
    /// Whether it is done.
    pub(crate) fn is_done(&mut self) -> bool {
        if self.done.is_none() {
            self.done = self.receiver.try_recv().ok();
        }
        self.done.is_some()
    }

    /// Waits for the task, and gives what it found.
    ///
    /// # Panics
    /// As the task did.
    pub(crate) fn wait(self) -> T {
        let done = self.done.or_else(|| self.receiver.recv().ok());
        match done.expect("a task that was begun ends") {
            Ok(found) => found,
            Err(panic) => resume_unwind(panic),
        }
    }
}

/// Tasks that nobody began.
struct Queue<T>(Mutex<std::vec::IntoIter<T>>);

impl<T> Queue<T> {
    fn next(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next()
    }
}

/// Leaves the tasks of a queue undone where a thread ends before the queue does, by a failure or a
/// panic.
struct Rest<'a, T>(&'a Queue<T>);

impl<T> Drop for Rest<'_, T> {
    fn drop(&mut self) {
        while self.0.next().is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let crew = Crew::new(Some(threads), 8);
            let mut workers = vec![0_usize; crew.threads()];
            let squares = crew.share(&mut workers, (0..100).collect(), |done, task: usize| {
                *done += 1;
                Ok::<_, ()>(task * task)
            });
            let mut squares = squares.expect("no failure");
            squares.sort_unstable();
            assert_eq!(squares, (0..100).map(|task| task * task).collect::<Vec<_>>());
            assert_eq!(workers.iter().sum::<usize>(), 100);
        }
    }

    #[test]
    fn tasks_that_were_not_begun_are_left_by_all_threads() {
        let crew = Crew::new(Some(2), 8);
        let (failed, begun) = (AtomicBool::new(false), AtomicUsize::new(0));
        let ended = crew.share(&mut [(); 2], (0..1000).collect(), |(), task: usize| {
            begun.fetch_add(1, Ordering::Relaxed);
            if task == 0 {
                failed.store(true, Ordering::Relaxed);
                return Err(task);
            }
            while !failed.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            std::thread::sleep(Duration::from_millis(1));
            Ok(())
        });
        assert_eq!(ended.map(|done| done.len()), Err(vec![0]));
        assert!(begun.into_inner() < 500, "the other thread does not do them all");
    }

    #[test]
    fn a_failure_ends_the_work() {
        for threads in [1, 3] {
            let crew = Crew::new(Some(threads), 8);
            let ended =
                crew.share(&mut [(); 3][..crew.threads()], (0..1000).collect(), |(), task| {
                    if task == 5 { Err(task) } else { Ok(()) }
                });
            assert_eq!(ended, Err(vec![5]));
        }
    }

    #[test]
    fn tasks_are_done_while_others_go_on() {
        let crew = Crew::new(Some(3), 3);
        let mut begun: Vec<Begun<usize>> =
            (0..50).map(|task| crew.begin(move || task * task)).collect();
        drop(begun.pop());
        let mut first = begun.remove(0);
        while !first.is_done() {
            std::thread::yield_now();
        }
        assert_eq!(first.wait(), 0);
        let squares: Vec<usize> = begun.into_iter().map(Begun::wait).collect();
        assert_eq!(squares, (1..49).map(|task| task * task).collect::<Vec<_>>());
    }

    #[test]
    #[should_panic = "it fails"]
    fn a_panic_is_met_where_its_task_is_waited_for() {
        let begun = Crew::new(Some(2), 2).begin(|| assert!(std::thread::panicking(), "it fails"));
        begun.wait();
    }

    #[test]
    #[should_panic = "a task fails"]
    fn a_panic_ends_the_work() {
        let crew = Crew::new(Some(2), 2);
        let ended = crew.share(&mut [(); 2], (0..100).collect(), |(), task: usize| {
            assert!(task != 3, "a task fails");
            Ok::<_, ()>(())
        });
        unreachable!("{ended:?}");
    }

    #[test]
    fn a_thousand_threads_are_of_no_use() {
        assert_eq!([1, 5, 16].map(|asked| useful(Some(asked))), [1, 5, 16]);
        assert!(useful(None) >= 1 && useful(None) <= useful(Some(100_000)));
        let most = useful(Some(usize::MAX));
        let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        assert!((16..=16.max(4 * processors)).contains(&most), "{most}");
    }

    #[test]
    fn there_are_no_more_threads_than_tasks_at_a_time() {
        assert_eq!(Crew::new(Some(7), 2).threads(), 2);
        assert_eq!(Crew::new(None, 1).threads(), 1);
        assert_eq!(Crew::new(Some(7), 0).threads(), 1);
    }
}
