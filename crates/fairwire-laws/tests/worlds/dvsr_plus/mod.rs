//! dvsr-plus without packets: what it converges to, how fast, and what its frames are.

mod certificate;
mod fluid_ring;
mod frames;
mod lost_frames;
mod random_rings;
mod worked;
