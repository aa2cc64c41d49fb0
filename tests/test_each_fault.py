"""Each fault of the taxonomy is found where it is, with its onset and evidence, and nothing else is."""

from cases import each
from faulty_logs import MAKERS, case, diagnosed

from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.findings import Finding

NAMES = sorted(MAKERS)
FAULTS = [name for name in NAMES if name != "healthy"]


def found(name: str) -> Finding:
    known = case(name)
    return next(
        one
        for one in diagnosed(name).findings
        if one.fault == known.fault and one.channel in (known.channel, None)
    )


def test_every_class_of_the_taxonomy_has_a_log_here():
    assert {case(name).fault for name in NAMES} == set(faults())


@each("name", FAULTS)
def test_the_fault_is_named_first_and_alone(name):
    known = case(name)
    named = [one for one in diagnosed(name).findings if one.fault != "healthy"]
    assert [(one.fault, one.channel) for one in named] == [(known.fault, known.channel)]


@each("name", FAULTS)
def test_its_onset_is_within_30_s_or_a_tenth_of_the_fault(name):
    known, finding = case(name), found(name)
    last = float(known.log.samples["time"].iloc[-1])
    assert abs(finding.onset - known.onset) <= max(30.0, 0.1 * (last - known.onset))


@each("name", NAMES)
def test_quoted_values_stand_in_the_quoted_line(name):
    known, finding = case(name), found(name)
    rows = known.log.samples.set_index("line")
    quoted = [item for item in finding.evidence if item.values]
    for item in quoted:
        assert dict(item.values) == {key: float(rows.loc[item.line, key]) for key in item.values}
        assert item.time == rows.loc[item.line, "time"]
    assert sum(len(item.values) for item in quoted) >= 2


@each("name", FAULTS)
def test_a_quoted_line_lies_in_the_time_of_the_fault(name):
    finding = found(name)
    assert any(finding.onset - 5 <= item.time <= finding.end + 5 for item in finding.evidence)


@each("name", [name for name in FAULTS if name != "insufficient_data"])
def test_a_near_alternative_is_ruled_out_with_numbers(name):
    assert found(name).ruled_out
    assert all(item.numbers for item in found(name).ruled_out)
