"""Whether a gain may be changed, by the worst of the models that the log accepts."""

from collections import Counter
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.subject import choose_log
from instrumentgpt.agents.offline.case import Case
from instrumentgpt.agents.offline.phrases import phrase

LOWERED = 1 / 1.3  # what "lower" means when the question names no number: the inverse of "raise"
BETTER = 3  # sentences of an advice before it repeats the model
GRAVE = ("critical", "high")
NOT_TUNING = (
    "oscillation_tuning",
    "overshoot_tuning",
    "sluggish_tuning",
    "healthy",
)  # gains may help


def gain(case: Case) -> Iterator[str]:
    """Answer for the channel asked about, or for each; a known log is not fetched again."""
    about = yield from choose_log(case)
    asked = case.question
    factor = asked.factor or (LOWERED if asked.direction == "down" else None)
    judged = case.tool(
        "advise_gains",
        log=about.log,
        device=about.device,
        channel=asked.channel,
        gain=asked.gain or "kp",
        factor=None if asked.target else factor,
        target=asked.target,
        language=case.language,
    )["channels"]
    if len(judged) > 1:
        counts = Counter(one["answer"]["verdict"] for one in judged)
        told = {name: counts[name] for name in ("yes", "no", "not_proven")}
        yield phrase("gain_all", case.language, count=len(judged), **told) + "\n\n"
    for one in judged:
        verdict, *grounds = one["sentences"]
        yield f"- **{verdict}**\n"
        yield from (f"  - {sentence}\n" for sentence in grounds)
        if one["advice"]["proposed"]:
            yield f"  - {' '.join(one['advice_sentences'][:BETTER])}\n"
    yield from _faults_first(case, about.log, about.device)


def _faults_first(case: Case, log: str, device: str) -> Iterator[str]:
    found = case.tool(
        "diagnose_log", log=log, device=device, channel=case.question.channel, language=case.language
    )
    grave = [one for one in found["findings"] if one["severity"] in GRAVE and one["class"] not in NOT_TUNING]
    if grave:
        yield "\n" + phrase("gain_faults", case.language, text=grave[0]["summary"])
