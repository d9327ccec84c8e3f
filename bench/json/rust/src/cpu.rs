//! What the process has used, as the Go side's package measure reads it.

/// User and system time of all threads in seconds; 0 where nobody can say.
pub fn seconds() -> f64 {
    #[cfg(unix)]
    {
        // All zero is a value of this struct of numbers, and getrusage fills it; it can't fail
        // with these arguments.
        let u = unsafe {
            let mut u: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_SELF, &mut u);
            u
        };
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        seconds(u.ru_utime) + seconds(u.ru_stime)
    }
    #[cfg(not(unix))]
    0.0
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn work_is_seen() {
        let before = super::seconds();
        while super::seconds() < before + 0.001 {
            std::hint::black_box(vec![1u8; 1 << 20]);
        }
    }
}
