//! Measures Rust's bumpalo with the work of harena's benchmarks: the reference
//! outside Go. It does the same as the Go programs, in the same shapes, and
//! prints one JSON object a line.
//!
//!     program micro [-quick] [-rows PREFIX]
//!     program trees -depth N [-workers W]

mod args;
mod object;
mod objects;
mod slices;
mod timing;
mod trees;
mod usage;

use args::Args;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(mut words: impl Iterator<Item = String>) -> Result<(), String> {
    let mode = words.next().unwrap_or_default();
    let args = Args::parse(words)?;
    match mode.as_str() {
        "micro" => timing::print(objects::rows().chain(slices::rows()), &args),
        "trees" => trees::print(&args)?,
        _ => {
            return Err(format!(
                "the first argument must be micro or trees, not {mode:?}"
            ))
        }
    }
    Ok(())
}
