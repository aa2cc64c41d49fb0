"""“61.9, then 29.4 on the next line: why?” — from the log, or from the lines that were pasted."""

from collections.abc import Iterator

from instrumentgpt.analyst.case import Case, Result, Subject, ToolFailed, choose_log
from instrumentgpt.analyst.words import moment, plain_text, quoted
from instrumentgpt.instruments.pasted import LOG_LINES


def jump(case: Case) -> Iterator[str]:
    """Explain the jump, or ask for the lines."""
    before, after = case.question.values or (None, None)
    if len(case.question.pasted) >= 2:
        yield from _pasted(case)
        if len(case.question.pasted) >= LOG_LINES and case.question.values is None:
            yield "\n\n" + case.say("excerpt_many", lines=len(case.question.pasted))
        return
    assert before is not None and after is not None, "the intent comes from two values or from pasted lines"
    if not case.device and not case.task.attachments and not case.state_field("last_log_file"):
        yield case.say("jump_ask", before=before, after=after) + "\n\n"
        yield case.say("jump_order")
        return
    about = choose_log(case)
    values = {"before": before, "after": after, "tolerance": tolerance(case.question.text, before, after)}
    result = case.tool("explain_jump", **about.named, **values)
    if result["jump"] is None:
        numbers = {"before": before, "after": after, "lines": result["total_lines"]}
        yield case.say("jump_not_found", log=quoted(about.log), **numbers) + "\n\n"
        yield case.say("jump_order")
        return
    yield from explained(case, about, result)


def tolerance(text: str, *values: float) -> float:
    """Return half of the last digit in which the values stand in `text`.

    >>> tolerance("61.9 then 29.4", 61.9, 29.4), tolerance("62 then 29.41", 62.0, 29.41)
    (0.05, 0.5)
    """
    digits = [len(word.partition(".")[2]) for word in (f"{value:g}" for value in values) if word in text]
    return 0.5 * 10.0 ** -min(digits, default=1)


def _pasted(case: Case) -> Iterator[str]:
    before, after = case.question.values or (None, None)
    lines, result, reason = list(case.question.pasted), Result(jump=None), ""
    try:
        result = case.tool("explain_jump", lines=lines, before=before, after=after)
        if result["jump"] is None:
            result = case.tool("explain_jump", lines=lines)
    except ToolFailed as problem:
        reason = plain_text(str(problem))
    if result["jump"] is None:
        yield case.say("jump_no_lines", count=len(lines), need=2, reason=reason)
    else:
        yield from explained(case, Subject(""), result)


def explained(case: Case, about: Subject, result: Result) -> Iterator[str]:
    """Yield verdict, the lines, and what follows, from the result of `explain_jump`."""
    jump = result["jump"]
    before, after = jump["before"], jump["after"]
    change, seconds = abs((after["pv"] or 0) - (before["pv"] or 0)), jump["seconds"]
    rates = {"rate": jump["rate"], "usual": jump["usual_rate"], "returns": jump["returns"]}
    numbers = {name: float("nan") if value is None else value for name, value in rates.items()}
    numbers |= {"before": before["pv"], "sp_before": before["setpoint"], "first": before["channel"]}
    numbers |= {"after": after["pv"], "sp_after": after["setpoint"], "second": after["channel"]}
    numbers |= {"gap": seconds, "change": change, "needed": change / (abs(seconds) or 1)}
    told = {"seconds": seconds, "unit": result["unit"], "lines": result["samples"]}
    if jump["kind"] == "spike":
        told["seconds"] = jump["back"]["time"] - after["time"]
    yield case.say(_key(jump), **told, **numbers) + "\n\n"
    for reading in (before, after, jump["back"], jump["own"]):
        if reading:
            fields = {"clock": moment(reading["clock"]), "channel": reading["channel"]}
            yield case.item("jump_quote", line=_line(about, reading), text=quoted(reading["text"]), **fields)
    yield from _more(case, about, jump, result["unit"])


def _key(jump: Result) -> str:
    """Return the key of the verdict: what is too small for a jump needs no usual rate beside it."""
    usual = jump["usual_rate"]
    if jump["kind"] == "possible" and jump["small"] and (usual is None or jump["rate"] > usual):
        return "jump_small"
    few = jump["kind"] == "setpoint_step" and usual is None
    return f"jump_{jump['kind']}" + ("_few" if few else "")


def _more(case: Case, about: Subject, jump: Result, unit: str) -> Iterator[str]:
    own_next, back = jump["own"], jump["back"]
    if own_next:
        change = own_next["pv"] - jump["before"]["pv"]
        seconds = own_next["time"] - jump["before"]["time"]
        fields = {"channel": own_next["channel"], "pv": own_next["pv"], "change": change, "seconds": seconds}
        yield "\n" + case.say("jump_own_next", line=_line(about, own_next), **fields)
    if back and jump["usual_rate"] is not None:
        fields = {"unit": unit, "usual": jump["usual_rate"], "line": _line(about, back), "pv": back["pv"]}
        yield "\n" + case.say("jump_usual", **fields)
    if jump["kind"] == "spike":
        yield "\n\n" + case.say("jump_action_spike", channel=jump["after"]["channel"])


def _line(about: Subject, reading: Result) -> str:
    return about.link(reading["line"]) if about.log else f"L {reading['line']}"
