"""No room grows past its ceiling, in lines of Python and TOML; raising one needs a decision record.

The ceilings stand where the rooms are now.
"""

from cases import each

from instrumentgpt.settings import CHECKOUT

CEILINGS = {  # room → lines
    "instrumentgpt/agents": 5_061,
    "instrumentgpt/analyst": 4_838,
    "instrumentgpt/commands": 1_813,
    "instrumentgpt/evals": 1_217,
    "instrumentgpt/fleet": 916,
    "instrumentgpt/handover": 849,
    "instrumentgpt/instruments": 21_897,
    "instrumentgpt/memory": 5_086,
    "instrumentgpt/modes/commands": 841,
    "instrumentgpt/modes/interview": 1_427,
    "instrumentgpt/modes/investigate": 1_602,
    "instrumentgpt/modes/panel": 2_282,
    "instrumentgpt/storage": 4_662,
    "instrumentgpt/turn": 2_516,
    "instrumentgpt/ui": 8_853,
}
WHOLE = 66_241


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
