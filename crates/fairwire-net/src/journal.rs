//! Arrivals written down, to be brought again.
//!
//! A record is about five bytes. All numbers are LEB128, least group first:
//!
//! | | |
//! | --- | --- |
//! | lane × 4 + size is another × 2 + ECN-capable | a lane is a flow, a way and a connection; its number is the next free one when it appears |
//! | flow × 2 + back, connection | only of a lane that appears |
//! | size in bytes | only if it is not that of the lane's last packet |
//! | time in ns | since that of the record before, zigzag: lines may bring packets ahead of others |
//!
//! Before them stand eight bytes that tell what this is, the length of a note (32 bits, little-endian) and the note, which
//! is the writer's own; after them lane 2⁶² − 1, another note with its length, and the CRC-32 of all (little-endian).

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use fairwire_core::Instant;
use fairwire_sim::BroughtPacket;
use std::collections::BTreeMap;
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"FWARRIV1";
static CRC: Crc<u32, Table<16>> = Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC);
const END: u64 = u64::MAX;

/// Writes arrivals.
pub struct ArrivalsJournalWriter<W> {
    out: W,
    digest: Digest<'static, u32, Table<16>>,
    lanes: BTreeMap<(usize, bool, u32), (u64, u16)>,
    last: Instant,
    buffer: Vec<u8>,
}

impl<W: Write> ArrivalsJournalWriter<W> {
    /// Begins a journal with a note.
    ///
    /// # Errors
    /// What `out` says.
    pub fn begin(out: W, note: &str) -> io::Result<Self> {
        let mut writer =
            Self { out, digest: CRC.digest(), lanes: BTreeMap::new(), last: Instant::ZERO, buffer: Vec::new() };
        writer.buffer.extend_from_slice(MAGIC);
        writer.push_note(note);
        writer.flush_buffer()?;
        Ok(writer)
    }

    /// Writes an arrival.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write(&mut self, flow: usize, packet: &BroughtPacket) -> io::Result<()> {
        let next = self.lanes.len() as u64;
        let lane = self.lanes.entry((flow, packet.back, packet.connection)).or_insert((next, 0));
        let (number, is_new, resized) = (lane.0, lane.0 == next && lane.1 == 0, lane.1 != packet.size_bytes);
        lane.1 = packet.size_bytes;
        let out = &mut self.buffer;
        push(out, number << 2 | u64::from(resized) << 1 | u64::from(packet.ecn_capable));
        if is_new {
            push(out, (flow as u64) << 1 | u64::from(packet.back));
            push(out, packet.connection.into());
        }
        if resized {
            push(out, packet.size_bytes.into());
        }
        let step = packet.at.as_nanos().wrapping_sub(self.last.as_nanos()) as i64;
        push(out, (step << 1 ^ step >> 63) as u64);
        self.last = packet.at;
        if self.buffer.len() > 1 << 14 { self.flush_buffer() } else { Ok(()) }
    }

    /// Ends the journal with another note.
    ///
    /// # Errors
    /// What `out` says.
    pub fn end(mut self, note: &str) -> io::Result<W> {
        push(&mut self.buffer, END);
        self.push_note(note);
        self.flush_buffer()?;
        let sum = self.digest.finalize();
        self.out.write_all(&sum.to_le_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn push_note(&mut self, note: &str) {
        self.buffer.extend_from_slice(&(note.len() as u32).to_le_bytes());
        self.buffer.extend_from_slice(note.as_bytes());
    }

    fn flush_buffer(&mut self) -> io::Result<()> {
        self.digest.update(&self.buffer);
        self.out.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

fn push(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Why a journal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArrivalsJournalError {
    /// Something else.
    #[error("this is no journal of arrivals, or one of another version")]
    Foreign,
    /// It ends before its end.
    #[error("the journal of arrivals ends in the middle, after {0} packets: it was cut off")]
    CutOff(u64),
    /// Its sum is another.
    #[error("the journal of arrivals is damaged: its checksum is not that of its contents")]
    Damaged,
    /// What no writer writes.
    #[error("the journal of arrivals makes no sense at packet {0}")]
    Nonsense(u64),
}

/// A journal that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrivalsJournal {
    /// What its writer noted at the beginning.
    pub note: String,
    /// Packets and their flows, in the order in which they were brought. Their numbers are their places here.
    pub arrivals: Vec<(usize, BroughtPacket)>,
    /// What its writer noted at the end.
    pub closing: String,
}

impl ArrivalsJournal {
    /// Reads a journal.
    ///
    /// # Errors
    /// [`ArrivalsJournalError`] for anything that [`ArrivalsJournalWriter`] does not write.
    pub fn read(bytes: &[u8]) -> Result<Self, ArrivalsJournalError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ArrivalsJournalError::Foreign)?;
        let (body, sum) = rest.split_last_chunk::<4>().ok_or(ArrivalsJournalError::CutOff(0))?;
        let is_whole = u32::from_le_bytes(*sum) == CRC.checksum(&bytes[..bytes.len() - 4]);
        let mut reader = Reader { left: body, count: 0 };
        // What is cut off is told as such; all else that the sum finds is damage.
        match reader.journal() {
            Err(error @ ArrivalsJournalError::CutOff(_)) => Err(error),
            _ if !is_whole => Err(ArrivalsJournalError::Damaged),
            read => read,
        }
    }
}

struct Reader<'a> {
    left: &'a [u8],
    count: u64,
}

impl Reader<'_> {
    fn journal(&mut self) -> Result<ArrivalsJournal, ArrivalsJournalError> {
        let note = self.note()?;
        let arrivals = self.arrivals()?;
        let closing = self.note()?;
        if self.left.is_empty() { Ok(ArrivalsJournal { note, arrivals, closing }) } else { Err(self.nonsense()) }
    }

    fn note(&mut self) -> Result<String, ArrivalsJournalError> {
        let cut_off = ArrivalsJournalError::CutOff(self.count);
        let (length, left) = self.left.split_first_chunk::<4>().ok_or(cut_off.clone())?;
        let (note, left) = left.split_at_checked(u32::from_le_bytes(*length) as usize).ok_or(cut_off)?;
        self.left = left;
        String::from_utf8(note.to_vec()).map_err(|_| self.nonsense())
    }

    fn arrivals(&mut self) -> Result<Vec<(usize, BroughtPacket)>, ArrivalsJournalError> {
        let mut lanes: Vec<(usize, BroughtPacket)> = Vec::new();
        let mut arrivals = Vec::new();
        let mut last = 0u64;
        loop {
            let first = self.take()?;
            if first == END {
                return Ok(arrivals);
            }
            let lane = usize::try_from(first >> 2).map_err(|_| self.nonsense())?;
            if lane == lanes.len() {
                let flow = self.take()?;
                let connection = self.number()?;
                let number = u32::try_from(flow >> 1).map_err(|_| self.nonsense())?;
                let packet = BroughtPacket { connection, back: flow & 1 == 1, ..BroughtPacket::default() };
                lanes.push((number as usize, packet));
            }
            let size = if first & 2 != 0 { Some(self.number()?) } else { None };
            let zigzag = self.take()?;
            let step = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
            let (flow, packet) = lanes.get_mut(lane).ok_or(self.nonsense())?;
            packet.size_bytes = size.unwrap_or(packet.size_bytes);
            packet.ecn_capable = first & 1 == 1;
            last = last.checked_add_signed(step).ok_or(self.nonsense())?;
            packet.at = Instant::from_nanos(last);
            packet.number = self.count;
            if packet.size_bytes == 0 {
                return Err(self.nonsense());
            }
            arrivals.push((*flow, *packet));
            self.count += 1;
        }
    }

    fn nonsense(&self) -> ArrivalsJournalError {
        ArrivalsJournalError::Nonsense(self.count)
    }

    fn number<T: TryFrom<u64>>(&mut self) -> Result<T, ArrivalsJournalError> {
        let value = self.take()?;
        T::try_from(value).map_err(|_| self.nonsense())
    }

    fn take(&mut self) -> Result<u64, ArrivalsJournalError> {
        let (mut value, mut shift) = (0u64, 0);
        loop {
            let (byte, left) = self.left.split_first().ok_or(ArrivalsJournalError::CutOff(self.count))?;
            self.left = left;
            let group = u64::from(byte & 0x7F);
            if shift > 63 || (shift == 63 && group > 1) {
                return Err(self.nonsense());
            }
            value |= group << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            shift += 7;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn arrivals() -> impl Strategy<Value = Vec<(usize, BroughtPacket)>> {
        let arrival = (0usize..70, any::<bool>(), 0u32..6, 1u16.., any::<bool>(), 0u64..200_000, any::<bool>());
        prop::collection::vec(arrival, 0..300).prop_map(|drawn| {
            let mut at = 1_000_000;
            let packets = drawn.into_iter().enumerate();
            packets
                .map(|(number, (flow, back, connection, size_bytes, ecn_capable, step, ahead))| {
                    at = if ahead { at + step } else { at - step.min(at) };
                    let (number, at) = (number as u64, Instant::from_nanos(at));
                    (flow, BroughtPacket { number, size_bytes, at, connection: connection * 77_777, back, ecn_capable })
                })
                .collect()
        })
    }

    fn written(note: &str, arrivals: &[(usize, BroughtPacket)]) -> Vec<u8> {
        let mut writer = ArrivalsJournalWriter::begin(Vec::new(), note).unwrap();
        arrivals.iter().for_each(|(flow, packet)| writer.write(*flow, packet).unwrap());
        writer.end("the end").unwrap()
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(arrivals in arrivals(), note in ".{0,40}") {
            let journal = ArrivalsJournal::read(&written(&note, &arrivals)).unwrap();
            prop_assert_eq!(journal, ArrivalsJournal { note, arrivals, closing: "the end".to_owned() });
        }
    }

    /// Small numbers out of nothing.
    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % sides
        }
    }

    fn steady(count: u64) -> Vec<(usize, BroughtPacket)> {
        let mut dice = Dice(7);
        let packet = |number: u64| {
            let flow = dice.roll(4);
            let connection = dice.roll(20) as u32 * 99_991;
            let at = Instant::from_nanos(number * 20_833 + dice.roll(9_000) as u64);
            let size_bytes = if dice.roll(3) == 0 { 66 } else { 1_000 };
            (flow, BroughtPacket { number, size_bytes, at, connection, back: size_bytes == 66, ecn_capable: false })
        };
        (0..count).map(packet).collect()
    }

    #[test]
    fn a_packet_takes_less_than_eight_bytes() {
        let bytes = written("a note", &steady(10_000)).len();
        assert!(bytes < 60_000, "{bytes} bytes for 10,000 packets");
    }

    #[test]
    fn whatever_is_changed_in_a_journal_is_one_error() {
        let good = written("a note", &steady(300));
        let whole = ArrivalsJournal::read(&good).unwrap();
        let mut dice = Dice(1);
        let mut kinds = std::collections::BTreeMap::new();
        for round in 0..100_000 {
            let mut bad = good.clone();
            match round % 4 {
                0 => bad.truncate(dice.roll(good.len())),
                1 => bad[dice.roll(good.len())] ^= 1 << dice.roll(8),
                2 => bad.insert(dice.roll(good.len()), dice.roll(256) as u8),
                _ => {
                    let at = dice.roll(good.len());
                    bad.drain(at..(at + 1 + dice.roll(5)).min(good.len()));
                }
            }
            // Every other one has a good sum: its contents have to be looked through.
            if round % 8 >= 4 && bad.len() > 4 {
                let end = bad.len() - 4;
                let sum = CRC.checksum(&bad[..end]).to_le_bytes();
                bad[end..].copy_from_slice(&sum);
            }
            match ArrivalsJournal::read(&bad) {
                Ok(read) => assert!(round % 8 >= 4 || read == whole),
                Err(error) => {
                    *kinds.entry(error.to_string().split(' ').take(8).collect::<Vec<_>>().join(" ")).or_insert(0) += 1
                }
            }
        }
        assert_eq!(kinds.len(), 4, "{kinds:?}");
    }
}
