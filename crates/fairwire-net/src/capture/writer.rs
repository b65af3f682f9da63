//! The file.

use super::headers::headers;
use super::links::CaptureLinks;
use super::message;
use super::units::RateUnits;
use crate::frame::mark;
use crate::layout::Layout;
use fairwire_core::Instant;
use fairwire_laws::format::MessageFormat;
use fairwire_laws::frame;
use fairwire_laws::ring::RingLawChoice;
use fairwire_plan::{NetworkFlowPlan, NetworkPlan, RingPlan};
use fairwire_sim::{Captured, CapturedContent, CapturedPacket};
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketBlock;
use pcap_file::pcapng::blocks::interface_description::{InterfaceDescriptionBlock, InterfaceDescriptionOption};
use pcap_file::pcapng::blocks::section_header::{SectionHeaderBlock, SectionHeaderOption};
use pcap_file::pcapng::{Block, PcapNgWriter};
use pcap_file::{DataLink, PcapError};
use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

/// Times are counted in 10⁻⁹ s.
const NANOSECONDS: u8 = 9;

/// Writes what captured links sent.
pub struct CaptureWriter<'out> {
    out: PcapNgWriter<Box<dyn Write + 'out>>,
    links: CaptureLinks,
    layout: Layout,
    /// How laws' messages are laid out, if somebody has told.
    law: Option<&'static MessageFormat>,
    /// In what unit they tell rates, if it is the ring's own.
    units: Option<RateUnits>,
    /// How control packets of each flow are.
    flows: Vec<Option<&'static MessageFormat>>,
    marked: Vec<u8>,
}

impl<'out> CaptureWriter<'out> {
    /// Begins the capture of `links` of a ring under `law`; `comment` is kept in the file.
    ///
    /// # Errors
    /// What `out` says.
    pub fn of_ring(
        out: Box<dyn Write + 'out>,
        plan: &RingPlan,
        law: &RingLawChoice,
        links: CaptureLinks,
        comment: &str,
    ) -> io::Result<Self> {
        let units = RateUnits::of(plan, law);
        let law = law.message_formats().first().copied();
        let writer = Self::begin(out, links, Layout::ring(plan), law, vec![None; plan.flows.len()], comment)?;
        Ok(Self { units, ..writer })
    }

    /// Begins the capture of `links` of a network.
    ///
    /// # Errors
    /// What `out` says.
    pub fn of_network(
        out: Box<dyn Write + 'out>,
        plan: &NetworkPlan,
        links: CaptureLinks,
        comment: &str,
    ) -> io::Result<Self> {
        // All ports on a flow's way go by one law.
        let law = |flow: &NetworkFlowPlan| flow.route.iter().find_map(|link| plan.links[*link as usize].rate.as_ref());
        let format = |flow: &NetworkFlowPlan| law(flow)?.message_formats().first().copied();
        let flows = plan.flows.iter().map(format).collect();
        Self::begin(out, links, Layout::network(plan), None, flows, comment)
    }

    fn begin(
        out: Box<dyn Write + 'out>,
        links: CaptureLinks,
        layout: Layout,
        law: Option<&'static MessageFormat>,
        flows: Vec<Option<&'static MessageFormat>>,
        comment: &str,
    ) -> io::Result<Self> {
        let options = vec![
            SectionHeaderOption::Comment(Cow::Owned(comment.to_owned())),
            SectionHeaderOption::UserApplication(Cow::Owned(format!("fairwire {}", env!("CARGO_PKG_VERSION")))),
        ];
        let section = SectionHeaderBlock { options, ..SectionHeaderBlock::default() };
        let mut out = PcapNgWriter::with_section_header(out, section).map_err(io_error)?;
        for link in &links.links {
            let [from, to] = link.ends;
            let options = vec![
                InterfaceDescriptionOption::IfName(Cow::Owned(link.name.clone())),
                InterfaceDescriptionOption::IfDescription(Cow::Owned(format!("from {from} to {to}"))),
                InterfaceDescriptionOption::IfSpeed(link.capacity.as_bps()),
                InterfaceDescriptionOption::IfTsResol(NANOSECONDS),
            ];
            let interface = InterfaceDescriptionBlock { linktype: DataLink::ETHERNET, snaplen: 0, options };
            out.write_block(&Block::InterfaceDescription(interface)).map_err(io_error)?;
        }
        Ok(Self { out, links, layout, law, units: None, flows, marked: Vec::new() })
    }

    /// Writes what a link sent; of a packet that a kernel made, `frame` is that.
    ///
    /// # Errors
    /// What the file says.
    pub fn write(&mut self, captured: &Captured, frame: Option<&[u8]>) -> io::Result<()> {
        let Captured { link, at, size_bytes, content } = captured;
        let link_of = &self.links.links[*link];
        let message = |code: Option<&MessageFormat>, flow: Option<usize>, bytes: &[u8]| {
            message::frame(link_of, code.map_or(0, |format| format.code), flow, None, bytes)
        };
        let data = match content {
            CapturedContent::Packet(packet) => return self.packet(*link, *at, *size_bytes, packet, frame),
            CapturedContent::Message(bytes) => {
                let unit = self.units.as_ref().and_then(|units| units.of_message(bytes, link_of.ends[1]));
                message::frame(link_of, self.law.map_or(0, |format| format.code), None, unit, bytes)
            }
            CapturedContent::Protection(bytes) => message(Some(&frame::FORMAT), None, bytes),
            CapturedContent::RateMessage { flow, bytes, .. } => message(self.flows[*flow], Some(*flow), bytes),
        };
        let size = data.len() as u32;
        self.put(*link, *at, size, &data)
    }

    fn packet(
        &mut self,
        link: usize,
        at: Instant,
        size_bytes: u32,
        packet: &CapturedPacket,
        frame: Option<&[u8]>,
    ) -> io::Result<()> {
        match frame {
            None => {
                let (headers, size) = headers(&self.layout, packet, size_bytes);
                self.put(link, at, size, &headers)
            }
            Some(frame) if packet.marked => {
                let mut marked = std::mem::take(&mut self.marked);
                marked.clear();
                marked.extend_from_slice(frame);
                mark(&mut marked);
                let put = self.put(link, at, size_bytes, &marked);
                self.marked = marked;
                put
            }
            Some(frame) => self.put(link, at, size_bytes, frame),
        }
    }

    fn put(&mut self, link: usize, at: Instant, size: u32, data: &[u8]) -> io::Result<()> {
        let packet = EnhancedPacketBlock {
            interface_id: link as u32,
            timestamp: Duration::from_nanos(at.as_nanos()),
            original_len: size,
            data: Cow::Borrowed(data),
            options: Vec::new(),
        };
        self.out.write_block(&Block::EnhancedPacket(packet)).map(drop).map_err(io_error)
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// What the file says.
    pub fn end(self) -> io::Result<()> {
        self.out.into_inner().flush()
    }
}

fn io_error(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        error => io::Error::other(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::headers::tests::packet;
    use crate::frame::tests::datagram;
    use crate::layout::tests::ring;
    use pcap_file::pcapng::PcapNgReader;

    /// The simulator marks a packet; the frame that a kernel made of it gets its mark on the way into the file.
    #[test]
    fn frames_of_kernels_are_captured_with_the_marks_that_they_got() {
        let plan = ring();
        let links = CaptureLinks::of_ring(&plan, &["r0:1".to_owned()]).unwrap();
        let mut file = Vec::new();
        let out = Box::new(&mut file);
        let mut writer = CaptureWriter::begin(out, links, Layout::ring(&plan), None, vec![None], "").unwrap();
        let capable = datagram(100, 2, 1, 2, [3, 4]);
        for marked in [false, true, false] {
            let content = CapturedContent::Packet(packet(marked));
            let captured = Captured { link: 0, at: Instant::ZERO, size_bytes: 100, content };
            writer.write(&captured, Some(&capable)).unwrap();
        }
        writer.end().unwrap();
        let mut reader = PcapNgReader::new(&file[..]).unwrap();
        let mut frames = Vec::new();
        while let Some(block) = reader.next_block() {
            if let Block::EnhancedPacket(packet) = block.unwrap() {
                frames.push(packet.data.into_owned());
            }
        }
        let mut marked = capable.clone();
        mark(&mut marked);
        assert_ne!(marked, capable);
        assert_eq!(frames, [capable.clone(), marked, capable]);
    }
}
