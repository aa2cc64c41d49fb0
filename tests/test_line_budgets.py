"""No room grows past its ceiling, in lines of Python and TOML; raising one needs a decision record.

The ceilings stand where the rooms are now.
"""

from cases import each

from instrumentgpt.settings import CHECKOUT

CEILINGS = {  # room → lines
    "instrumentgpt/agents": 4_544,
    "instrumentgpt/analyst": 6_754,
    "instrumentgpt/commands": 1_521,
    "instrumentgpt/evals": 836,
    "instrumentgpt/fleet": 886,
    "instrumentgpt/handover": 780,
    "instrumentgpt/instruments": 25_305,
    "instrumentgpt/memory": 4_592,
    "instrumentgpt/modes/commands": 721,
    "instrumentgpt/modes/interview": 1_251,
    "instrumentgpt/modes/investigate": 1_290,
    "instrumentgpt/modes/panel": 1_671,
    "instrumentgpt/storage": 4_207,
    "instrumentgpt/turn": 2_417,
    "instrumentgpt/ui": 7_439,
}
WHOLE = 66_884


def lines_in(room: str) -> int:
    files = [path for ending in ("py", "toml") for path in (CHECKOUT / room).rglob(f"*.{ending}")]
    return sum(path.read_text(encoding="utf-8").count("\n") for path in files)


@each("room", CEILINGS)
def test_no_room_has_more_lines_than_its_ceiling(room):
    assert lines_in(room) <= CEILINGS[room]


def test_the_product_has_no_more_lines_than_its_ceiling():
    beside = ("app.py", "memory.py", "db.py", "cursor_cli.py")
    count = sum((CHECKOUT / name).read_text(encoding="utf-8").count("\n") for name in beside)
    assert lines_in("instrumentgpt") + count <= WHOLE
