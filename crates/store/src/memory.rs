//! How much memory the process holds, as the system counts it.
//!
//! Read from `/proc/self/status`, where there is one: the resident size is what a memory limit is
//! held against, and its peak is what a user is told. A reading costs some ten microseconds, so
//! callers ask once a chunk of work, not once a state.

/// Bytes of the process that are in memory now; none where the system does not say.
pub fn resident_bytes() -> Option<u64> {
    status_bytes("VmRSS:")
}

/// The most bytes of the process that have been in memory at once; none where the system does
/// not say.
pub fn peak_bytes() -> Option<u64> {
    status_bytes("VmHWM:")
}

#[cfg(target_os = "linux")]
fn status_bytes(field: &str) -> Option<u64> {
    field_bytes(&std::fs::read_to_string("/proc/self/status").ok()?, field)
}

#[cfg(not(target_os = "linux"))]
fn status_bytes(_field: &str) -> Option<u64> {
    None
}

/// The bytes of a line such as `VmRSS:     1234 kB`.
#[cfg(any(target_os = "linux", test))]
fn field_bytes(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let (number, unit) = line.trim().split_once(' ')?;
    if unit != "kB" {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_bytes() {
        let status = "Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t 1 kB\nThreads:\t3\n";
        assert_eq!(field_bytes(status, "VmHWM:"), Some(2 << 20));
        assert_eq!(field_bytes(status, "VmRSS:"), Some(1024));
        assert_eq!(field_bytes(status, "VmSwap:"), None);
        assert_eq!(field_bytes(status, "Threads:"), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn touching_memory_shows() {
        let before = resident_bytes().expect("Linux says");
        let block = std::hint::black_box(vec![1u8; 64 << 20]);
        let after = resident_bytes().expect("Linux says");
        assert!(after >= before + (48 << 20), "{before} then {after}");
        assert!(peak_bytes().expect("Linux says") >= after - (8 << 20));
        drop(block);
    }
}
