//! The adapters that there are, and the choice of one.

use crate::fault::DeviceFault;

/// An adapter, as `oddsmith devices` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    /// Its number in the list.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The interface under it, such as `vulkan`.
    pub backend: String,
    /// The driver and its version.
    pub driver: String,
    /// Whether it is hardware, and not a program that runs on the processor.
    pub hardware: bool,
    /// Bytes of a buffer, at most.
    pub buffer_bytes: u64,
    /// Bytes of a buffer that a shader sees at once, at most.
    pub binding_bytes: u64,
    /// Storage buffers that a shader sees at once, at most.
    pub storage_buffers: u32,
    /// Invocations of a workgroup, at most.
    pub workgroup: u32,
    /// Whether passes can be timed on it.
    pub timestamps: bool,
}

/// Which adapter is wished for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Wish {
    /// The best: discrete before integrated before anything else, software last.
    #[default]
    Any,
    /// The best that is hardware.
    Hardware,
    /// The one with this number, or else with this in its name (upper and lower case alike).
    Named(String),
}

/// Lists the adapters.
pub fn adapters() -> Vec<Adapter> {
    enumerated().iter().enumerate().map(|(index, found)| describe(index, found)).collect()
}

fn enumerated() -> Vec<wgpu::Adapter> {
    let descriptor = wgpu::InstanceDescriptor {
        backends: wgpu::Backends::PRIMARY,
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY))
}

/// The adapter that is wished for.
pub(crate) fn choose(wish: &Wish) -> Result<(wgpu::Adapter, Adapter), DeviceFault> {
    let found = enumerated();
    let known: Vec<Adapter> =
        found.iter().enumerate().map(|(index, adapter)| describe(index, adapter)).collect();
    let ranks: Vec<u8> = found.iter().map(|adapter| rank(adapter.get_info().device_type)).collect();
    let index = place(wish, &known, &ranks)?;
    let chosen = found.into_iter().nth(index).expect("a place in the list");
    Ok((chosen, known[index].clone()))
}

/// Where in the list the wished one stands; `ranks` are best where smallest.
fn place(wish: &Wish, known: &[Adapter], ranks: &[u8]) -> Result<usize, DeviceFault> {
    assert_eq!(known.len(), ranks.len(), "a rank an adapter");
    let best = |fits: &dyn Fn(&Adapter) -> bool| {
        let fitting = known.iter().filter(|adapter| fits(adapter));
        fitting.map(|adapter| adapter.index).min_by_key(|index| (ranks[*index], *index))
    };
    match wish {
        Wish::Any => best(&|_| true).ok_or(DeviceFault::NoAdapter),
        Wish::Hardware => best(&|adapter| adapter.hardware).ok_or(DeviceFault::NoAdapter),
        Wish::Named(_) if known.is_empty() => Err(DeviceFault::NoAdapter),
        Wish::Named(asked) => {
            let number = asked.parse().ok().filter(|index| *index < known.len());
            let wanted = asked.to_lowercase();
            let by_name =
                || best(&|adapter: &Adapter| adapter.name.to_lowercase().contains(&wanted));
            number.or_else(by_name).ok_or_else(|| DeviceFault::Unknown {
                asked: asked.clone(),
                known: known.iter().map(|one| format!("{} {}", one.index, one.name)).collect(),
            })
        }
    }
}

fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}

fn describe(index: usize, adapter: &wgpu::Adapter) -> Adapter {
    let (info, limits) = (adapter.get_info(), adapter.limits());
    let driver = format!("{} {}", info.driver, info.driver_info).trim().to_owned();
    Adapter {
        index,
        name: info.name,
        backend: info.backend.to_string(),
        driver,
        hardware: info.device_type != wgpu::DeviceType::Cpu,
        buffer_bytes: limits.max_buffer_size,
        // Shaders count words in 32 bits.
        binding_bytes: limits.max_storage_buffer_binding_size.min(1 << 32),
        storage_buffers: limits.max_storage_buffers_per_shader_stage,
        workgroup: limits.max_compute_invocations_per_workgroup,
        timestamps: adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adapter(index: usize, name: &str, hardware: bool) -> Adapter {
        Adapter {
            index,
            name: name.to_owned(),
            backend: "vulkan".to_owned(),
            driver: String::new(),
            hardware,
            buffer_bytes: 1 << 30,
            binding_bytes: 1 << 27,
            storage_buffers: 8,
            workgroup: 256,
            timestamps: false,
        }
    }

    #[test]
    fn the_best_is_chosen_unless_one_is_named() {
        let known = [adapter(0, "llvmpipe", false), adapter(1, "Great GPU", true)];
        let ranks = [4, 0];
        let named = |text: &str| place(&Wish::Named(text.to_owned()), &known, &ranks);
        assert_eq!(place(&Wish::Any, &known, &ranks), Ok(1));
        assert_eq!((named("0"), named("great"), named("LLVM")), (Ok(0), Ok(1), Ok(0)));
        assert!(matches!(named("other"), Err(DeviceFault::Unknown { .. })));
        assert!(matches!(named("7"), Err(DeviceFault::Unknown { .. })));
    }

    #[test]
    fn software_is_no_hardware_and_nothing_is_no_adapter() {
        let known = [adapter(0, "llvmpipe", false)];
        assert_eq!(place(&Wish::Any, &known, &[4]), Ok(0));
        assert_eq!(place(&Wish::Hardware, &known, &[4]), Err(DeviceFault::NoAdapter));
        let wish = Wish::Named("0".to_owned());
        assert_eq!(place(&wish, &[], &[]), Err(DeviceFault::NoAdapter));
    }
}
