//! The rows of strings, slices and growing slices.

use crate::object::{batch_of, sink};
use crate::timing::Row;
use bumpalo::{collections::Vec, Bump};
use std::hint::black_box;

pub fn rows() -> impl Iterator<Item = Row> {
    const K: usize = 1 << 10;
    let strings = [8, 32, 256].map(string);
    let ints = [
        ("slice-16", 16),
        ("slice-1k", K),
        ("slice-64k", 64 * K),
        ("slice-1m", K * K),
    ];
    let ints = ints.map(|(name, len)| slice(name, len));
    let appends = [
        append("append-100", 100, 512),
        append("append-1000", 1000, 64),
        append("append-10k", 10_000, 8),
        append("append-100k", 100_000, 1),
    ];
    strings.into_iter().chain(ints).chain(appends)
}

fn string(len: usize) -> Row {
    let n = batch_of(len);
    let mut bump = Bump::new();
    let text = black_box("abcdefgh".repeat(len / 8)); // its length isn't known at compile time
    Row::time(format!("string-{len}"), n, move || {
        for _ in 0..n {
            sink(bump.alloc_str(&text));
        }
        bump.reset();
    })
}

fn slice(name: &str, len: usize) -> Row {
    let n = batch_of(len * size_of::<usize>());
    let mut bump = Bump::new();
    let len = black_box(len);
    Row::time(name, n, move || {
        for i in 0..n {
            let s = bump.alloc_slice_fill_copy(len, 0usize);
            s[0] = i;
            sink(s);
        }
        bump.reset();
    })
}

fn append(name: &str, len: usize, batch: usize) -> Row {
    let mut bump = Bump::new();
    Row::time(name, batch, move || {
        for i in 0..batch {
            let mut s = grown(&bump, len);
            s[0] = i;
            sink(s.as_slice());
        }
        bump.reset();
    })
}

/// A whole slice is one operation: from nothing, number by number.
fn grown(bump: &Bump, len: usize) -> Vec<'_, usize> {
    let mut s = Vec::new_in(bump);
    for i in 0..len {
        s.push(i);
    }
    s
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::dirty;

    #[test]
    fn slices_grow_as_they_should() {
        let bump = dirty();
        let (a, b) = (grown(&bump, 1000), grown(&bump, 1000)); // these must not overlap
        assert!(a.iter().copied().eq(0..1000) && b.iter().copied().eq(0..1000));
    }
}
