"""Who gets how much bandwidth, and why.

* :func:`allocate` computes the fair rates of a scenario, and what holds each flow.
* :class:`Problem` does the same for links and routes given as arrays.
* :func:`run` simulates a scenario packet by packet under a control law, :func:`compare` under several.
* :func:`replay` brings the packets of a real run again.
* :func:`sweep` runs all points of a sweep, each as often as it takes, on any executor.
* :class:`Simulation` does so step by step, can be looked at on the way, and takes packets from outside.
* :class:`RingLaw` is what a control law of one's own is made from.

Rates are in bit/s, times in ns, sizes in bytes; names carry the unit.

>>> import fairwire
>>> problem = fairwire.Problem.from_routes([10e6, 4e6], routes=[[0, 1], [0]])
>>> problem.solve("max-min").rates_bps
array([4000000., 6000000.])
"""

from fairwire import errors, plotting
from fairwire._allocation import Allocation, FlowRate, Limit, LinkLoad, Sharer, allocate
from fairwire._catalogue import Column, Law, columns, criteria, laws
from fairwire._native import VERSION, Solution
from fairwire._problem import Problem, Sensitivity
from fairwire._promises import Promise
from fairwire._runs import Runs, compare, replay, run
from fairwire._scenario import check_scenario, resolve_scenario
from fairwire._simulation import (
    Delivery,
    FlowView,
    LimitView,
    LinkView,
    QueueView,
    SenderView,
    Simulation,
    View,
)
from fairwire._sweep import Sweep, sweep
from fairwire._table import Table
from fairwire._what_if import (
    FlowChange,
    Held,
    LinkChange,
    ScenarioSensitivity,
    WhatIf,
    sensitivities,
    what_if,
)
from fairwire.errors import (
    ArgumentTypeError,
    CriterionError,
    FairwireError,
    Finding,
    FolderError,
    MissingLibraryError,
    NoSuchIndexError,
    NoSuchNameError,
    ProblemError,
    ScenarioError,
    ScenarioWarning,
    SettingError,
    SolveError,
    SweepError,
)
from fairwire.laws import RingLaw  # as the last: from here on `laws` is the module, which can be called

__version__ = VERSION

__all__ = [
    "Allocation",
    "ArgumentTypeError",
    "Column",
    "CriterionError",
    "Delivery",
    "FairwireError",
    "Finding",
    "FlowChange",
    "FlowRate",
    "FlowView",
    "FolderError",
    "Held",
    "Law",
    "Limit",
    "LimitView",
    "LinkChange",
    "LinkLoad",
    "LinkView",
    "MissingLibraryError",
    "NoSuchIndexError",
    "NoSuchNameError",
    "Problem",
    "ProblemError",
    "Promise",
    "QueueView",
    "RingLaw",
    "Runs",
    "ScenarioError",
    "ScenarioSensitivity",
    "ScenarioWarning",
    "SenderView",
    "Sensitivity",
    "SettingError",
    "Sharer",
    "Simulation",
    "Solution",
    "SolveError",
    "Sweep",
    "SweepError",
    "Table",
    "View",
    "WhatIf",
    "__version__",
    "allocate",
    "check_scenario",
    "columns",
    "compare",
    "criteria",
    "errors",
    "laws",
    "plotting",
    "replay",
    "resolve_scenario",
    "run",
    "sensitivities",
    "sweep",
    "what_if",
]
