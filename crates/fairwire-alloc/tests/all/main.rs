//! Every test of the crate in one program: it is linked once, and all of its tests share the processors.

mod common;
mod exact_rationals;
mod flat_arrays;
mod hard_instances;
mod invariance;
mod kinks;
mod live;
mod promises;
mod properties;
mod refused_input;
mod several_answers;
mod what_if;
mod worked_values;
