"""Which faults came, went or stayed between two diagnoses of a device."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from instrumentgpt.instruments.diagnosis import Diagnosis
from instrumentgpt.instruments.findings import Finding

Kind = Literal["fault_new", "fault_gone", "fault_still"]


@dataclass(frozen=True)
class FaultChange:
    """A fault and what became of it; `finding` is that of the log that has it, the later if both do."""

    kind: Kind
    finding: Finding


def fault_changes(before: Diagnosis, after: Diagnosis) -> tuple[FaultChange, ...]:
    """Return the faults that are new, then those that stayed, then those that are gone.

    A fault is the same if it is of one class on one channel.
    What a log was too short or too bare to judge is neither new nor gone: it is in `withheld`.
    """
    first, second = _faults(before), _faults(after)
    new = [FaultChange("fault_new", one) for key, one in second.items() if key not in first]
    still = [FaultChange("fault_still", one) for key, one in second.items() if key in first]
    gone = [
        FaultChange("fault_gone", one)
        for key, one in first.items()
        if key not in second and not _unjudged(one, after)
    ]
    return (*new, *still, *gone)


def _faults(diagnosis: Diagnosis) -> dict[tuple[str, int | None], Finding]:
    faults: Sequence[Finding] = [one for one in diagnosis.findings if one.severity not in ("none", "info")]
    return {(one.fault, one.channel): one for one in faults}


def _unjudged(finding: Finding, diagnosis: Diagnosis) -> bool:
    """Return whether `diagnosis` could not have seen `finding`: withheld, or another fault explains it."""
    explained = any(finding.fault in one.consequences for one in diagnosis.findings)
    return finding.fault in diagnosis.withheld or explained
