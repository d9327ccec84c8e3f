//! Objects of 12 types in turn, 8 to 512 bytes, the same as on Go's side: every
//! second one has pointers to earlier ones, and the last one points to the last
//! one of the previous turn, so that everything can be reached from the newest.

use crate::object::sink;
use crate::timing::Row;
use bumpalo::Bump;
use std::hint::black_box;

const TURNS: usize = 1024; // of a batch
const TYPES: usize = 12;

pub fn rows() -> impl Iterator<Item = Row> {
    let (mut bump, mut other) = (Bump::new(), Bump::new());
    let object = Row::time("mixed-object", TURNS * TYPES, move || {
        sink(turns(&bump, TURNS).expect("there were turns"));
        bump.reset();
    });
    let batch = Row::time("mixed-batch", 1, move || {
        let newest = turns(&other, TURNS);
        assert_eq!(newest.map(Mix512::sum), Some(expected_sum(TURNS)));
        other.reset();
    });
    [object, batch].into_iter()
}

/// A slice with its capacity, as in Go.
#[derive(Clone, Copy)]
struct Tags {
    items: &'static [i64],
    #[allow(dead_code)] // only stored
    capacity: usize,
}

static NAME: &str = "static";
static TAGS: Tags = Tags {
    items: &[1, 2, 3, 4],
    capacity: 4,
};

struct Mix8 {
    id: i64,
}
struct Mix16<'a> {
    id: i64,
    leaf: &'a Mix8,
}
struct Mix24 {
    id: i64,
    #[allow(dead_code)] // not summed up
    x: f64,
    y: f64,
}
struct Mix40<'a> {
    id: i64,
    at: &'a Mix24,
    up: &'a Mix16<'a>,
    name: &'static str,
}
struct Mix48 {
    id: i64,
    v: [i64; 5],
}
struct Mix64<'a> {
    id: i64,
    body: &'a Mix48,
    up: &'a Mix40<'a>,
    tags: Tags,
    name: &'static str,
}
struct Mix80 {
    id: i64,
    v: [i64; 9],
}
struct Mix96<'a> {
    id: i64,
    body: &'a Mix80,
    up: &'a Mix64<'a>,
    names: [&'static str; 2],
    v: [i64; 5],
}
struct Mix128 {
    id: i64,
    v: [i64; 15],
}
struct Mix192<'a> {
    id: i64,
    body: &'a Mix128,
    up: &'a Mix96<'a>,
    tags: Tags,
    v: [i64; 18],
}
struct Mix256 {
    id: i64,
    v: [i64; 31],
}
struct Mix512<'a> {
    id: i64,
    body: &'a Mix256,
    up: &'a Mix192<'a>,
    last: Option<&'a Mix512<'a>>,
    v: [i64; 60],
}

/// Makes n objects of each type and returns the newest.
#[inline(never)]
fn turns(bump: &Bump, n: usize) -> Option<&Mix512<'_>> {
    let (name, tags) = (black_box(NAME), black_box(TAGS));
    let mut last = None;
    for id in 0..n as i64 {
        let leaf = &*bump.alloc_with(|| Mix8 { id });
        let up = &*bump.alloc_with(|| Mix16 { id, leaf });
        let at = &*bump.alloc_with(|| Mix24 { id, x: 0.0, y: 0.0 });
        let up = &*bump.alloc_with(|| Mix40 { id, at, up, name });
        let body = &*bump.alloc_with(|| Mix48 { id, v: [0; 5] });
        let up = &*bump.alloc_with(|| Mix64 {
            id,
            body,
            up,
            tags,
            name,
        });
        let body = &*bump.alloc_with(|| Mix80 { id, v: [0; 9] });
        let up = &*bump.alloc_with(|| Mix96 {
            id,
            body,
            up,
            names: ["", name],
            v: [0; 5],
        });
        let body = &*bump.alloc_with(|| Mix128 { id, v: [0; 15] });
        let up = &*bump.alloc_with(|| Mix192 {
            id,
            body,
            up,
            tags,
            v: [0; 18],
        });
        let body = &*bump.alloc_with(|| Mix256 { id, v: [0; 31] });
        last = Some(&*bump.alloc_with(|| Mix512 {
            id,
            body,
            up,
            last,
            v: [0; 60],
        }));
    }
    last
}

impl Mix512<'_> {
    /// Reads all reachable objects: their numbers, the lengths of their
    /// strings and slices, and a word of each that must still be zero.
    #[inline(never)]
    fn sum(&self) -> i64 {
        let mut sum = 0;
        let mut next = Some(self);
        while let Some(p) = next {
            let q = p.up;
            let r = q.up;
            let s = r.up;
            let t = s.up;
            let u = t.up;
            sum += p.id + p.v[59] + p.body.id + p.body.v[30];
            sum += q.id + q.v[17] + q.tags.items.len() as i64 + q.body.id + q.body.v[14];
            sum += r.id
                + r.v[4]
                + (r.names[0].len() + r.names[1].len()) as i64
                + r.body.id
                + r.body.v[8];
            sum += s.id + (s.tags.items.len() + s.name.len()) as i64 + s.body.id + s.body.v[4];
            sum += t.id + t.name.len() as i64 + t.at.id + t.at.y as i64;
            sum += u.id + u.leaf.id;
            next = p.last;
        }
        sum
    }
}

/// The expected sum after n turns.
fn expected_sum(n: usize) -> i64 {
    (TYPES * n * (n - 1) / 2 + n * (2 * TAGS.items.len() + 3 * NAME.len())) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::tests::dirty;

    #[test]
    fn types_have_their_sizes() {
        let small = [
            size_of::<Mix8>(),
            size_of::<Mix16>(),
            size_of::<Mix24>(),
            size_of::<Mix40>(),
        ];
        let middle = [
            size_of::<Mix48>(),
            size_of::<Mix64>(),
            size_of::<Mix80>(),
            size_of::<Mix96>(),
        ];
        let large = [
            size_of::<Mix128>(),
            size_of::<Mix192>(),
            size_of::<Mix256>(),
            size_of::<Mix512>(),
        ];
        assert_eq!(
            [small, middle, large],
            [[8, 16, 24, 40], [48, 64, 80, 96], [128, 192, 256, 512]]
        );
    }

    #[test]
    fn objects_are_as_they_were_made() {
        for n in [1, 2, 77] {
            let bump = dirty();
            assert_eq!(
                turns(&bump, n).map(Mix512::sum),
                Some(expected_sum(n)),
                "{n} turns"
            );
        }
    }
}
