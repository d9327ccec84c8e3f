//! Times a loop as on Go's side, in turns of a few milliseconds; the mean
//! counts.

use crate::args::Args;
use crate::object::last;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// A timed operation.
pub struct Row {
    name: String,
    /// Allocates a number of times, and reclaims everything.
    batch: Box<dyn FnMut()>,
    ops: usize,
}

impl Row {
    /// A row in seconds for each of the ops operations of a batch.
    pub fn time(name: impl Into<String>, ops: usize, batch: impl FnMut() + 'static) -> Row {
        Row {
            name: name.into(),
            batch: Box::new(batch),
            ops,
        }
    }

    fn value(&mut self, goal: Duration) -> f64 {
        // bumpalo keeps the last chunk of a batch, which is the largest but need
        // not be large enough for the next one.
        for _ in 0..3 {
            (self.batch)();
        }
        let batches = self.calibrate(goal);
        self.turn(batches).as_secs_f64() / (batches * self.ops) as f64
    }

    /// The number of batches that take as long as the goal.
    fn calibrate(&mut self, goal: Duration) -> usize {
        let mut n = 1;
        loop {
            let took = self.turn(n);
            if took >= goal / 2 {
                let fit = n as f64 * goal.as_secs_f64() / took.as_secs_f64();
                return (fit as usize).max(1);
            }
            n *= 2;
        }
    }

    fn turn(&mut self, batches: usize) -> Duration {
        let began = Instant::now();
        for _ in 0..batches {
            (self.batch)();
        }
        black_box(last());
        began.elapsed()
    }
}

/// Measures the wanted rows and prints a line for each.
pub fn print(rows: impl Iterator<Item = Row>, args: &Args) {
    let goal = Duration::from_millis(if args.quick { 1 } else { 4 });
    for mut row in rows.filter(|r| r.name.starts_with(&args.rows)) {
        let value = row.value(goal);
        println!("{{\"row\":{:?},\"value\":{value:e}}}", row.name);
    }
}
