"""The token estimate against exact counts of o200k_base, taken once with rs-bpe 0.1.0 and gpt-tokenizer 2."""

import base64

import pytest
from cases import each
from spent import pieces

from instrumentgpt.memory.tokens import _han_cost, count_tokens

EXACT = [
    (
        "English prose",
        77,
        (
            "The temperature loop of zspr 052 oscillates with"
            " a period of 41.2 s and a half peak-to-peak of 0"
            ".15 °C. The output never touches its limits, so "
            "this is a tuning problem: kp is about a third too high for the measured dead time. Lower"
            " kp to 0.06 and watch the next two setpoint steps."
        ),
    ),
    (
        "Traditional Chinese",
        80,
        (
            "溫度控制迴路在設定值附近振盪，週期約四十一秒，振幅在正常範圍內。輸出沒有碰到上下限，因此這是參數"
            "調整的問題，而不是加熱器或感測器故障。建議先把比例增益降低三分之一，再觀察下一次升溫。"
        ),
    ),
    (
        "Simplified Chinese",
        66,
        (
            "温度控制回路在设定值附近振荡，周期约四十一秒，振幅在正常范围内。输出没有碰到上下限，因此这是参数"
            "调整的问题，而不是加热器或传感器故障。建议先把比例增益降低三分之一，再观察下一次升温。"
        ),
    ),
    (
        "mixed answer",
        121,
        (
            "**根因**：加熱器 3 在 23:24:45 開路，pv 從 61.9 °C 掉到 29.4 "
            "°C，輸出飽和在 100 %。\n"
            "- kp ≈ 0.09，ki ≈ 0.02，kd ≈ 0（PI 為主）\n"
            "- 溫度振盪 ±0.15 °C，仍在正常範圍\n"
            "\n"
            "那 kp 可以調高嗎？可以適度調高到 0.12–0.15。"
        ),
    ),
    (
        "log lines",
        105,
        (
            "[2026-02-19 23:24:45.391] [INFO] TEMP id=1 sp=37.000 pv=37.012 out=45.1\n"
            "[2026-02-19 23:24:46.391] [INFO] TEMP id=1 sp=37.000 pv=37.018 out=44.9\n"
            "[2026-02-19 23:24:47.391] [WARN] Door open timeout after 30 s\n"
        ),
    ),
    (
        "markdown table",
        97,
        (
            "| channel | setpoint | pv | output | period |\n"
            "| --- | --- | --- | --- | --- |\n"
            "| 1 | 37.0 | 37.01 | 45.1 % | 41.2 s |\n"
            "| 2 | 37.0 | 36.97 | 46.0 % | 40.8 s |\n"
            "| 3 | 95.0 | 61.90 | 100.0 % | – |\n"
        ),
    ),
    (
        "JSON",
        77,
        (
            '{"device_ip": "10.1.1.47", "device_name": "zspr '
            '052", "last_log_file": "InstrumentDebug_2026-02-'
            '19_23-24-45.39.log", "findings": ["PID controlle'
            'r stable, PI-dominant (kd ≈ 0)"], "status": "inv'
            'estigating"}'
        ),
    ),
    (
        "Python",
        80,
        (
            "def settling_time(time, pv, setpoint, band=0.02):\n"
            "    tolerance = band * abs(setpoint - pv[0])\n"
            "    outside = np.flatnonzero(np.abs(pv - setpoint) > tolerance)\n"
            "    if outside.size == 0:\n"
            "        return 0.0\n"
            "    return float(time[outside[-1] + 1] - time[0])\n"
        ),
    ),
    (
        "context",
        98,
        (
            "10.1.1.47 為什麼溫度波動？\n"
            "\n"
            "<diagnostic_context>\n"
            "Device: zspr 052 (10.1.1.47)\n"
            "Last log: InstrumentDebug_2026-02-19_23-24-45.39.log\n"
            "Key findings:\n"
            "  - PID controller stable, PI-dominant (kd ≈ 0)\n"
            "  - Temperature oscillation ±0.15°C within norma"
            "l band\n"
            "</diagnostic_context>\n"
        ),
    ),
    (
        "short question",
        7,
        ("那 kp 可以調高嗎？"),
    ),
]


@each("exact, text", [row[1:] for row in EXACT])
def test_the_estimate_is_near_the_exact_count(exact, text):
    assert count_tokens(text) == pytest.approx(exact, rel=0.15, abs=1)


def test_the_mean_error_is_below_six_percent():
    errors = [abs(count_tokens(text) - exact) / exact for _, exact, text in EXACT]
    assert sum(errors) / len(errors) < 0.06


SIGNS = "!@#$%^&*(){}[]<>?/|\\~`+=-_;:',."
STRANGE = [
    ("base64", 551, base64.b64encode(bytes(n * n % 251 for n in range(600))).decode()),
    ("letters", 184, "".join(chr(97 + (n * n * 7 + n) % 26) for n in range(400))),
    ("punctuation", 214, "".join(SIGNS[(n * n * 5 + 3 * n) % 31] for n in range(300))),
    ("spaces", 81, "a" + (" " * 12 + "b") * 40),
    ("rare characters", 383, "".join(chr(0x4E00 + (n * n * 13 + n * 71) % 0x5000) for n in range(200))),
    ("hangul", 17, "온도가 왜 변동합니까? 제어기 출력이 포화되었습니다."),
]


@each("exact, text", [row[1:] for row in STRANGE])
def test_no_strange_text_costs_far_more_than_is_estimated(exact, text):
    assert count_tokens(text) > 0.8 * exact


@each(
    "text, tokens",
    [("", 0), ("   ", 1), ("word", 1), ("1234567", 3), ("kp 0.09", 5), ("\n\n\n", 1), ("、。", 2), ("🔥", 2)],
)
def test_small_texts_by_hand(text, tokens):
    assert count_tokens(text) == tokens


def test_the_6763_characters_of_gb_2312_cost_least_and_other_usual_ones_of_big5_less_than_rare_ones():
    costs = [_han_cost(chr(code)) for code in range(0x4E00, 0xA000)]
    least, usual, rare = sorted(set(costs))
    assert costs.count(least) == 6763
    assert [_han_cost(one) for one in "温溫堃"] == [least, usual, rare]


@pytest.mark.soak
def test_a_hundred_thousand_characters_are_counted_in_time():
    fresh = iter([f"{number} " + "溫度 is 37.0 °C; " * 7000 for number in range(3)])  # counts are remembered
    assert pieces(lambda: count_tokens(next(fresh))) < 40
