//! How a port shares its bandwidth: the tree against the printed list, marks against eq. (1), both against water filling.

mod linear;
mod long_runs;
mod marking;
mod share_tree;
