//! What rate laws are made of: each part serves several laws, or could.

pub mod active;
pub mod asking;
pub mod atm_float;
pub mod available;
pub mod averaging;
pub mod coming_back;
pub mod counting;
pub mod lasting;
pub mod limits;
pub mod longest_time;
pub mod marking;
pub mod numbers;
pub mod one_rate;
pub mod overload;
pub mod roster;
pub mod share_tree;
pub mod shares;
pub mod silence;
pub mod total;
