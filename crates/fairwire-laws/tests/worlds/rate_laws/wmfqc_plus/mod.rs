//! WMFQC with grants, worked by hand at one port and at one source.

mod grants;
mod notices;
mod port;
mod source;
