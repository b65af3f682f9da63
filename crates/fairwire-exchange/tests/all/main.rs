//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod any_text;
mod imports;
mod limits;
mod mutated;
mod places;
mod tc;
mod twice;
