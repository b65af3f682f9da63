//! A sign of life on stderr during work of which nobody knows how long it takes.

use crate::bar::PATIENCE;
use crate::loudness::shows_progress;
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// From one look of the sign to the next.
const TICK: Duration = Duration::from_millis(120);

/// Does the work, and shows people who wait what is being done, for how long already and how to stop it.
pub fn patiently<T>(doing: &'static str, work: impl FnOnce() -> T) -> T {
    if !shows_progress() {
        return work();
    }
    thread::scope(|scope| {
        // Dropped when the work ends, by an answer or by a panic.
        let (_working, ended) = mpsc::channel::<()>();
        scope.spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                show_until(doing, &ended);
            }
        });
        work()
    })
}

fn show_until(doing: &'static str, ended: &mpsc::Receiver<()>) {
    let style = ProgressStyle::with_template("{spinner} {msg} for {elapsed}; Ctrl-C stops");
    let sign = ProgressBar::new_spinner().with_message(doing).with_elapsed(PATIENCE);
    sign.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        sign.tick();
    }
    sign.finish_and_clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_goes_as_the_work_ends() {
        let (working, ended) = mpsc::channel::<()>();
        let sign = thread::spawn(move || show_until("counting", &ended));
        thread::sleep(3 * TICK);
        assert!(!sign.is_finished());
        drop(working);
        sign.join().expect("it ends by itself");
        assert_eq!(patiently("adding", || 2 + 2), 4);
    }
}
