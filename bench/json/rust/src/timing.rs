//! How a call is timed: as on Go's side, by the processors' time of the whole process.

use crate::cpu;
use crate::peers::Peer;
use serde::de::DeserializeOwned;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The processors' time of a call in seconds. What it takes to copy the text for a library that
/// writes to it is measured alone and taken off.
pub fn per_call<T: DeserializeOwned>(
    peer: Peer,
    data: &[u8],
    turn: Duration,
) -> Result<f64, String> {
    let mut work = Work::<T>::new(peer, data);
    let n = work.calibrate(turn)?;
    let seconds = work.cpu(n, true)?;
    let copies = if peer.overwrites() {
        work.cpu(n, false)?
    } else {
        0.0
    };
    Ok((seconds - copies).max(0.0) / n as f64)
}

struct Work<'a, T> {
    peer: Peer,
    data: &'a [u8],
    text: Vec<u8>,
    buffers: simd_json::Buffers,
    value: std::marker::PhantomData<T>,
}

impl<'a, T: DeserializeOwned> Work<'a, T> {
    fn new(peer: Peer, data: &'a [u8]) -> Work<'a, T> {
        Work {
            peer,
            data,
            text: data.to_vec(),
            buffers: simd_json::Buffers::default(),
            value: std::marker::PhantomData,
        }
    }

    fn call(&mut self, decode: bool) -> Result<(), String> {
        if self.peer.overwrites() {
            self.text.copy_from_slice(black_box(self.data));
        }
        if decode {
            let show = &mut |value: &T| {
                black_box(value);
            };
            self.peer.decode(&mut self.text, &mut self.buffers, show)?;
        }
        black_box(&self.text);
        Ok(())
    }

    /// How many calls take as long as a turn.
    fn calibrate(&mut self, turn: Duration) -> Result<usize, String> {
        let mut n = 1;
        loop {
            let began = Instant::now();
            for _ in 0..n {
                self.call(true)?;
            }
            let took = began.elapsed();
            if took >= turn / 4 {
                return Ok(((n as f64 * turn.as_secs_f64() / took.as_secs_f64()) as usize).max(1));
            }
            n *= 2;
        }
    }

    fn cpu(&mut self, n: usize, decode: bool) -> Result<f64, String> {
        let (before, began) = (cpu::seconds(), Instant::now());
        for _ in 0..n {
            self.call(decode)?;
        }
        let spent = cpu::seconds() - before;
        Ok(if spent > 0.0 {
            spent
        } else {
            began.elapsed().as_secs_f64()
        })
    }
}
