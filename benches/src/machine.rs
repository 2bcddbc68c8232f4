//! What everything was measured on, without names of hosts or people.

use std::fs;

/// The processor, its cores, the memory, and the kernel: `name: value`, where the system says so.
pub(crate) fn facts() -> Vec<(&'static str, String)> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (processor, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let field = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let gibibytes = |kilobytes: String| {
        let kilobytes: u64 = kilobytes.trim_end_matches(" kB").parse().ok()?;
        Some(format!("{} GiB", (kilobytes + (1 << 19)) >> 20))
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let facts = [
        ("Processor", field(&processor, "model name")),
        ("Cores", Some(cores.to_string())),
        ("Memory", field(&memory, "MemTotal").and_then(gibibytes)),
        (
            "Kernel",
            // What stands behind a dash is whose it is.
            read("/proc/sys/kernel/osrelease").trim().split('-').next().map(str::to_owned),
        ),
    ];
    let told = facts.into_iter().filter_map(|(name, told)| Some((name, told?)));
    told.filter(|(_, told)| !told.is_empty()).collect()
}
