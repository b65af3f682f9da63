//! Connections of the kernel's TCP, which begin and carry what the simulator's schedules say.

use super::poller::{Event, Poller};
use crate::error::NetError;
use crate::layout::{address, port};
use crate::linux::conversion::{control, data_in_segment, data_of_transfer, maximum_segment};
use crate::linux::stage::Stage;
use crate::linux::sys;
use crate::options::TcpCounts;
use fairwire_core::{BitRate, Instant, Span};
use fairwire_laws::transport::KernelControl;
use fairwire_plan::{TcpPlan, Transfer};
use fairwire_sim::{ConnectionMaker, Load};
use nix::libc;
use nix::sys::socket::{MsgFlags, recv};
use socket2::{Domain, Socket, Type};
use std::io::{self, ErrorKind, Write};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// Listeners have room for so many connections that were not taken yet.
const BACKLOG: i32 = 1_024;
/// More than this is not handed to the kernel before it can send it, or what the station's link carries while its sender
/// waits for a processor.
const UNSENT_BYTES: u64 = 1 << 17;
const WAITS_FOR_A_PROCESSOR: Span = Span::from_millis(20);
/// One write or read.
const A_PIECE: usize = 1 << 16;
/// One socket writes or reads so many pieces before others have their turn.
const A_TURN: usize = 8;

static CONTENTS: [u8; A_PIECE] = [0; A_PIECE];

/// All connections of a run.
pub struct Connections<'a> {
    stage: &'a Stage,
    tcp: Option<KernelControl>,
    makers: Vec<Beginner>,
    ends: Vec<Option<End>>,
    free: Vec<usize>,
    counts: Vec<TcpCounts>,
    scratch: Vec<u8>,
}

/// Begins the connections of a micro-flow.
struct Beginner {
    flow: usize,
    maker: ConnectionMaker,
    /// The connection without end that is open.
    unlimited: Option<usize>,
}

/// A socket and what it is for.
struct End {
    socket: Socket,
    role: Role,
}

enum Role {
    Listens,
    Receives,
    Sends { beginner: usize, load: Load, left: Option<u64>, begun: Instant },
}

impl<'a> Connections<'a> {
    /// Listens for connections of all flows that are made of such.
    pub fn listen(stage: &'a Stage, tcp: Option<KernelControl>, poller: &mut Poller) -> Result<Self, NetError> {
        let counts = vec![TcpCounts::default(); stage.layout.flows.len()];
        let (makers, ends, free, scratch) = (Vec::new(), Vec::new(), Vec::new(), vec![0; A_PIECE]);
        let mut all = Self { stage, tcp, makers, ends, free, counts, scratch };
        for (flow, ends) in stage.layout.flows.iter().enumerate() {
            let Some(tcp) = &ends.tcp else { continue };
            stage.stations[usize::from(ends.to)].go()?;
            let place = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.to)), port(flow));
            let listen = || -> io::Result<Socket> {
                let socket = tcp_socket(tcp, ends.line)?;
                socket.bind(&place.into())?;
                socket.listen(BACKLOG)?;
                Ok(socket)
            };
            let socket = listen().map_err(NetError::system("listening for connections"))?;
            let control = control(tcp, all.tcp);
            socket
                .set_tcp_congestion(control.name().as_bytes())
                .map_err(|error| NetError::Control(control.name(), error))?;
            let token = all.keep(End { socket, role: Role::Listens });
            poller.add(&all.socket(token), token as u64, false)?;
        }
        Ok(all)
    }

    /// Adds a micro-flow of `flow`.
    pub fn add(&mut self, flow: usize, maker: ConnectionMaker) {
        self.makers.push(Beginner { flow, maker, unlimited: None });
    }

    /// Whether there are any, or may be.
    pub fn are_any(&self) -> bool {
        !self.ends.is_empty() || !self.makers.is_empty()
    }

    /// When the next connection begins or ends to offer new data.
    pub fn next_at(&self) -> Instant {
        let next = |beginner: &Beginner| beginner.maker.next_begin().min(beginner.maker.next_end());
        self.makers.iter().map(next).min().unwrap_or(Instant::NEVER)
    }

    /// Begins and ends what is due.
    pub fn act(&mut self, now: Instant, poller: &mut Poller) {
        for number in 0..self.makers.len() {
            while self.makers[number].maker.next_end() <= now {
                if let Some(token) = self.makers[number].unlimited.take()
                    && let Some(End { socket, role: Role::Sends { left, .. } }) = &mut self.ends[token]
                {
                    *left = Some(0);
                    // What was handed to the kernel is still sent.
                    let _ = socket.shutdown(std::net::Shutdown::Write);
                    poller.only_read(socket, token as u64);
                }
                self.makers[number].maker.end(now);
            }
            while self.makers[number].maker.next_begin() <= now {
                if let Some(load) = self.makers[number].maker.begin(now) {
                    self.begin(number, load, now, poller);
                }
            }
        }
    }

    fn begin(&mut self, number: usize, load: Load, now: Instant, poller: &mut Poller) {
        let flow = self.makers[number].flow;
        let ends = &self.stage.layout.flows[flow];
        let Some(tcp) = &ends.tcp else { return };
        self.counts[flow].begun += 1;
        let connect = || -> Result<Socket, NetError> {
            self.stage.stations[usize::from(ends.from)].go()?;
            let doing = "beginning a connection";
            let socket = tcp_socket(tcp, ends.line).map_err(NetError::system(doing))?;
            let name = control(tcp, self.tcp).name();
            socket.set_tcp_congestion(name.as_bytes()).map_err(|error| NetError::Control(name, error))?;
            let to = SocketAddrV4::new(Ipv4Addr::from_bits(address(ends.to)), port(flow));
            match socket.connect(&to.into()) {
                Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(NetError::System(doing, error)),
                _ => Ok(socket),
            }
        };
        let Ok(socket) = connect() else {
            self.counts[flow].failed += 1;
            return;
        };
        let left = load.segments.map(|segments| data_of_transfer(&tcp.settings, segments, load.last_segment_bytes));
        let token = self.keep(End { socket, role: Role::Sends { beginner: number, load, left, begun: now } });
        if load.segments.is_none() {
            self.makers[number].unlimited = Some(token);
        }
        if poller.add(&self.socket(token), token as u64, true).is_err() {
            self.counts[flow].failed += 1;
            self.give_up(token);
        }
    }

    /// A socket has something to say.
    pub fn on_event(&mut self, event: Event, now: Instant, poller: &mut Poller) {
        let token = event.token as usize;
        let Some(end) = self.ends.get_mut(token).and_then(Option::as_mut) else { return };
        match &mut end.role {
            Role::Listens => {
                while let Some(End { socket, .. }) = &self.ends[token]
                    && let Ok((socket, _)) = socket.accept()
                {
                    let accepted = socket.set_nonblocking(true).is_ok();
                    let taken = self.keep(End { socket, role: Role::Receives });
                    if !accepted || poller.add(&self.socket(taken), taken as u64, false).is_err() {
                        self.give_up(taken);
                    }
                }
            }
            Role::Receives => {
                if event.readable && is_over(&end.socket, &mut self.scratch) {
                    self.give_up(token);
                }
            }
            Role::Sends { left, .. } => {
                let mut broke = false;
                if event.writable && *left != Some(0) {
                    broke = !write(&end.socket, left);
                    if *left == Some(0) {
                        broke |= end.socket.shutdown(std::net::Shutdown::Write).is_err();
                        poller.only_read(&end.socket, event.token);
                    }
                }
                let ended = *left == Some(0);
                if broke || (event.readable && is_over(&end.socket, &mut self.scratch)) {
                    self.close(token, now, ended && !broke);
                }
            }
        }
    }

    /// A sender's connection is over, its data arrived or not.
    fn close(&mut self, token: usize, now: Instant, arrived: bool) {
        let Some(End { socket, role: Role::Sends { beginner, load, begun, .. } }) = self.ends[token].take() else {
            return;
        };
        self.free.push(token);
        let Beginner { flow, maker, unlimited } = &mut self.makers[beginner];
        let counts = &mut self.counts[*flow];
        let again = sys::retransmitted(socket.as_fd());
        counts.retransmitted += u64::from(again);
        if *unlimited == Some(token) {
            *unlimited = None;
        }
        if !arrived {
            counts.failed += 1;
        }
        let Some(segments) = load.segments else { return };
        if arrived && let Some(tcp) = &self.stage.layout.flows[*flow].tcp {
            let full = u64::from(segments - 1) * tcp.settings.segment.get();
            let bytes = full + u64::from(load.last_segment_bytes);
            let sent = segments.saturating_add(again);
            counts.transfers.push(Transfer { start: begun, end: now, bytes, sent, retransmitted: again });
        } else {
            counts.unfinished += 1;
        }
        maker.on_closed(now);
    }

    /// All is over: what was done. Connections that are open are cut off.
    pub fn finish(mut self) -> Vec<TcpCounts> {
        for end in self.ends.iter().flatten() {
            if let Role::Sends { beginner, load, .. } = &end.role {
                let counts = &mut self.counts[self.makers[*beginner].flow];
                counts.retransmitted += u64::from(sys::retransmitted(end.socket.as_fd()));
                counts.unfinished += u64::from(load.segments.is_some());
            }
            let _ = end.socket.set_linger(Some(Duration::ZERO));
        }
        self.counts.iter_mut().for_each(|counts| counts.transfers.sort_by_key(|transfer| transfer.end));
        self.counts
    }

    fn keep(&mut self, end: End) -> usize {
        match self.free.pop() {
            Some(token) => {
                self.ends[token] = Some(end);
                token
            }
            None => {
                self.ends.push(Some(end));
                self.ends.len() - 1
            }
        }
    }

    fn give_up(&mut self, token: usize) {
        self.ends[token] = None;
        self.free.push(token);
    }

    fn socket(&self, token: usize) -> &Socket {
        &self.ends[token].as_ref().expect("it was just kept").socket
    }
}

/// A socket with the flow's settings, at a station with this link.
fn tcp_socket(tcp: &TcpPlan, link: BitRate) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.set_tcp_mss(maximum_segment(&tcp.settings))?;
    socket.set_tcp_nodelay(true)?;
    let carried = (link.as_bps_f64() * WAITS_FOR_A_PROCESSOR.as_secs_f64() / 8.0) as u64;
    socket.set_tcp_notsent_lowat(carried.clamp(UNSENT_BYTES, 1 << 30) as u32)?;
    let window = u64::from(tcp.settings.receive_window) * data_in_segment(&tcp.settings);
    sys::set_tcp_option(socket.as_fd(), libc::TCP_WINDOW_CLAMP, window.min(1 << 30) as libc::c_int)?;
    Ok(socket)
}

/// Writes as much as there is, as far as the kernel takes it: whether the connection still stands.
fn write(socket: &Socket, left: &mut Option<u64>) -> bool {
    for _ in 0..A_TURN {
        let piece = left.map_or(A_PIECE, |left| left.min(A_PIECE as u64) as usize);
        match (&*socket).write(&CONTENTS[..piece]) {
            Ok(written) => *left = left.map(|left| left - written as u64),
            Err(error) => return error.kind() == ErrorKind::WouldBlock || error.kind() == ErrorKind::NotConnected,
        }
        if *left == Some(0) {
            break;
        }
    }
    true
}

/// Throws away what has arrived: whether the other end sends no more.
fn is_over(socket: &Socket, scratch: &mut [u8]) -> bool {
    for _ in 0..A_TURN {
        match recv(socket.as_raw_fd(), scratch, MsgFlags::MSG_TRUNC) {
            Ok(0) => return true,
            Ok(_) => {}
            Err(error) => return error != nix::errno::Errno::EAGAIN,
        }
    }
    false
}
