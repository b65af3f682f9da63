//! Elsewhere there is no HTB.

use crate::error::EnforceError;
use crate::plan::{NodePlan, StationPlan};
use crate::status::{NodeStatus, Status};

impl StationPlan {
    /// Elsewhere there is no HTB.
    ///
    /// # Errors
    /// [`EnforceError::Unsupported`].
    pub fn enforce(
        &self,
        _stop: &dyn Fn() -> bool,
        _tell: &mut dyn FnMut(&Status) -> bool,
    ) -> Result<(), EnforceError> {
        Err(EnforceError::Unsupported)
    }
}

impl NodePlan {
    /// Elsewhere there is no HTB.
    ///
    /// # Errors
    /// [`EnforceError::Unsupported`].
    pub fn enforce(
        &self,
        _stop: &dyn Fn() -> bool,
        _tell: &mut dyn FnMut(&NodeStatus) -> bool,
    ) -> Result<(), EnforceError> {
        Err(EnforceError::Unsupported)
    }
}
