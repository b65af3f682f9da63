"""Ring laws written in Python."""

from __future__ import annotations

import atexit
import copyreg
import random
import re
from abc import ABCMeta
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, SupportsFloat, SupportsIndex, cast

from fairwire import _native
from fairwire._arguments import mapping, truth
from fairwire.errors import SettingError

# A thread that is within a law when Python ends would end the process with an abort.
atexit.register(_native.end_laws)


class _LawType(ABCMeta):
    """The type of laws: those that :meth:`RingLaw.having` makes are pickled as what they are made of."""

    _made_of: tuple[_LawType, dict[str, Any]] | None = None


def _again(law: type[RingLaw], parameters: dict[str, Any]) -> type[RingLaw]:
    """Make a law with parameters that was pickled."""
    return law.having(**parameters)


def _reduced(law: _LawType) -> str | tuple[Any, ...]:
    """Tell what a pickle holds of a law: its name, or law and parameters."""
    made_of = law.__dict__.get("_made_of")
    return law.__qualname__ if made_of is None else (_again, made_of)


copyreg.pickle(_LawType, _reduced)


class RingLaw(metaclass=_LawType):
    """A law of a ring, to be subclassed and handed to :func:`fairwire.run` or :func:`fairwire.compare`.

    For each station and ringlet of a run there is one object. Its methods are called as
    time goes by; between two calls all limits stand still. A law that does nothing at all
    controls nothing: every station sends as fast as its link.

    A law in Python is for trying out: a call costs about a hundred times as much as one
    of a law in Rust. An exception ends all runs of the call, and is raised there.

    A law has to be a function of what it is told: no clock, no random numbers but those
    of `self.random`, nothing that objects share. Then the same run gives the same tables.
    """

    name: ClassVar[str] = "ring-law"
    """What tables call the law: the name of the class in kebab case unless told. No built-in law has it."""
    summary: ClassVar[str] = "A law written in Python"
    """What it does, in one sentence."""
    source: ClassVar[str] = "a class of Python"
    """Where it comes from: paper and section."""
    parameters: ClassVar[Mapping[str, Any]] = {}
    """What can be set with :meth:`having`, with what holds unless it is set."""
    datapath: ClassVar[Literal["merged", "transit-first", "alternating", "dual-queue"]] = "merged"
    """The transit path that stations have where the scenario names none."""
    weighing: ClassVar[Literal["alike", "bytes", "any"]] = "any"
    """What weights of stations mean: nothing, whole numbers from 1 to 255, or any."""
    sends: ClassVar[Literal["nothing", "upstream", "both-ways"]] = "upstream"
    """To whom the law sends messages."""

    site: _native.Site
    """Where the law stands: its station, the links of the ring, and the flows that it can limit."""
    random: random.Random
    """Random numbers of this station and run alone, from :meth:`start` on."""
    _driver: _native.Driver

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()

    @classmethod
    def having(cls, **parameters: Any) -> type[Self]:
        """Give the same law with other parameters; its name tells them.

        Raises:
            SettingError: if the law has no such parameter.

        """
        mapping(f"{cls.__name__}.parameters", cls.parameters, '{"interval_ns": 1_000_000}')
        for name in parameters:
            if name not in cls.parameters:
                known = list(cls.parameters)
                near = _native.nearest(name, known)
                hint = f"did you mean `{near}`? " if near else ""
                there = f"use one of {', '.join(known)}" if known else "it has none"
                raise SettingError(f"the law {cls.name} has no parameter `{name}`; {hint}{there}")
        told = " ".join(f"{name}={value}" for name, value in parameters.items())
        body = {
            # Values may be told in several lines, names are not.
            "name": " ".join(f"{cls.name} {told}".split()),
            "parameters": {**cls.parameters, **parameters},
            "_made_of": (cls, parameters),
            "__doc__": cls.__doc__,
            "__module__": cls.__module__,
        }
        made: type[Self] = cast("Any", _LawType(cls.__name__, (cls,), body))
        return made

    def start(self, view: _native.StationView) -> None:
        """Begin: at the start of the run, or when a ring that changed has settled."""

    def on_message(self, message: bytes, view: _native.StationView) -> None:
        """Hear a message of a neighbour. It may be lost, come twice, or overtake another."""

    def on_timeout(self, view: _native.StationView) -> None:
        """Act at the time of :meth:`wake_at`, or later: a driver may be late."""

    def on_change(self, view: _native.StationView) -> None:
        """Heed that a capacity, a weight or a promise in `self.site` is another from now on."""

    def send_upstream(self, message: bytes) -> None:
        """Send a message to the next station upstream, ahead of all data.

        It takes the time of its bytes on the link: one or more.
        """
        self._driver.send_upstream(message)

    def send_downstream(self, message: bytes, *, ahead: bool = True) -> None:
        """Send a message to the next station downstream; the law has to say `sends = "both-ways"`.

        It goes ahead of all data, or waits its turn as class C does.
        """
        self._driver.send_downstream(message, truth("ahead", ahead))

    def limit(self, flow: SupportsIndex, rate_bps: SupportsFloat) -> None:
        """Limit what the station adds for `self.site.flows[flow]`, in bit/s, until told anew.

        The limit is of what is subject to fairness, and never above the capacity of the outgoing link.
        """
        self._driver.limit(flow, rate_bps)

    def wake_at(self, at_ns: SupportsIndex | None) -> None:
        """Have :meth:`on_timeout` called once at that time; it replaces the time told before.

        None means never. A time gone by means at once, and is an error in :meth:`on_timeout`.
        """
        self._driver.wake_at(at_ns)

    def show(self, name: str, index: SupportsIndex, value: SupportsFloat) -> None:
        """Show a value in the table `laws` and the report.

        The name ends with its unit: `_bps`, `_fraction`, `_bytes`, `_packets`, `_hops`, `_stations`,
        `_flows` or `_ns`. A name without one shows whether something is so, by 1 or 0. The index is
        the station that the value is about.
        """
        self._driver.show(name, index, value)
