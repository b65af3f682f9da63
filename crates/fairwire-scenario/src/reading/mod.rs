//! From text to tables: every value with its place, every mistake with its mend.

pub mod diagnostic;
pub mod document;
pub mod no_such_name;
pub mod percent;
pub mod quantity;
pub mod setting_error;
pub mod suggest;
pub mod syntax;
pub mod table;
