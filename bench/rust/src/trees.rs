//! binary-trees of the Computer Language Benchmarks Game, as on the Go
//! side: each worker has an arena that is reset after each tree.

use crate::args::Args;
use crate::usage;
use bumpalo::Bump;
use std::thread;
use std::time::Instant;

/// A node is the game's: two pointers and nothing else.
struct Node<'a> {
    left: Option<&'a Node<'a>>,
    right: Option<&'a Node<'a>>,
}

fn tree(bump: &Bump, depth: u32) -> &Node<'_> {
    let n = bump.alloc(Node {
        left: None,
        right: None,
    });
    if depth > 0 {
        n.left = Some(tree(bump, depth - 1));
        n.right = Some(tree(bump, depth - 1));
    }
    n
}

impl Node<'_> {
    fn count(&self) -> usize {
        let (mut nodes, mut n) = (1, self);
        while let (Some(left), Some(right)) = (n.left, n.right) {
            nodes += 1 + left.count();
            n = right;
        }
        nodes
    }
}

const MIN_DEPTH: u32 = 4;

/// Plays the game with trees up to depth and returns its output.
fn play(depth: u32, workers: usize) -> String {
    let depth = depth.max(MIN_DEPTH + 2);
    let mut lines = Vec::new();
    let mut note = |what: String, nodes: usize| lines.push(format!("{what}\t check: {nodes}"));

    let stretch = tree(&Bump::new(), depth + 1).count();
    note(format!("stretch tree of depth {}", depth + 1), stretch);

    let own = Bump::new();
    let long = tree(&own, depth);
    let mut bumps: Vec<Bump> = (0..workers.max(1)).map(|_| Bump::new()).collect();
    for d in (MIN_DEPTH..=depth).step_by(2) {
        let n = 1 << (depth - d + MIN_DEPTH);
        note(format!("{n}\t trees of depth {d}"), many(&mut bumps, n, d));
    }
    note(format!("long lived tree of depth {depth}"), long.count());
    lines.join("\n")
}

/// Builds and counts n trees, divided among the workers.
fn many(bumps: &mut [Bump], n: usize, depth: u32) -> usize {
    let (share, rest) = (n / bumps.len(), n % bumps.len());
    thread::scope(|s| {
        let work = bumps.iter_mut().enumerate().map(|(w, bump)| {
            let share = share + usize::from(w < rest);
            s.spawn(move || {
                let mut total = 0;
                for _ in 0..share {
                    total += tree(bump, depth).count();
                    bump.reset();
                }
                total
            })
        });
        let work: Vec<_> = work.collect(); // start all before waiting for one
        work.into_iter()
            .map(|w| w.join().expect("a worker panicked"))
            .sum()
    })
}

/// Plays the game and prints its output with its cost.
pub fn print(args: &Args) -> Result<(), String> {
    if args.depth == 0 || args.depth > 40 {
        return Err("trees needs a -depth from 1 to 40".into());
    }
    let (began, cpu) = (Instant::now(), usage::cpu());
    let output = play(args.depth, args.workers);
    let (wall, cpu) = (began.elapsed().as_secs_f64(), usage::cpu() - cpu);
    // Rust quotes tabs and newlines like JSON.
    println!(
        "{{\"checksum\":{output:?},\"wall\":{wall:e},\"cpu\":{cpu:e},\"rss\":{}}}",
        usage::peak_rss()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn output_is_the_games() {
        let want = "stretch tree of depth 9\t check: 1023\n\
                    256\t trees of depth 4\t check: 7936\n\
                    64\t trees of depth 6\t check: 8128\n\
                    16\t trees of depth 8\t check: 8176\n\
                    long lived tree of depth 8\t check: 511";
        for workers in [1, 2, 3, 7] {
            assert_eq!(super::play(8, workers), want, "{workers} workers");
        }
    }
}
