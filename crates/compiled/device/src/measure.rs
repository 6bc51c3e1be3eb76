//! How fast a device copies, which its passes are measured by.

use solve::Trouble;
use verdict::Watch;

use crate::backend::{Plies, locked};
use crate::batch::{Batch, View};
use crate::passes::Params;
use crate::profile::Profile;

impl Plies {
    /// Copies for a moment, to know how fast the device can.
    pub(crate) fn measure(&mut self, watch: &Watch<'_>) -> Result<(), Trouble> {
        if self.session.timing.is_none() || locked(&self.profile).copy_bytes_per_second > 0 {
            return Ok(());
        }
        // One more, and a row of workgroups would be longer than a dispatch may have.
        let words = 1u32 << 21;
        let bytes = 4 * u64::from(words);
        let (from, to) = (self.session.memory(bytes)?, self.session.memory(bytes)?);
        let mut sums = Profile { plies: vec![Default::default()], ..Profile::default() };
        for _ in 0..4 {
            let mut batch = Batch::new(&self.session);
            let params = Params { states: words, ..Params::default() };
            let views = [View::of(&from.buffer, bytes), View::of(&to.buffer, bytes)];
            batch.run(&self.passes.copy, params, &views, [words, 1, 1], 2 * bytes);
            batch.finish(&[(&to.buffer, 0, 16)], watch, &mut sums)?;
        }
        let pass = &sums.passes()[0];
        let nanos = pass.time.as_nanos().max(1);
        let speed = u128::from(pass.bytes) * 1_000_000_000 / nanos;
        locked(&self.profile).copy_bytes_per_second = u64::try_from(speed).unwrap_or(u64::MAX);
        Ok(())
    }
}
