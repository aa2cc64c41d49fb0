"""Values in configurations: sections, keys with units, nesting. Programs hold none."""

from cases import SHARE, each, rated

from instrumentgpt.text.facts import facts_in

NAMES = (("zspr 052", "10.9.0.52"), ("zspr 053", "10.9.0.53"))


def told(text, device="zspr 052"):
    return [
        (fact.device[-3:], fact.channel, fact.parameter, f"{fact.value} {fact.unit}".strip())
        for fact in facts_in(text, device, NAMES)
    ]


@each(
    "block, facts",
    [
        ("kp = 0.3  # tuned", [("052", "", "kp", "0.3")]),
        ("init_denature_s = 120", [("052", "", "init denature", "120 s")]),
        ("max-pressure_mbar: 40", [("052", "", "max pressure", "40 mbar")]),
        ("ramp_c_per_min: 1.5", [("052", "", "ramp", "1.5 °C/min")]),
        (
            "[chiller053]\nPb=3.6\nTi=110",
            [("053", "", "proportional band", "3.6"), ("053", "", "integral time", "110")],
        ),
        ("053: SBW=1.8nm  avg=4", [("053", "", "sbw", "1.8 nm"), ("053", "", "avg", "4")]),
        ("053.t_offset = -0.15", [("053", "", "t offset", "-0.15")]),
        (
            "053:\n  hi_alarm: -68\n052:\n  hi_alarm: -70",
            [("053", "", "hi alarm", "-68"), ("052", "", "hi alarm", "-70")],
        ),
        ("[left]\nkp = 1\n[right]\nkp = 2", [("052", "", "left kp", "1"), ("052", "", "right kp", "2")]),
        ("loop:\n  channel 2:\n    kp: 3", [("052", "2", "kp", "3")]),
        ('{"zspr 053": {"loop": {"kp": 9.5}}}', [("053", "", "kp", "9.5")]),
        ('{"x": {"kp": 1.5}, "y": {"kp": 2.5}}', [("052", "", "x kp", "1.5"), ("052", "", "y kp", "2.5")]),
    ],
    SHARE,
)
def test_configurations_are_read(block, facts):
    assert told(f"Here:\n```\n{block}\n```") == facts


@each(
    "text",
    [
        "Of 053:\n```\ngain_x = 4\n```\nGood luck.",
        "```ini\ngain_x = 4\n```\nThat is what 053 has in slot 3.",
        "```yaml\n# exported\n053:\n  gain_x: 4\n```",
    ],
)
def test_a_block_belongs_to_its_section_or_to_the_device_named_around_it(text):
    assert told(text) == [("053", "", "gain x", "4")]


@rated("facts_config")
def test_programs_logs_and_words_hold_no_values(block):
    assert told(f"```\n{block}\n```") == []
