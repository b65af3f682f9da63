"""One family of exceptions: everything fairwire refuses is a :class:`FairwireError`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class FairwireError(Exception):
    """Anything that fairwire refuses or cannot do."""


class Finding(NamedTuple):
    """Something wrong with a scenario, where, and what to write instead."""

    message: str
    """What is wrong, in one sentence."""
    label: str
    """A few words about the place itself."""
    help: str
    """What to write instead."""
    line: int
    """The line of the place, from 1."""
    column: int
    """The column of the place in characters, from 1."""


class ScenarioError(FairwireError, ValueError):
    """A scenario that cannot be read; all its mistakes at once."""

    def __init__(
        self,
        message: str,
        file: str = "",
        text: str = "",
        findings: Sequence[tuple[str, str, str, int, int]] = (),
    ) -> None:
        super().__init__(message, file, text, tuple(findings))
        self.file = file
        """The file's name; `<text>` or `<dict>` where there is none."""
        self.text = text
        """The text that was read; for a dictionary the TOML it stands for."""
        self.findings = tuple(Finding(*finding) for finding in findings)
        """The mistakes in the order of the lines; none if the file cannot be read at all."""

    def __str__(self) -> str:
        return str(self.args[0])

    @property
    def line(self) -> int | None:
        """The line of the first mistake."""
        return self.findings[0].line if self.findings else None

    @property
    def help(self) -> str | None:
        """What to write instead of the first mistake."""
        return self.findings[0].help if self.findings else None


class ProblemError(FairwireError, ValueError):
    """A problem whose arrays or numbers make no sense, or whose minimum rates do not fit."""

    def __init__(
        self, message: str, kind: str = "problem", link: str | None = None, names: Sequence[str] = ()
    ) -> None:
        super().__init__(message, kind, link, tuple(names))
        self.kind = kind
        """The name of the mistake, such as `capacity`, `empty-route` or `infeasible-minimums`."""
        self.link = link
        """The link on which minimum rates do not fit."""
        self.names = tuple(names)
        """A smallest set of flows or ingresses whose minimum rates do not fit together."""

    def __str__(self) -> str:
        return str(self.args[0])


class CriterionError(FairwireError, ValueError):
    """A criterion of fairness that nobody knows."""


class SettingError(FairwireError, ValueError):
    """A setting of a run that does not fit: a law, a seed, a duration."""


class ArgumentTypeError(SettingError, TypeError):
    """A setting of another type than its annotation tells."""


class NoSuchIndexError(SettingError, IndexError):
    """A number of something that is not there, such as a flow that a law limits."""


class NoSuchNameError(FairwireError, KeyError):
    """A name of something that is not there: a flow, a column."""

    def __str__(self) -> str:
        return str(self.args[0])


class MissingLibraryError(FairwireError, ModuleNotFoundError):
    """A library that fairwire asks for only where it is needed, and that is not installed."""


class SweepError(FairwireError, RuntimeError):
    """A sweep that cannot go on: runs cannot be kept, a worker is of another build, tasks fail again."""


class SolveError(FairwireError, RuntimeError):
    """No method arrived at rates that pass the criterion's checker."""


class FolderError(FairwireError, OSError):
    """A result folder that could not be written."""


class ScenarioWarning(UserWarning):
    """A scenario says something that is allowed but probably not meant."""
