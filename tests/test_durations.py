"""Long stretches of seconds are told in minutes, hours or days beside them; what is found is recognised."""

from cases import each

from instrumentgpt.instruments.faults import fault_classes
from instrumentgpt.instruments.language import with_spans


@each(
    "text, language, told",
    [
        ("stayed 1978 s.", "en", "stayed 1978 s (33 min)."),
        ("7,200 samples in 86,400 s, 0 gaps", "en", "7,200 samples in 86,400 s (24.0 h), 0 gaps"),
        ("在 1978 秒內", "zh", "在 1978 秒（33 分鐘）內"),
        ("every 45 s", "en", "every 45 s"),
        ("9.99 °C/s, 1200 samples", "en", "9.99 °C/s, 1200 samples"),
        ("1978 s (33 min)", "en", "1978 s (33 min)"),
        ("`took 5000 sec`", "en", "`took 5000 sec`"),
    ],
)
def test_seconds_beyond_five_minutes_are_told_in_words_too(text, language, told):
    assert with_spans(text, language) == told


@each(
    "text, fault",
    [
        ("Channel 3: the sensor reads nan for 1978 s after 40.00 °C, 1 time", "sensor_open"),
        ("Channel 3: the sensor reads nan for 1978 s (33 min) after 40.00 °C, 1 time", "sensor_open"),
        (
            "通道 2：20.0 °C 階躍後 900 秒（15 分鐘）才進入範圍，輸出最多 60 %；kp 3",
            "sluggish_tuning",
        ),
        (
            "Channel 1: setpoint 60.00 °C needs 62.0 % where it needed 42.0 % (factor 1.48)",
            "heater_degradation",
        ),
        (
            "Channel 1: the output was at 100 % for 36676 rows and pv still 52.9 counts short of the "
            "setpoint, closing -0.10 counts/min",
            "saturation",
        ),
        (
            "通道 2 被迴路之外的因素推出自身範圍 1 次，幅度 18.19 °C，每次約 62 秒；自身範圍到 6.77 °C 為止",
            "ambient_disturbance",
        ),
    ],
)
def test_a_finding_is_recognised_with_and_without_its_minutes(text, fault):
    assert fault_classes(text) == {fault}
