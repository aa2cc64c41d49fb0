"""What memory costs, and what it finds, as a conversation grows: `python -m bench.memory`.

Whole turns on a real database, beside what is done elsewhere: the whole history cut at 50,000 characters, the
last three exchanges, LangChain's trim_messages, and plain full-text search in the words as they are.
`ours` is all that a turn does for its prompt: it keeps what the question states, and searches what was said.
`build_prompt` is the function of that name alone, on the messages, the state and the summary.
Machines differ, and the same one differs from hour to hour: the time of a fixed loop stands beside each size.
The tables are also written to bench/results/memory.txt.
"""

import os
import re
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bench.memory_adapter import Memory
from bench.memory_talk import Probe, exchanges
from instrumentgpt.memory.tokens import count_tokens

SIZES = (10, 100, 1000, 5000)  # exchanges
BUDGETS = (2000, 4000, 8000)  # tokens of a whole prompt
PROBES = 40  # at most, of each size
HISTORY_CHARS = 50_000  # what was sent before there was a memory
RECENT = 3  # exchanges
LOOPS = 1_000_000
AIMS_MS = {10: 5, 100: 5, 1000: 12, 5000: 20}  # of a prompt, p95
LAYERS = (
    "diagnostic_context",
    "conversation_summary",
    "recalled_turns",
    "recent_conversation",
)
RESULTS = Path(__file__).parent / "results" / "memory.txt"

Talk = Sequence[tuple[str, str]]
Contender = Callable[[Talk, str], str]


def whole_history(talk: Talk, question: str) -> str:
    """Return all that was said, cut at 50,000 characters, and the question."""
    return "\n".join(text for exchange in talk for text in exchange)[-HISTORY_CHARS:] + f"\n{question}"


def last_exchanges(talk: Talk, question: str) -> str:
    """Return the last three exchanges and the question."""
    return "\n".join([*(text for exchange in talk[-RECENT:] for text in exchange), question])


def trimmed_by_langchain(budget: int) -> Contender | None:
    """Return what keeps the newest messages within the budget by trim_messages; None if it is missing."""
    try:
        from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, trim_messages
    except ImportError:
        print(
            "SKIPPED: LangChain's trim_messages. To have it: pip install 'langchain-core>=1,<2'",
            file=sys.stderr,
        )
        return None

    def counted(messages: Sequence[BaseMessage]) -> int:
        return sum(count_tokens(str(message.content)) + 4 for message in messages)

    def trimmed(talk: Talk, question: str) -> str:
        said: list[BaseMessage] = [
            made(text)
            for exchange in talk
            for made, text in zip((HumanMessage, AIMessage), exchange, strict=True)
        ]
        kept = trim_messages(
            [*said, HumanMessage(question)],
            max_tokens=budget,
            token_counter=counted,
            strategy="last",
            start_on="human",
        )
        return "\n".join(str(message.content) for message in kept)

    return trimmed


class PlainSearch:
    """FTS5 as it comes (unicode61), best messages up to the budget; indexed once, before the clock runs."""

    def __init__(self, talk: Talk, budget: int) -> None:
        self.budget = budget
        self.database = sqlite3.connect(":memory:")
        self.database.execute("CREATE VIRTUAL TABLE said USING fts5(text)")
        self.database.executemany(
            "INSERT INTO said VALUES (?)", [(text,) for exchange in talk for text in exchange]
        )

    def __call__(self, talk: Talk, question: str) -> str:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
        found = self.database.execute(
            "SELECT text FROM said WHERE said MATCH ? ORDER BY rank LIMIT 50", (words,)
        ).fetchall()
        room = self.budget - count_tokens(question)
        kept = [question]
        for (text,) in found:
            cost = count_tokens(text)
            if cost <= room:
                kept.append(text)
                room -= cost
        return "\n".join(kept)


def measured(
    build: Callable[[str], str], probes: Sequence[Probe], clock: Callable[[], float] | None = None
) -> tuple[list[str], list[float]]:
    """Return the prompts of the probes, and the CPU seconds that each took, or what `clock` says of it."""
    build(probes[0].question)  # imports and tables are loaded once
    prompts, seconds = [], []
    for probe in probes:
        started = time.process_time()
        prompts.append(build(probe.question))
        seconds.append(clock() if clock else time.process_time() - started)
    return prompts, seconds


def figures(prompts: Sequence[str], seconds: Sequence[float], probes: Sequence[Probe]) -> str:
    """Return a row: mean tokens, share of probes whose value the prompt tells, and the time."""
    tokens = statistics.mean(map(count_tokens, prompts))
    found = 100 * statistics.mean(
        probe.value in prompt for probe, prompt in zip(probes, prompts, strict=True)
    )
    median, p95 = 1e3 * statistics.median(seconds), 1e3 * statistics.quantiles(seconds, n=20)[-1]
    return f"{tokens:8.0f}{found:8.0f} %{median:9.1f}{p95:8.1f}"


def layers(prompts: Sequence[str]) -> str:
    """Return the mean tokens of each layer."""
    shares = [
        statistics.mean(count_tokens(_section(prompt, layer)) for prompt in prompts) for layer in LAYERS
    ]
    return "".join(f"{share:9.0f}" for share in shares)


def _section(prompt: str, tag: str) -> str:
    found = re.search(rf"<{tag}>.*?</{tag}>", prompt, re.S)
    return found.group() if found else ""


def grown(memory: Memory, talk: Talk) -> Iterator[tuple[int, float, float]]:
    """Hold the conversation; yield (exchanges so far, CPU ms to store a message, of an exchange) at SIZES."""
    spent: list[float] = []
    for number, (question, answer) in enumerate(talk, 1):
        started = time.process_time()
        memory.add("user", question)
        memory.add("assistant", answer)
        spent.append(time.process_time() - started)
        if number in SIZES:
            yield number, _stored(memory, question), 1e3 * statistics.median(spent[-100:])


def _stored(memory: Memory, text: str) -> float:
    """Return the CPU milliseconds that storing and indexing a message takes; it is taken back."""
    seconds = []
    for _ in range(20):
        started = time.process_time()
        message = memory.store(text)
        seconds.append(time.process_time() - started)
        memory.take_back(message)
    return 1e3 * statistics.median(seconds)


def _loop() -> float:
    """Return the CPU milliseconds of a fixed loop: it tells a fast machine, and hour, from a slow one."""
    started = time.process_time()
    sum(number * number for number in range(LOOPS))
    return 1e3 * (time.process_time() - started)


def report() -> Iterator[str]:
    """Yield the lines of the tables."""
    talk, every = exchanges(max(SIZES))
    memory = Memory(max(BUDGETS))
    yield "CPU times in ms. found: probes whose value stands in the prompt."
    yield f"The loop, to compare machines by: {LOOPS:,} squares added up in Python."
    for size, stored, exchanged in grown(memory, talk):
        probes = [probe for probe in every if probe.stated < size][-10 * PROBES :: 10][:PROBES]
        probes = probes if size > 10 else [probe for probe in every if probe.stated < size] * 10
        yield (
            f"\n{size} exchanges: database {memory.size / 1e6:.1f} MB; a message is stored in"
            f" {stored:.2f} ms, a whole exchange in {exchanged:.1f} ms; p95 aimed at {AIMS_MS[size]} ms;"
            f" the loop takes {_loop():.0f} ms"
        )
        yield f"{'':24}  tokens   found      p50     p95    state  summary recalled   recent"
        for budget in BUDGETS:
            os.environ["INSTRUMENTGPT_PROMPT_TOKENS"] = str(budget)
            prompts, seconds = measured(memory.prompt, probes, lambda: memory.seconds)
            yield f"ours, {budget} tokens{'':7}{figures(prompts, seconds, probes)}{layers(prompts)}"
        prompts, seconds = measured(memory.built, probes)
        yield f"{'build_prompt alone':24}{figures(prompts, seconds, probes)}"
        os.environ["INSTRUMENTGPT_PROMPT_TOKENS"] = str(max(BUDGETS))
        for name, contender in _contenders(talk[:size]):
            prompts, seconds = measured(partial(contender, talk[:size]), probes)
            yield f"{name:24}{figures(prompts, seconds, probes)}"


def _contenders(talk: Talk) -> Iterator[tuple[str, Contender]]:
    yield "history, 50,000 chars", whole_history
    yield "last three exchanges", last_exchanges
    for budget in BUDGETS:
        trimmed = trimmed_by_langchain(budget)
        if trimmed is not None:
            yield f"trim_messages, {budget}", trimmed
    for budget in BUDGETS:
        yield f"plain FTS5, {budget}", PlainSearch(talk, budget)


def main() -> None:
    """Print the tables and keep them."""
    lines = []
    for line in report():
        print(line, flush=True)
        lines.append(line)
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
