"""A simulation that goes on when it is told to, can be looked at, and takes packets from outside."""

from __future__ import annotations

import json
import threading
import tomllib
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, SupportsIndex

from fairwire import _native
from fairwire._arguments import criterion_called, natural, text, truth, with_unit
from fairwire._ring_law import RingLaw
from fairwire._runs import Runs, one_law, with_law
from fairwire._scenario import ScenarioLike, read
from fairwire.errors import ArgumentTypeError, SettingError


@dataclass(frozen=True)
class FlowView:
    """One flow at one instant; counts are of the whole run so far, of data packets."""

    flow: str
    """Its id."""
    offered_packets: int
    """Made by its sources or brought; of TCP, sent, retransmissions included."""
    refused_packets: int
    """Of these, refused by a full station queue of a ring."""
    entered_packets: int
    """Of these, let onto the ring or into the network."""
    dropped_packets: int
    """Of these, dropped by queues."""
    lost_packets: int
    """Of these, lost on links."""
    discarded_packets: int
    """Of these, discarded to keep a strict order."""
    delivered_packets: int
    """Of these, delivered."""
    in_flight_packets: int
    """Of these, on their way."""
    delivered_bytes: int
    """Bytes delivered that were not there before."""


@dataclass(frozen=True)
class LinkView:
    """One link at one instant, and what waits in front of it."""

    link: str
    """Its id; `r0:3` is the link of ringlet 0 that leaves station 3."""
    capacity_bps: int
    """Its capacity."""
    waiting_packets: int
    """Packets that wait for it; in a ring, those in transit."""
    waiting_bytes: int
    """Their bytes."""
    sent_packets: int
    """Sent so far; in a ring, control frames too."""
    dropped_packets: int
    """Dropped in front of it so far."""
    marked_packets: int
    """Marked in front of it so far; none in a ring."""


@dataclass(frozen=True)
class QueueView:
    """One station queue of a ring at one instant."""

    ringlet: int
    """0 or 1."""
    station: int
    """The station."""
    class_: str
    """The service class of its flows: `A0`, `A1`, `B` or `C`."""
    egress: int | None
    """Where its packets leave; none where a station has one queue for all."""
    waiting_packets: int
    """Packets that wait."""
    waiting_bytes: int
    """Their bytes."""


@dataclass(frozen=True)
class LimitView:
    """What a law of a ring lets a station send at one instant."""

    ringlet: int
    """0 or 1."""
    station: int
    """The station."""
    egress: int | None
    """Where the limited traffic leaves; none of the limit of all that the station adds."""
    rate_bps: int | None
    """The allowed rate; none where nothing is limited."""


@dataclass(frozen=True)
class SenderView:
    """One sender of TCP at one instant, with an open connection."""

    flow: str
    """The flow it belongs to."""
    micro_flow: int
    """Which of its micro-flows."""
    cwnd_packets: float
    """Its congestion window."""
    ssthresh_packets: float
    """Its slow-start threshold."""
    srtt_ns: int | None
    """Its smoothed round-trip time; none before the first sample."""
    state: str
    """What it is doing: `slow-start`, `congestion-avoidance`, `fast-recovery` or `loss`."""


@dataclass(frozen=True)
class View:
    """A ring or a network at one instant."""

    now_ns: int
    """When: all that happens before has happened."""
    flows: dict[str, FlowView]
    """Flows by their ids."""
    links: dict[str, LinkView]
    """Links by their ids."""
    queues: tuple[QueueView, ...]
    """Station queues of a ring; empty in a network."""
    limits: tuple[LimitView, ...]
    """What the law lets stations of a ring send; empty in a network."""
    senders: tuple[SenderView, ...]
    """Senders of TCP with an open connection."""

    @property
    def now_s(self) -> float:
        """When, in seconds."""
        return self.now_ns / 1e9


class Delivery(NamedTuple):
    """A packet that was brought is handed back."""

    number: int
    """As it was brought."""
    flow: str
    """The flow that sent it."""
    size_bytes: int
    """Its size."""
    sent_ns: int
    """When it was sent."""
    fate: str
    """`arrived`, `refused`, `dropped`, `evicted`, `lost` or `discarded`."""
    at_ns: int
    """When that was decided."""


class Simulation:
    """One run of a scenario that goes on when it is told to.

    However it is taken through time, in one step or in many, it leaves the same tables to the bit.
    Iterating over it takes it to its end and gives a :class:`View` after each step.

    Args:
        scenario: a path, text in TOML (it has more than one line), or a dictionary.
        law: the control law of the ring, or of a network's queues: a name of :func:`fairwire.laws`,
            a subclass of :class:`fairwire.RingLaw`, or `{"name": …}` with parameters; the scenario's own
            unless told.
        seed: the experiment, from 0 to 2^63 - 1; the scenario's own unless told.
        replication: which of the runs with independent random numbers.
        duration: simulated time with its unit, such as `"2 s"`.
        criterion: what fair means in the tables at the end, one of :func:`fairwire.criteria`.
        step: how far iterating goes at a time, such as `"10 ms"`; a row of the tables unless told.
        detail: whether to keep links, queues and what laws show for the tables at the end.
        check: whether to audit the simulator's invariants all along.

    Raises:
        ScenarioError: if the scenario has mistakes; it tells all of them.
        SettingError: if a law, seed, duration or number does not fit.
        CriterionError: if nobody knows the criterion.

    """

    def __init__(
        self,
        scenario: ScenarioLike,
        *,
        law: str | type[RingLaw] | Mapping[str, Any] | None = None,
        seed: SupportsIndex | None = None,
        replication: int = 0,
        duration: str | None = None,
        criterion: str | None = None,
        step: str | None = None,
        detail: bool = True,
        check: bool = False,
    ) -> None:
        if isinstance(law, Mapping):
            scenario, law = with_law(scenario, law), None
        name, toml = read(scenario)
        self._native = _native.Simulation(
            name,
            toml,
            law=None if law is None else one_law("law", law),
            seed=None if seed is None else natural("seed", seed),
            replication=natural("replication", replication),
            duration=None if duration is None else with_unit("duration", duration, "s"),
            criterion=criterion_called(criterion),
            full=truth("detail", detail),
            check=truth("check", check),
        )
        self._step_ns = self._native.window_ns if step is None else _nanoseconds("step", step)
        if self._step_ns == 0:
            raise SettingError("step: a time above zero")
        # Events lie before the end that the file tells.
        self._outlasts_its_file = duration is not None and self.end_ns > _own_end_ns(self._native.text)
        # Whoever changes the scenario changes what others have left of it.
        self._changing = threading.Lock()

    @property
    def title(self) -> str:
        """The scenario's title."""
        return self._native.title

    @property
    def now_ns(self) -> int:
        """The present time: all that happens before has happened."""
        return self._native.now_ns

    @property
    def now_s(self) -> float:
        """The present time in seconds."""
        return self.now_ns / 1e9

    @property
    def end_ns(self) -> int:
        """When the run ends."""
        return self._native.end_ns

    @property
    def is_over(self) -> bool:
        """Whether the run has come to its end."""
        return self.now_ns >= self.end_ns

    @property
    def outstanding(self) -> int:
        """How many packets were brought and have not been handed back."""
        return self._native.outstanding

    def advance(self, by: str | None = None, *, until: str | None = None) -> None:
        """Go on by some time, up to some time, or to the end; never beyond the end.

        Ctrl-C stops it where it stands, from where it can go on.

        Args:
            by: how far, such as `"10 ms"`.
            until: to which time of the run, such as `"0.5 s"`, not before the present time.

        Raises:
            SettingError: if that time is over.

        """
        if by is not None and until is not None:
            raise SettingError("advance: give `by` or `until`, not both")
        by_ns = None if by is None else _nanoseconds("by", by)
        self._native.advance(by_ns, None if until is None else _nanoseconds("until", until))

    def view(self) -> View:
        """Look at flows, links, queues, allowed rates and senders as they are now; it changes nothing."""
        return _view(self._native.view_json())

    def inject(self, flow: str, *, number: int, size_bytes: int, at_ns: int | None = None) -> None:
        """Bring a packet, which the flow sends as if its source had made it.

        It is counted like the flow's other packets, and :meth:`deliveries` hands it back when its fate
        is known. Whether the flow has begun or stopped does not matter.

        Args:
            flow: the id of a flow of datagrams.
            number: whatever you know the packet by; it means nothing here.
            size_bytes: its size on the wire; on a ring no larger than the largest packet of its flows.
            at_ns: when it is sent, not before the present time and before the end; now unless told.

        Raises:
            SettingError: if the flow is not there or made of TCP, or the packet does not fit.

        """
        size = natural("size_bytes", size_bytes)
        if size >= 2**16:
            raise SettingError(f"size_bytes: a packet has at most 65535 bytes, not {size}")
        at = None if at_ns is None else natural("at_ns", at_ns)
        self._native.inject(text("flow", flow), natural("number", number), size, at)

    def deliveries(self) -> list[Delivery]:
        """Take back each packet whose fate was decided before the present time, once, in order of time."""
        return [Delivery(*delivery) for delivery in self._native.deliveries()]

    def change(self, kind: str, *, at_ns: int | None = None, **what: Any) -> None:
        """Let something happen, now or later: an event of the scenario format.

        The run becomes that of :attr:`scenario` with one more `[[event]]`. It is simulated anew up to the
        present time, which is as it was, with all packets that were brought; so a change late in a long run
        takes as long as the run until then.

        >>> simulation.change("demand", flow="call", demand="2 Mb/s")  # doctest: +SKIP

        Args:
            kind: `demand` (of a `flow`), `capacity` (of a `link`; on a ring also `between` two stations, or
                of all links), `weight` (of a `station` of a ring); on a ring with `protection` `cut` and
                `restore` (`between` two stations), `station-down` and `station-up`; where switches tell
                rates, `weight`, `min-rate`, `peak-rate`, `supported-rate`, `start` and `stop` of a `flow`.
            at_ns: when, not before the present time; now unless told.
            what: the other keys of the event.

        Raises:
            ScenarioError: if the event has mistakes.
            SettingError: if it would have happened already.

        """
        at = self._not_over(at_ns)
        if "at" in what:
            raise SettingError("at: give the time as `at_ns`")
        with self._changing:
            document = tomllib.loads(self._native.text)
            document.setdefault("event", []).append({"at": f"{at} ns", "kind": kind, **what})
            self._replace(document)

    def add_flow(self, name: str, *, at_ns: int | None = None, **what: Any) -> None:
        """Let a flow begin, now or later: a flow of the scenario format.

        The run becomes that of :attr:`scenario` with one more `[[flow]]`, whose `start` is that time; as with
        :meth:`change` it is simulated anew up to the present time. A flow that has not begun sends nothing,
        but laws, queues and sources go by all flows of the file: by the largest packet, and by who shares a
        station queue. Where that makes the past another one, a warning tells.

        >>> simulation.add_flow("late", to=5, demand="90 Mb/s", **{"from": 2})  # doctest: +SKIP

        Args:
            name: its id.
            at_ns: when it begins, not before the present time; now unless told.
            what: the other keys of the flow; `from`, which Python keeps for itself, may be written `from_`.

        Raises:
            ScenarioError: if the flow has mistakes.
            SettingError: if it would have begun already.

        """
        at = self._not_over(at_ns)
        if "start" in what:
            raise SettingError("start: a flow that is added begins at `at_ns`")
        if "from_" in what:
            if "from" in what:
                raise SettingError("from: give `from` or `from_`, not both")
            what["from"] = what.pop("from_")
        with self._changing:
            document = tomllib.loads(self._native.text)
            document["flow"].append({"name": name, "start": f"{at} ns", **what})
            self._replace(document)

    def end_flow(self, name: str, *, at_ns: int | None = None) -> None:
        """Let a flow end for good, now or later.

        The run becomes that of :attr:`scenario` with that time as the `stop` of the flow; of a table that
        stands for several flows only this one ends. As with :meth:`change` it is simulated anew up to the
        present time.

        Args:
            name: its id.
            at_ns: when it ends, not before the present time; now unless told.

        Raises:
            SettingError: if there is no such flow, or it begins only then or has ended already.

        """
        text("name", name)
        now = self.now_ns
        with self._changing:
            document = tomllib.loads(self._native.text)
            resolved = json.loads(_native.resolve("<scenario>", self._native.text))
            flows = {flow["name"]: flow for flow in resolved["flow"]}
            if name not in flows:
                near = _native.nearest(name, list(flows))
                hint = f'did you mean "{near}"?' if near else f"it has {', '.join(flows)}"
                raise SettingError(f"the scenario has no flow {name!r}; {hint}")
            stop = flows[name].get("stop")
            if stop is not None and _native.nanoseconds("stop", stop) <= now:
                raise SettingError(f"flow {name!r} has ended at {stop}")
            at = self._not_over(at_ns)
            begins = _native.nanoseconds("start", flows[name].get("start", "0 ns"))
            if at <= begins:
                raise SettingError(
                    f"at_ns: flow {name!r} begins at {begins} ns and cannot end at {at} ns; "
                    f"give a later time, from {begins + 1} ns on"
                )
            if all(flow.get("name") != name for flow in document["flow"]):
                # Its table stands for others, too.
                document["flow"] = resolved["flow"]
            next(flow for flow in document["flow"] if flow.get("name") == name)["stop"] = f"{at} ns"
            self._replace(document)

    def _not_over(self, at_ns: int | None) -> int:
        now, end = self.now_ns, self.end_ns
        at = now if at_ns is None else natural("at_ns", at_ns)
        if at < now:
            raise SettingError(f"at_ns: {at} ns is over, the simulation stands at {now} ns")
        if at >= end:
            raise SettingError(
                f"at_ns: nothing happens at {at} ns, the run ends at {end} ns; give an earlier time"
            )
        return at

    def _replace(self, document: dict[str, Any]) -> None:
        if self._outlasts_its_file:
            document.setdefault("run", {})["duration"] = f"{self.end_ns} ns"
        before = self.view()
        self._native.change("<dict>", _native.to_toml(document))
        after = self.view()
        # Where other threads have taken it further meanwhile, the two tell of different times.
        is_as_it_was = after.now_ns != before.now_ns or all(
            after.flows[name] == flow for name, flow in before.flows.items()
        )
        if not is_as_it_was:
            warnings.warn(
                f"the past is another one: up to {self.now_ns} ns flows sent or got other packets than "
                "before, since laws, queues and sources go by all flows of the file",
                stacklevel=3,
            )

    @property
    def scenario(self) -> str:
        """The scenario whose run this is, with all changes as events; :func:`fairwire.run` runs it again.

        The settings beside it, such as `law` and `seed`, are to be given again.
        """
        return self._native.text

    def finish(self) -> Runs:
        """End the run here, and give it in the shape of :func:`fairwire.run`.

        Tables cover what was simulated. Promises are judged if the run has come to its end. The
        simulation cannot be used any more.

        Raises:
            SettingError: if nothing has been measured yet.

        """
        return Runs(self._native.finish())

    def __iter__(self) -> Iterator[View]:
        """Take it to its end, step by step."""
        while (seen := self._native.step_json(self._step_ns)) is not None:
            yield _view(seen)

    def __reduce__(self) -> NoReturn:
        raise ArgumentTypeError(
            "a simulation lives in one process and cannot be copied or pickled; hand on what it gives, "
            "`view()` or `finish()`, or begin another one from its `scenario` and take it as far with "
            "`advance(until=…)`"
        )

    def __repr__(self) -> str:
        try:
            where = f" at {self.now_s} s"
        except SettingError as error:
            where = f": {error}"
        return f"<fairwire.Simulation of {self.title!r}{where}>"


def _view(told: str) -> View:
    seen: dict[str, Any] = json.loads(told)
    for queue in seen["queues"]:
        queue["class_"] = queue.pop("class")
    return View(
        now_ns=seen["now_ns"],
        flows={flow["flow"]: FlowView(**flow) for flow in seen["flows"]},
        links={link["link"]: LinkView(**link) for link in seen["links"]},
        queues=tuple(QueueView(**queue) for queue in seen["queues"]),
        limits=tuple(LimitView(**limit) for limit in seen["limits"]),
        senders=tuple(SenderView(**sender) for sender in seen["senders"]),
    )


def _own_end_ns(scenario: str) -> int:
    run = json.loads(_native.resolve("<scenario>", scenario))["run"]
    return _native.nanoseconds("duration", run["duration"])


def _nanoseconds(name: str, value: str) -> int:
    return _native.nanoseconds(name, with_unit(name, value, "ms"))
