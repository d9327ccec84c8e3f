//! The command line, in the way of Go's flag package: one dash.

pub struct Args {
    pub quick: bool,
    pub rows: String, // only names with this prefix
    pub depth: u32,
    pub workers: usize,
}

impl Args {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
        let mut args = Args {
            quick: false,
            rows: String::new(),
            depth: 0,
            workers: 1,
        };
        while let Some(flag) = words.next() {
            if flag == "-quick" {
                args.quick = true;
                continue;
            }
            let value = words
                .next()
                .ok_or(format!("the flag {flag} needs a value"))?;
            match flag.as_str() {
                "-rows" => args.rows = value,
                "-depth" => args.depth = number(&flag, &value)?,
                "-workers" => args.workers = number(&flag, &value)?,
                _ => return Err(format!("there is no flag {flag}")),
            }
        }
        Ok(args)
    }
}

fn number<N: std::str::FromStr>(flag: &str, value: &str) -> Result<N, String> {
    value
        .parse()
        .map_err(|_| format!("{flag} needs a number, not {value:?}"))
}

#[cfg(test)]
mod tests {
    use super::Args;

    fn parse(line: &str) -> Result<Args, String> {
        Args::parse(line.split_whitespace().map(String::from))
    }

    #[test]
    fn flags_are_read() {
        let a = parse("-depth 7 -quick -rows new -workers 3").unwrap();
        assert!(a.quick && a.rows == "new" && a.depth == 7 && a.workers == 3);
    }

    #[test]
    fn wrong_flags_are_told() {
        for line in ["-depth", "-depth x", "-workers -1", "-deep 3"] {
            assert!(parse(line).is_err(), "{line} is accepted");
        }
    }
}
