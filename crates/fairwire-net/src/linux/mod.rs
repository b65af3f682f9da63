//! Namespaces, TAPs and sockets.

mod conversion;
mod doctor;
mod hold;
mod home;
mod links;
mod post;
mod run;
mod stage;
mod station;
mod streams;
mod sys;
mod traffic;
mod warden;

pub use doctor::findings;
pub use hold::become_program_in;
pub use home::{Home, enter};
pub use stage::Stage;
pub use warden::Warden;
