"""Laws: :class:`RingLaw` for writing one; called as a function, the list of those there are."""

from __future__ import annotations

import sys
from types import ModuleType

from fairwire import _catalogue
from fairwire._catalogue import Law
from fairwire._native import AddQueue, ByteCounts, ClassBytes, Site, SiteFlow, StationView
from fairwire._ring_law import RingLaw

__all__ = ["AddQueue", "ByteCounts", "ClassBytes", "Law", "RingLaw", "Site", "SiteFlow", "StationView"]


class _Laws(ModuleType):
    """The module, which was a function before it had anything in it."""

    def __call__(self) -> list[Law]:
        """List every control law."""
        return _catalogue.laws()


sys.modules[__name__].__class__ = _Laws
