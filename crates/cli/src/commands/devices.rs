//! `oddsmith devices`: the graphics devices that there are.

use std::io::Write;

use crate::args::DevicesArgs;
use crate::failure::{Failure, Status};
use crate::gpu;

/// Lists them; that there is none is the environment's fault.
pub(crate) fn run(args: &DevicesArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    gpu::built_in()?;
    list(args, out)
}

#[cfg(not(feature = "gpu"))]
fn list(_args: &DevicesArgs, _out: &mut dyn Write) -> Result<Status, Failure> {
    unreachable!("it was refused before")
}

#[cfg(feature = "gpu")]
fn list(args: &DevicesArgs, out: &mut dyn Write) -> Result<Status, Failure> {
    use crate::quantity::show_size;

    let adapters = device::adapters();
    if adapters.is_empty() {
        return Err(Failure::Environment(device::DeviceFault::NoAdapter.to_string()));
    }
    if args.json {
        let devices: Vec<_> = adapters.iter().map(object).collect();
        super::write_object(out, &serde_json::json!({ "devices": devices }))?;
        return Ok(Status::Answered);
    }
    for adapter in &adapters {
        let kind = if adapter.hardware { "hardware" } else { "software" };
        let timed = if adapter.timestamps { "passes can be timed" } else { "no timestamps" };
        writeln!(out, "{}  {}", adapter.index, adapter.name)?;
        writeln!(out, "   {kind}, by {} ({})", adapter.backend, adapter.driver)?;
        writeln!(
            out,
            "   {} a buffer, of which a shader sees {} at once; {timed}",
            show_size(adapter.buffer_bytes),
            show_size(adapter.binding_bytes)
        )?;
    }
    Ok(Status::Answered)
}

#[cfg(feature = "gpu")]
fn object(adapter: &device::Adapter) -> serde_json::Value {
    serde_json::json!({
        "index": adapter.index,
        "name": adapter.name,
        "backend": adapter.backend,
        "driver": adapter.driver,
        "hardware": adapter.hardware,
        "buffer_bytes": adapter.buffer_bytes,
        "binding_bytes": adapter.binding_bytes,
        "storage_buffers": adapter.storage_buffers,
        "workgroup": adapter.workgroup,
        "timestamps": adapter.timestamps,
    })
}
