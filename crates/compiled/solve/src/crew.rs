//! Tasks that do not depend on each other, shared among threads.
//!
//! Each thread has its own worker and each task its own room to write to: both are handed out by
//! value or exclusively, so that no race can be written. Who does which task is by chance; results
//! come in no order.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use verdict::Stop;

/// Threads that help with the tasks of a solve.
pub(crate) struct Crew {
    /// None where the calling thread works alone.
    pool: Option<rayon::ThreadPool>,
    threads: usize,
}

impl Crew {
    /// A crew of so many threads; of as many as the machine runs at once where no number is given.
    ///
    /// # Errors
    /// When the system refuses.
    pub(crate) fn new(threads: Option<usize>) -> Result<Self, Stop> {
        let usual = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let threads = threads.unwrap_or_else(usual).max(1);
        if threads == 1 {
            return Ok(Self { pool: None, threads });
        }
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
                Stop::Environment(format!("threads for the sweep could not be started: {error}"))
            })?;
        Ok(Self { pool: Some(pool), threads })
    }

    /// The number of threads.
    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// Does all tasks, each by one of the workers, of which there are no more than threads.
    ///
    /// # Errors
    /// What a task failed with; tasks not begun by then are left.
    pub(crate) fn share<W: Send, T: Send, R: Send, E: Send>(
        &self,
        workers: &mut [W],
        tasks: Vec<T>,
        work: impl Fn(&mut W, T) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        debug_assert!(workers.len() <= self.threads && !workers.is_empty(), "a worker a thread");
        let pool = self.pool.as_ref().filter(|_| tasks.len() > 1 && workers.len() > 1);
        let Some(pool) = pool else {
            return tasks.into_iter().map(|task| work(&mut workers[0], task)).collect();
        };
        let count = tasks.len();
        let queue = Mutex::new(tasks.into_iter());
        let done = Mutex::new(Ok(Vec::with_capacity(count)));
        let take = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        pool.scope(|scope| {
            for worker in workers.iter_mut().take(count) {
                scope.spawn(|_| {
                    let mut mine = Vec::new();
                    let mut ended = Ok(());
                    while let Some(task) = take() {
                        match work(worker, task) {
                            Ok(result) => mine.push(result),
                            Err(error) => {
                                // The others find the queue empty.
                                while take().is_some() {}
                                ended = Err(error);
                            }
                        }
                    }
                    let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                    match (&mut *done, ended) {
                        (Ok(all), Ok(())) => all.extend(mine),
                        (held, Err(error)) => *held = Err(error),
                        (Err(_), Ok(())) => {}
                    }
                });
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_is_done_once_by_any_number_of_threads() {
        for threads in [1, 2, 5] {
            let crew = Crew::new(Some(threads)).expect("threads");
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
    fn a_failure_ends_the_work() {
        for threads in [1, 3] {
            let crew = Crew::new(Some(threads)).expect("threads");
            let ended =
                crew.share(&mut [(); 3][..crew.threads()], (0..1000).collect(), |(), task| {
                    if task == 5 { Err(task) } else { Ok(()) }
                });
            assert_eq!(ended, Err(5));
        }
    }
}
