//! What the libraries for JSON in Rust take to read texts to structs: the bar outside Go. It prints
//! one JSON object a line: the name of a row, and the processors' time of a call.
//!
//!     program -peer serde_json|sonic-rs|simd-json -texts DIR [-rows PREFIX] [-turn 100ms]
//!
//! With -check TEXT it reads that text and prints the value.

mod args;
mod cpu;
mod peers;
mod timing;
/// The texts' types, which the benchmark generates before it has this program built.
#[allow(dead_code)]
mod types {
    include!(concat!(env!("HARENA_GENERATED"), "/types.rs"));
}

use args::Args;
use peers::Peer;
use serde::{de::DeserializeOwned, Serialize};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match Args::parse(std::env::args().skip(1)).and_then(|args| run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let peer = Peer::named(&args.peer)?;
    row::<types::LogLine>(args, peer, "typed", "log line")?;
    row::<types::Order>(args, peer, "typed", "order")?;
    row::<types::Members>(args, peer, "members", "4 of 60 members")?;
    row::<types::Twitter>(args, peer, "typed", "twitter_status")?;
    row::<types::Twitter>(args, peer, "typed", "twitter compact")?;
    row::<types::CitmCatalog>(args, peer, "typed", "citm_catalog")?;
    row::<types::CanadaGeometry>(args, peer, "typed", "canada_geometry")?;
    row::<types::GolangSource>(args, peer, "typed", "golang_source")?;
    row::<types::StringUnicode>(args, peer, "typed", "string_unicode")?;
    row::<types::StringEscaped>(args, peer, "typed", "string_escaped")
}

/// Measures a row if it is wanted and its text is there, or prints its value.
fn row<T: DeserializeOwned + Serialize>(
    args: &Args,
    peer: Peer,
    group: &str,
    text: &str,
) -> Result<(), String> {
    let name = format!("{group}-{text}");
    let path = args.texts.join(format!("{text}.json"));
    if !name.starts_with(&args.rows)
        || !path.exists()
        || args.check.as_ref().is_some_and(|c| c != text)
    {
        return Ok(());
    }
    let data = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let told = |e| format!("{name}: {e}");
    if args.check.is_some() {
        let mut print = |value: &T| println!("{}", serde_json::to_string(value).unwrap());
        return peer
            .decode(&mut data.clone(), &mut Default::default(), &mut print)
            .map_err(told);
    }
    let seconds = timing::per_call::<T>(peer, &data, args.turn).map_err(told)?;
    println!("{{\"Row\":{name:?},\"Value\":{seconds:e}}}");
    Ok(())
}
