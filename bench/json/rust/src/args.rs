//! The command line, in the way of Go's flag package: one dash.

use std::path::PathBuf;
use std::time::Duration;

pub struct Args {
    pub peer: String,
    pub texts: PathBuf,
    pub rows: String, // only those whose name starts with this
    pub turn: Duration,
    pub check: Option<String>, // the text whose value is printed
}

impl Args {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut args = Args {
            peer: String::new(),
            texts: PathBuf::new(),
            rows: String::new(),
            turn: Duration::from_millis(100),
            check: None,
        };
        while let Some(flag) = words.next() {
            let value = words
                .next()
                .ok_or(format!("the flag {flag} needs a value"))?;
            match flag.as_str() {
                "-peer" => args.peer = value,
                "-texts" => args.texts = value.into(),
                "-rows" => args.rows = value,
                "-turn" => args.turn = milliseconds(&flag, &value)?,
                "-check" => args.check = Some(value),
                _ => return Err(format!("there is no flag {flag}")),
            }
        }
        Ok(args)
    }
}

/// Reads a duration of whole milliseconds, as Go writes it.
fn milliseconds(flag: &str, value: &str) -> Result<Duration, String> {
    value
        .strip_suffix("ms")
        .and_then(|n| n.parse().ok())
        .map(Duration::from_millis)
        .ok_or(format!(
            "{flag} needs milliseconds such as 100ms, not {value:?}"
        ))
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn parse(line: &str) -> Result<Args, String> {
        Args::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn flags_are_read() {
        let a = parse("-peer x -turn 7ms -rows typed -texts y").unwrap();
        assert!(a.peer == "x" && a.turn.as_millis() == 7 && a.rows == "typed" && a.check.is_none());
    }

    #[test]
    fn wrong_flags_are_told() {
        for line in ["-turn", "-turn 7", "-turn ms", "-deep 3"] {
            assert!(parse(line).is_err(), "{line} is accepted");
        }
    }
}
