//! The rows of single objects.

use crate::object::{batch_of, put, Node, Object};
use crate::timing::Row;
use bumpalo::Bump;

pub fn rows() -> impl Iterator<Item = Row> {
    [
        new::<[usize; 1]>("new-8"),
        new::<[usize; 8]>("new-64"),
        new::<Node>("new-node"),
        new::<[usize; 128]>("new-1k"),
    ]
    .into_iter()
}

fn new<T: Object + 'static>(name: &str) -> Row {
    let n = batch_of(size_of::<T>());
    let mut bump = Bump::new();
    Row::time(name, n, move || batch::<T>(&mut bump, n))
}

/// Not inlined, so that each type has one loop to inspect.
#[inline(never)]
fn batch<T: Object>(bump: &mut Bump, n: usize) {
    for i in 0..n {
        put::<T>(bump, i);
    }
    bump.reset();
}
