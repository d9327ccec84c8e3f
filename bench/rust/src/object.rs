//! The allocated objects, and the stores that keep the compiler from omitting them.

use bumpalo::Bump;
use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

/// Holds the address of the newest object. A relaxed store is one plain move
/// that the compiler neither omits nor takes out of a loop, like Go's store to
/// a global variable. It would omit all of them if nobody ever read one: hence
/// last.
static SINK: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());

/// The last stored address.
pub fn last() -> *mut u8 {
    SINK.load(Relaxed)
}

#[inline(always)]
pub fn sink<T: ?Sized>(p: &T) {
    SINK.store(p as *const T as *mut u8, Relaxed);
}

/// A type of allocated objects.
pub trait Object: Sized {
    fn zero() -> Self;
    /// Writes the loop's index into the object.
    fn mark(&mut self, i: usize);
}

impl<const N: usize> Object for [usize; N] {
    #[inline(always)]
    fn zero() -> Self {
        [0; N]
    }
    #[inline(always)]
    fn mark(&mut self, i: usize) {
        self[0] = i;
    }
}

/// A number and two pointers, in this order.
#[allow(dead_code)] // nobody follows the pointers
#[derive(Default)]
#[repr(C)]
pub struct Node {
    value: usize,
    left: Option<&'static Node>,
    right: Option<&'static Node>,
}

impl Object for Node {
    #[inline(always)]
    fn zero() -> Self {
        Node::default()
    }
    #[inline(always)]
    fn mark(&mut self, i: usize) {
        self.value = i;
    }
}

/// Allocates a zeroed object, marks it with i, and stores its address.
#[inline(always)]
pub fn put<T: Object>(bump: &Bump, i: usize) {
    let p = bump.alloc_with(T::zero);
    p.mark(i);
    sink(p);
}

/// The number of objects of a size between two resets, as on Go's side.
pub fn batch_of(size: usize) -> usize {
    const OBJECTS: usize = 16 << 10;
    const BYTES: usize = 4 << 20;
    (BYTES / size).clamp(1, OBJECTS)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// The memory in use, lowest address first, as words.
    pub fn words(bump: &mut Bump) -> Vec<usize> {
        let chunk = bump
            .iter_allocated_chunks()
            .next()
            .expect("nothing is allocated");
        // Every object here is made of whole words that were all written.
        let bytes: Vec<u8> = chunk.iter().map(|b| unsafe { b.assume_init() }).collect();
        bytes
            .chunks_exact(8)
            .map(|w| usize::from_ne_bytes(w.try_into().unwrap()))
            .collect()
    }

    /// An arena with used, dirty memory.
    pub fn dirty() -> Bump {
        let mut bump = Bump::with_capacity(1 << 20);
        bump.alloc_slice_fill_copy(1 << 17, usize::MAX);
        bump.reset();
        bump
    }

    fn check<T: Object>() {
        let mut bump = dirty();
        for i in 1..=100 {
            put::<T>(&bump, i);
        }
        let size = size_of::<T>() / 8;
        let words = words(&mut bump);
        assert_eq!(words.len(), 100 * size);
        for (n, object) in words.chunks_exact(size).enumerate() {
            let mut want = vec![0; size];
            want[0] = 100 - n; // bumpalo allocates downwards
            assert_eq!(object, want, "object {n}");
        }
    }

    #[test]
    fn objects_are_zeroed_and_marked() {
        check::<[usize; 1]>();
        check::<[usize; 8]>();
        check::<[usize; 128]>();
        check::<Node>();
    }
}
