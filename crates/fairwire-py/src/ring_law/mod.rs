//! Ring laws written in Python: subclasses of `fairwire.RingLaw`.

mod arguments;
mod driver;
mod factory;
mod law;
mod site;
mod text;
mod trouble;
mod view;

pub use driver::Driver;
pub use factory::PythonLaw;
pub use site::{Site, SiteFlow};
pub use trouble::{Trouble, end_laws};
pub use view::{AddQueue, ByteCounts, ClassBytes, StationView};
