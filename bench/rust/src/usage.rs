//! The process's resources, read like the Go side's package measure.

/// User and system time of all threads in seconds; 0 where unknown.
pub fn cpu() -> f64 {
    #[cfg(unix)]
    {
        let u = rusage();
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        seconds(u.ru_utime) + seconds(u.ru_stime)
    }
    #[cfg(not(unix))]
    0.0
}

/// The high-water mark of resident memory in bytes; 0 where unknown.
/// Linux keeps it in /proc; getrusage there also counts the process before
/// exec, which would charge it with its parent's memory.
pub fn peak_rss() -> u64 {
    if let Some(kib) = vm_hwm() {
        return kib << 10;
    }
    #[cfg(unix)]
    {
        let unit = if cfg!(any(target_os = "macos", target_os = "ios")) {
            1
        } else {
            1 << 10
        };
        rusage().ru_maxrss as u64 * unit
    }
    #[cfg(not(unix))]
    0
}

fn vm_hwm() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

#[cfg(unix)]
fn rusage() -> libc::rusage {
    // Zero is a valid value of this struct of numbers, and getrusage fills it; it
    // can't fail with these arguments.
    unsafe {
        let mut u = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut u);
        u
    }
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn work_is_seen() {
        let before = super::cpu();
        while super::cpu() < before + 0.001 {
            std::hint::black_box(vec![1u8; 1 << 20]);
        }
        assert!(super::peak_rss() > 1 << 20);
    }
}
