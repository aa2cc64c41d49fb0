"""A tool that judges gains by the models that a log accepts."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from instrumentgpt.instruments.kept_verdicts import advised, identified
from instrumentgpt.instruments.language import Language
from instrumentgpt.instruments.logs import Log
from instrumentgpt.instruments.loops import loops_of
from instrumentgpt.instruments.reading.record import gains_of, gains_stated, is_band, written
from instrumentgpt.instruments.tools.opened import diagnosed, known_channel, open_log, plain
from instrumentgpt.instruments.tuning.gains import Advice, Answer
from instrumentgpt.instruments.workspace import Workspace


def advise_gains(
    workspace: Workspace,
    log: str,
    device: str = "",
    channel: int | None = None,
    gain: Literal["kp", "ki", "kd"] = "kp",
    factor: float | None = None,
    target: float | None = None,
    language: Language = "en",
) -> dict[str, Any]:
    """Return, per channel of `log`, whether `gain` may become `target` or `factor` times what it is (1.3).

    Before any word on kp, ki or kd. Not for an oscillation that is not the gains'.
    Example: advise_gains(log="run.log", channel=2, gain="kp", factor=1.3).

    The answer holds for every model of the plant that the log accepts; better gains are proposed with it.
    """
    from instrumentgpt.instruments import advice  # scipy: only where it is needed
    from instrumentgpt.instruments.tuning.advice_wording import model_sentence, sentences

    opened = open_log(workspace, log, device)
    loops, unit = loops_of(opened.log), opened.log.logged_unit
    answers, better_gains = [], []
    driven = [number for number in sorted(loops) if np.isfinite(loops[number].output).any()]
    named = [known_channel(opened, channel)] if channel is not None else []
    for number in named or driven or sorted(loops):
        model = identified(diagnosed(opened), loops[number])
        answers.append(advice.can_raise(model, gain, factor or advice.DEFAULT_FACTOR, target))
        better_gains.append(_as_named(advised(opened.log, model), opened.log))
    channels = [
        {
            "channel": answer.channel,
            "answer": plain(asdict(answer)),
            "advice": plain(asdict(better)),
            "advice_sentences": sentences(better, language, unit, opened.log.output_scale),
            "model": model_sentence(better, language, unit),
        }
        for answer, better in zip(answers, better_gains, strict=True)
    ]
    groups = _groups(answers, language, unit)
    return {
        "summary": " ".join(group["sentences"][0] for group in groups),
        "log": opened.name,
        "device": opened.device,
        "channels": channels,
        "groups": groups,
        "advice_groups": _groups(better_gains, language, unit),
    }


def _as_named(advice: Advice, log: Log) -> Advice:
    """Return `advice` to go back to gains with them as `log` names them, where a line states them."""
    if advice.reason != "back" or not advice.proposed:
        return advice
    stated = [terms for _, terms in gains_stated(zip(log.events["line"], log.events["text"], strict=True))]
    held = [
        terms
        for terms in stated
        if np.allclose(gains_of(terms)[:2], (advice.proposed.kp, advice.proposed.ki))
    ]
    named = {"back": written(held[-1]), "now": written(stated[-1])} if held else {}
    named |= {"softer": "band"} if held and is_band(held[-1]) else {}
    return replace(advice, numbers={**advice.numbers, **named})


def _groups(
    subjects: Sequence[Answer] | Sequence[Advice], language: Language, unit: str
) -> list[dict[str, Any]]:
    """Return the channels that are told together, each group with its sentences, the verdict first."""
    from instrumentgpt.instruments.tuning.advice_wording import group_sentences, grouped

    return [
        {
            "channels": [subject.channel for subject in group],
            "reason": group[0].reason,
            "sentences": group_sentences(group, language, unit),
        }
        for group in grouped(subjects)
    ]
