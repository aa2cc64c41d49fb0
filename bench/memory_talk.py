"""Made conversations about instruments, as long as wanted: several devices, two languages, pasted logs.

The same seed gives the same words. Now and then a value is stated that a probe asks for later.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass

DEVICES = ("zspr 050", "zspr 051", "zspr 052", "zspr 053", "zspr 054", "zspr 055")
STATED_EVERY = 5  # exchanges
PASTED_EVERY = 6
PASTED_LINES = 40

PARTS = (
    ("door seal", "門封"), ("inlet filter", "進氣濾網"), ("flange bolt", "法蘭螺栓"),
    ("drain hose", "排水管"), ("cold plate", "冷板"),
    ("shutter spring", "快門彈簧"), ("gas regulator", "氣體調壓閥"),
    ("rear bearing", "後軸承"), ("quartz tube", "石英管"),
    ("lamp socket", "燈座"), ("stirrer shaft", "攪拌軸"),
    ("air knife", "風刀"), ("grounding strap", "接地帶"), ("limit switch", "極限開關"),
)  # fmt: skip
FEATURES = (
    ("torque", "扭力", "Nm"), ("thickness", "厚度", "mm"), ("gap", "間隙", "mm"),
    ("preload", "預壓", "N"),
    ("stroke", "行程", "mm"), ("runout", "偏擺", "um"), ("clearance", "餘隙", "mm"),
    ("slack", "鬆弛量", "mm"),
)  # fmt: skip
TOPICS = (
    ("why does channel {c} swing?", "第 {c} 通道為什麼波動？"),
    ("plot the output of channel {c}", "畫出第 {c} 通道的輸出"),
    ("is the heater saturated?", "加熱器有飽和嗎？"),
    ("compare today with yesterday", "今天跟昨天比較"),
    ("can ki be raised a little?", "ki 可以再高一點嗎？"),
    ("what did the last service change?", "上次保養改了什麼？"),
    ("does the cooling keep up?", "冷卻跟得上嗎？"),
)
SENTENCES = (
    (
        "Channel {c} oscillates with a period of {a} s and ±0.{b} °C.",
        "第 {c} 通道振盪，週期 {a} 秒，振幅 ±0.{b} °C。",
    ),
    (
        "The output stays between {a} % and 9{c} %, so no limit is touched.",
        "輸出在 {a} % 到 9{c} % 之間，沒有碰到上下限。",
    ),
    (
        "After the step at 23:{b}:{a} pv needed {b} s to settle.",
        "23:{b}:{a} 的步階之後，pv 花了 {b} 秒才穩定。",
    ),
    (
        "Line {a}{b}12 shows the relay switching twice within a second.",
        "第 {a}{b}12 行顯示繼電器一秒內切換兩次。",
    ),
    ("The coolant entered at 1{c}.{a} °C, as in the week before.", "冷卻水進口 1{c}.{a} °C，與前一週相同。"),
    ("Nothing in the events coincides with the excursion.", "事件記錄中沒有與偏移同時發生的項目。"),
    (
        "The sensor reads in steps of 0.0{c} °C, which is its resolution.",
        "感測器以 0.0{c} °C 為一階，這是它的解析度。",
    ),
)
CAUSES = (
    ("the derivative term amplifies noise", "微分項放大了雜訊"),
    ("the fan was blocked", "風扇被擋住"),
    ("kp is a third too high for the dead time", "kp 對死時間而言高了三分之一"),
    ("the door was open", "門沒關好"),
)  # fmt: skip


@dataclass(frozen=True)
class Probe:
    """A question, and the value that its answer needs; `stated` is the exchange that told it (from 0)."""

    question: str
    value: str
    stated: int


def exchanges(count: int, seed: int = 5) -> tuple[list[tuple[str, str]], list[Probe]]:
    """Return `count` exchanges (question, answer), and a probe for each value stated in passing."""
    dice = random.Random(seed)
    talk: list[tuple[str, str]] = []
    probes: list[Probe] = []
    stated: set[tuple[int, int, str]] = set()
    device = DEVICES[2]
    for number in range(count):
        chinese = int(dice.random() < 0.5)
        device = device if dice.random() < 0.7 else dice.choice(DEVICES)
        question = f"{device} {dice.choice(TOPICS)[chinese].format(c=dice.randint(1, 6))}"
        if number % PASTED_EVERY == PASTED_EVERY - 1:
            question = "\n".join([question, *_pasted(dice)])
        said = [*_sentences(dice, chinese)]
        if number % STATED_EVERY == 0:
            place = dice.randrange(len(PARTS)), dice.randrange(len(FEATURES)), device
            if place not in stated:
                stated.add(place)
                sentence, probe = _stated(dice, place, chinese, number)
                said.insert(dice.randrange(len(said)), sentence)
                probes.append(probe)
        cause = ("Root cause: ", "根因：")[chinese] + dice.choice(CAUSES)[chinese]
        talk.append((question, f"{' '.join(said)}\n\n<!-- PLOTLY_CHART:{number} -->\n\n{cause}"))
    return talk, probes


def _sentences(dice: random.Random, chinese: int) -> Iterator[str]:
    for _ in range(dice.randint(6, 14)):
        a, b, c = dice.randint(10, 59), dice.randint(10, 59), dice.randint(1, 6)
        yield dice.choice(SENTENCES)[chinese].format(a=a, b=b, c=c)


def _stated(dice: random.Random, place: tuple[int, int, str], chinese: int, number: int) -> tuple[str, Probe]:
    (part, feature), device = (PARTS[place[0]], FEATURES[place[1]]), place[2]
    value = f"{dice.randint(1, 9)}.{dice.randint(100, 999)}"
    sentences = (
        f"By the way, the {feature[0]} of the {part[0]} on {device} was measured as {value} {feature[2]}.",
        f"另外，{device} 的{part[1]}{feature[1]}量到 {value} {feature[2]}。",
    )
    asked = (
        f"what {feature[0]} has the {part[0]} of {device}?",
        f"{device} 的{part[1]}{feature[1]}是多少？",
    )
    return sentences[chinese], Probe(asked[chinese], value, number)


def _pasted(dice: random.Random) -> Iterator[str]:
    start = dice.randint(10, 20)
    for second in range(PASTED_LINES):
        yield (
            f"[2026-02-{start} 23:24:{second:02}] INFO TempControl id={second % 6 + 1} "
            f"sp=55.00 pv=5{dice.randint(4, 6)}.{dice.randint(10, 99)} out={dice.randint(20, 90)}.0"
        )
