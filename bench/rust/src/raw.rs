//! The rows of raw memory. It is uninitialised in bumpalo and zero in harena, so
//! it is zeroed here.

use crate::object::{batch_of, sink};
use crate::timing::Row;
use allocator_api2::alloc::Allocator;
use bumpalo::Bump;
use std::alloc::Layout;
use std::ptr::NonNull;

pub fn rows() -> impl Iterator<Item = Row> {
    [
        row("alloc-64", batch_of(LEAST), alloc),
        row("realloc", batch_of(2 * MOST), realloc),
    ]
    .into_iter()
}

// A block grows from the one to the other, twofold each time.
const LEAST: usize = 64;
const MOST: usize = 4096;

fn row(name: &str, n: usize, block: impl Fn(&Bump, usize) -> NonNull<u8> + 'static) -> Row {
    let mut bump = Bump::new();
    Row::time(name, n, move || {
        for i in 0..n {
            // It is a block of LEAST bytes or more.
            sink(unsafe { block(&bump, i).as_ref() });
        }
        bump.reset();
    })
}

/// A block with i in its first word.
#[inline(always)]
fn alloc(bump: &Bump, i: usize) -> NonNull<u8> {
    let p = bump.alloc_layout(layout(LEAST));
    // It has just got that many bytes, at an address that is a multiple of 8.
    unsafe {
        p.write_bytes(0, LEAST);
        p.cast::<usize>().write(i);
    }
    p
}

fn realloc(bump: &Bump, i: usize) -> NonNull<u8> {
    let mut p = alloc(bump, i);
    let mut size = LEAST;
    while size < MOST {
        // The block is from this arena and has this layout.
        let grown = unsafe { bump.grow_zeroed(p, layout(size), layout(2 * size)) };
        p = grown.expect("out of memory").cast();
        size *= 2;
    }
    p
}

fn layout(size: usize) -> Layout {
    Layout::from_size_align(size, 8).expect("sizes here are small")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::dirty;

    #[test]
    fn blocks_are_zero_and_kept() {
        let bump = dirty();
        for (block, size) in [
            (alloc as fn(&Bump, usize) -> NonNull<u8>, LEAST),
            (realloc, MOST),
        ] {
            let blocks: Vec<_> = (1..=3).map(|i| block(&bump, i)).collect();
            for (i, p) in blocks.into_iter().enumerate() {
                // A block of that many bytes, all of them written.
                let words =
                    unsafe { std::slice::from_raw_parts(p.cast::<usize>().as_ptr(), size / 8) };
                assert_eq!(words[0], i + 1);
                assert!(words[1..].iter().all(|&w| w == 0), "{size} bytes are dirty");
            }
        }
    }
}
