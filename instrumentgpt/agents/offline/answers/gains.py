"""Whether a gain may be changed, by the worst of the models that the log accepts."""

from collections import Counter
from collections.abc import Iterator

from instrumentgpt.agents.offline.answers.diagnosis import diagnosed
from instrumentgpt.agents.offline.answers.subject import Subject, choose_log
from instrumentgpt.agents.offline.case import Case, Result
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
    said: set[str] = set()
    for one in judged:
        _, reason, *grounds = one["sentences"]
        yield f"- **{_verdict(case, one)}**\n  - {reason}\n"
        yield from (f"  - {sentence}\n" for sentence in grounds if sentence not in said)
        said.update(grounds)
        if one["advice"]["proposed"]:
            yield f"  - {' '.join(one['advice_sentences'][:BETTER])}\n"
    yield from _faults_first(case, about)


def _verdict(case: Case, one: Result) -> str:
    """Return the tool's verdict; lowering a gain too little is not wrong, only not enough."""
    told = one["answer"]
    if told["verdict"] == "no" and told["asked"] < told["present"]:
        named = {name: told[name] for name in ("channel", "gain", "present", "asked")}
        return phrase("gain_not_enough", case.language, **named)
    return str(one["sentences"][0])


def _faults_first(case: Case, about: Subject) -> Iterator[str]:
    """Name the grave fault that gains do not repair, if the log has one."""
    found = diagnosed(case, about)
    grave = [one for one in found["findings"] if one["severity"] in GRAVE and one["class"] not in NOT_TUNING]
    if grave:
        yield "\n" + phrase("gain_faults", case.language, text=grave[0]["summary"])
