"""What a prompt costs as a conversation grows: tokens per section, and the time to build it.

    python -m bench.memory_prompt

Beside ours: the whole history cut at 50,000 characters, as it was before there was a memory.
The table is also written to bench/results/memory_prompt.txt.
"""

import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import memory
from instrumentgpt.text.tokens import count_tokens

TURNS = (1, 5, 10, 20, 50, 100, 300, 1000)
AIMS = {1: 2000, 5: 6000, 10: 8000}  # tokens, seed 004; the last holds ever after
HISTORY_CHARS = 50_000  # what was sent before
REPEATS = 30  # builds per latency figure
RESULTS = Path(__file__).parent / "results" / "memory_prompt.txt"

LANGUAGES = {
    "en": (
        "10.1.1.47 why does channel {n} swing after step {n}?",
        "Downloaded {log}. Channel {n} oscillates with a period of 41.{n} s and ±0.15 °C.\n\n"
        "{body}\n\n**Root cause**: kp 0.{n} is a third too high for the dead time of 12.{n} s.",
        "The output moves between 40.{k} % and 52.{k} % and never touches a limit, so neither heater nor "
        "relay is at fault; the setpoint has not moved since 23:24:{k} (line {k}812).",
    ),
    "zh": (
        "10.1.1.47 第 {n} 通道為什麼溫度波動？",
        "已下載 {log}。第 {n} 通道振盪，週期 41.{n} 秒，振幅 ±0.15 °C。\n\n"
        "{body}\n\n**根因**：kp 0.{n} 對 12.{n} 秒的死時間而言高了三分之一。",
        "輸出在 40.{k} % 到 52.{k} % 之間，從未碰到上下限，因此不是加熱器或繼電器的問題；"
        "設定值自 23:24:{k} 起沒有改變（第 {k}812 行）。",
    ),
}


def conversation(language: str, turns: int) -> list[memory.StoredMessage]:
    """Return `turns` exchanges as engineers have them: long answers, charts, now and then a pasted log."""
    question, answer, sentence = LANGUAGES[language]
    messages: list[memory.StoredMessage] = []
    for n in range(1, turns + 1):
        asked = question.format(n=n)
        if n % 4 == 0:
            asked += "\n" + "\n".join(
                f"[2026-02-19 23:24:{second:02}] TEMP id={n} pv=37.{second}" for second in range(60)
            )
        body = " ".join(sentence.format(k=10 + k) for k in range(14)) + "\n<!-- PLOTLY_CHART:3f2a -->"
        log = f"InstrumentDebug_2026-02-19_23-24-{n}.39.log"
        messages += [
            {"id": 2 * n - 1, "role": "user", "content": asked},
            {"id": 2 * n, "role": "assistant", "content": answer.format(n=n, log=log, body=body)},
        ]
    return messages


def grown(language: str, turns: int) -> Iterator[tuple[int, memory.Prompt, list[float], int]]:
    """Yield (turn, prompt, seconds of each build, tokens of the cut history) at the turns of interest."""
    messages = conversation(language, turns)
    state, summary = memory.DiagnosticState(), ""
    for turn in range(1, turns + 1):
        history, (question, answer) = messages[: 2 * turn - 2], messages[2 * turn - 2 : 2 * turn]
        asked = question["content"]
        state = memory.begin_question(state, "10.1.1.47", "zspr 052", question=asked)
        seconds = []
        for _ in range(REPEATS if turn in TURNS else 1):
            started = time.perf_counter()
            prompt = memory.compose(asked, history, state, summary, True)
            seconds.append(time.perf_counter() - started)
        summary = prompt.summary
        state = memory.extract_state_updates(answer["content"], state)
        if turn in TURNS:
            cut = "\n".join(message["content"] for message in history)[-HISTORY_CHARS:]
            yield turn, prompt, seconds, count_tokens(cut + asked)


def report() -> Iterator[str]:
    """Yield the lines of the table."""
    yield "   turn  prompt   aim  state  summary  recent  ms p50   p95  50K cut"
    for language in LANGUAGES:
        for turn, prompt, seconds, cut in grown(language, max(TURNS)):
            parts = {section.name: section.tokens for section in prompt.sections}
            state, summary, recent = (
                parts.get(name, 0)
                for name in ("diagnostic_context", "conversation_summary", "recent_conversation")
            )
            aim = AIMS.get(turn, AIMS[max(AIMS)])
            median, p95 = 1e3 * statistics.median(seconds), 1e3 * statistics.quantiles(seconds, n=20)[-1]
            yield (
                f"{language} {turn:4}{prompt.tokens:8}{aim:6}{state:7}{summary:9}{recent:8}"
                f"{median:8.1f}{p95:6.1f}{cut:9}"
            )


def main() -> None:
    """Print the table and keep it."""
    lines = []
    for line in report():
        print(line, flush=True)
        lines.append(line)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
