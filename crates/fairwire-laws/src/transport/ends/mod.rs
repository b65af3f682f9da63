//! The two ends of a TCP connection.

pub mod deliveries;
pub mod following;
pub mod pacer;
pub mod receiver;
pub mod recovery;
pub mod runs;
pub mod scoreboard;
pub mod segment;
pub mod sender;
pub mod settings;
pub mod timer;
pub mod waits;

pub use receiver::Receiver;
pub use segment::{Ack, SackBlocks, Segment};
pub use sender::{Sender, SenderCounts};
pub use settings::TcpSettings;
pub use waits::Waited;
