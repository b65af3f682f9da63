//! Flows that a port forgot while they were silent, and that go on.

use crate::rate::{AnyRateLaw, PortView, Refusal, Terms};
use fairwire_core::{Cx, FlowId};

impl AnyRateLaw {
    /// A control packet of `flow`, which is open under `terms`, arrives on its way to the destination: [`Self::on_forward`],
    /// but a flow that the law forgot while it was silent is opened anew.
    ///
    /// # Errors
    /// [`Refusal`] if the bytes cannot be what they say.
    pub fn on_forward_of_open(
        &mut self,
        cx: &mut Cx<'_>,
        flow: FlowId,
        terms: &Terms,
        bytes: &mut Vec<u8>,
        port: &PortView,
    ) -> Result<(), Refusal> {
        match self.on_forward(cx, flow, bytes, port) {
            Err(Refusal::UnknownFlow) => {
                self.on_open(cx, flow, terms);
                self.on_forward(cx, flow, bytes, port)
            }
            result => result,
        }
    }
}
