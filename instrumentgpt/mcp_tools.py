"""Our tools as agents call them over MCP: what each takes and does, in the words that an agent reads."""

import json
import threading
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from instrumentgpt.errors import InstrumentGPTError
from instrumentgpt.instruments.language import language_of
from instrumentgpt.mcp_pages import page

NAME_CHARACTERS, TEXT_CHARACTERS = 300, 2_000  # of one argument

Name = Annotated[str, Field(max_length=NAME_CHARACTERS)]
Text = Annotated[str, Field(max_length=TEXT_CHARACTERS)]
Device = Annotated[
    Name, Field(description='name, alias or address, as list_devices has it: "zspr 052", "10.1.1.47"')
]
OfDevice = Annotated[
    Name, Field(description="the device that the log is of; empty for a file that the user dropped")
]
Log = Annotated[Name, Field(description="name of a log that fetch_log has fetched, or of a dropped file")]
Channel = Annotated[int | None, Field(description="one channel alone; null for all")]
Moment = Annotated[
    str,
    Field(
        pattern=r"^$|^(\d{4}-(0[1-9]|1[0-2])-([0-2]\d|3[01]) )?([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$",
        description='"14:20", or "2026-02-20 14:20"; empty: the end of the log',
    ),
]
Lines = Annotated[list[int], Field(max_length=100, description="numbers of the lines that show it, 1-based")]
Cursor = Annotated[Name, Field(description="to go on: a cursor from `more` of the same call; empty at first")]
Sentence = Annotated[
    Text, Field(description="one sentence with its numbers, in the language of the question")
]


class Tools:
    """The tools as an agent calls them: typed, paged, with errors that say what to do.

    task  the turn's task file, as read; {} outside of a conversation
    """

    def __init__(self, task: dict[str, Any]) -> None:
        self._task = task
        findings = "\n".join(map(str, (task.get("state") or {}).get("findings") or []))
        self._language = language_of(str(task.get("question") or ""))
        self._record = language_of(findings) if findings else self._language
        self._filed = list(map(str, (task.get("given") or {}).get("filed") or []))  # an interview's lines
        self._one_at_a_time = threading.Lock()  # a log is read once, not once per call in parallel

    def list_devices(self, cursor: Cursor = "") -> str:
        """List the devices there are. Nothing else can be reached."""
        return self._use("list_devices", cursor)

    def list_logs(self, device: Device, cursor: Cursor = "") -> str:
        """List the logs of a device, newest first. Fetches nothing."""
        return self._use("list_logs", cursor, device=device)

    def fetch_log(
        self, device: Device, log: Log = "", back: Annotated[int, Field(ge=0, le=10_000)] = 0
    ) -> str:
        """Fetch a log of a device so that the other tools can open it: the one named, else the newest,
        or the one `back` places before the newest. One that has not changed is not fetched again."""
        return self._use("fetch_log", device=device, log=log, back=back)

    def diagnose_log(
        self, log: Log, device: OfDevice = "", channel: Channel = None, cursor: Cursor = ""
    ) -> str:
        """Run all checks on a log: what is wrong, likeliest root cause first, with confidence, times,
        numbers, evidence lines, cause, next step, what was ruled out, channels' figures. It is on record."""
        record = {"language": self._language, "record": self._record}
        return self._use("diagnose_log", cursor, log=log, device=device, channel=channel, **record)

    def next_test(self, log: Log, device: OfDevice = "", channel: Channel = None, cursor: Cursor = "") -> str:
        """Return per fault of a log the one measurement that tells it from what looks most like it, what each
        outcome means, and what no log can tell."""
        wanted = {"log": log, "device": device, "channel": channel, "language": self._language}
        return self._use("next_test", cursor, **wanted)

    def channel_metrics(
        self,
        log: Log,
        device: OfDevice = "",
        channel: Channel = None,
        since: Moment = "",
        until: Moment = "",
        within: Annotated[
            float | None, Field(gt=0, le=1e6, description="deviation whose share of the time is told")
        ] = None,
        cursor: Cursor = "",
    ) -> str:
        """Return figures of each channel: gains, setpoint, band, overshoot, settling, duty, last values, and
        the least, most and mean readings between two moments."""
        given = {"log": log, "device": device, "channel": channel, "since": since, "until": until}
        return self._use("channel_metrics", cursor, **given, within=within)

    def advise_gains(
        self,
        log: Log,
        device: OfDevice = "",
        channel: Channel = None,
        gain: Literal["kp", "ki", "kd"] = "kp",
        factor: Annotated[
            float | None, Field(ge=0.001, le=1000, description="times what the gain is now")
        ] = None,
        target: Annotated[float | None, Field(ge=0, description="or the value it shall have")] = None,
        cursor: Cursor = "",
    ) -> str:
        """Say whether a gain may be changed, by the models of the plant that fit, and better gains."""
        given = {"log": log, "device": device, "channel": channel, "gain": gain}
        return self._use(
            "advise_gains", cursor, **given, factor=factor, target=target, language=self._language
        )

    def compare_logs(self, log: Log, before: Log, device: OfDevice = "", cursor: Cursor = "") -> str:
        """Say what differs in a log from an earlier one: gains, setpoints, output, noise, events.

        Of two devices, name each log with its device before a slash: "zspr 052/run.log".
        """
        return self._use(
            "compare_logs", cursor, log=log, before=before, device=device, language=self._language
        )

    def search_events(
        self,
        log: Log,
        query: Annotated[
            Text, Field(description="words, any of which the line holds; empty: all trouble")
        ] = "",
        level: Literal["any", "warning", "error", "critical"] = "any",
        device: OfDevice = "",
        cursor: Cursor = "",
    ) -> str:
        """Search the event lines of a log, grouped by what they say, the worst level first."""
        given = {"log": log, "device": device, "query": query, "level": "" if level == "any" else level}
        return self._use("search_events", cursor, **given)

    def read_lines(
        self, log: Log, first: int, last: int = 0, device: OfDevice = "", cursor: Cursor = ""
    ) -> str:
        """Read the raw lines `first` to `last` of a log, 1-based, at most 200."""
        return self._use("read_lines", cursor, log=log, first=max(first, 1), last=last, device=device)

    def look_at_time(
        self,
        log: Log,
        clock: Annotated[
            str, Field(pattern=r"^([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d)?$", description='"14:20:05"')
        ],
        device: OfDevice = "",
        cursor: Cursor = "",
    ) -> str:
        """Return readings, events and findings within a minute of a time of day."""
        return self._use("look_at_time", cursor, log=log, clock=clock, device=device, language=self._language)

    def explain_jump(
        self,
        log: Log,
        device: OfDevice = "",
        before: float | None = None,
        after: float | None = None,
    ) -> str:
        """Say why the reading `after` follows `before` on the next line; without both, the greatest jump."""
        return self._use("explain_jump", log=log, device=device, before=before, after=after)

    def plot_log(
        self,
        log: Log,
        device: OfDevice = "",
        channel: Channel = None,
        chart: Annotated[
            Name,
            Field(
                description='"loop": each channel in full; "error": pv less setpoint of all; '
                '"trend": duty, cycle, noise, offset over days'
            ),
        ] = "loop",
        channels: Annotated[list[int] | None, Field(max_length=100, description="several channels")] = None,
        since: Moment = "",
        until: Moment = "",
    ) -> str:
        """Draw a log, channels or a stretch of it, for the user: the chart appears in your answer by itself.
        Returns what it shows, in words."""
        given: dict[str, Any] = {"log": log, "device": device, "channel": channel, "channels": channels}
        given |= {"chart": chart, "since": since, "until": until}
        return self._use("plot_log", **given, language=self._language)

    def write_report(
        self,
        logs: Annotated[
            list[Log], Field(min_length=1, max_length=12, description='"device/log", or a dropped file')
        ],
        title: Name = "",
    ) -> str:
        """Write a report on logs that were fetched: one page with findings, charts and figures for each.
        It appears in your answer by itself; only the user saves it."""
        return self._use("write_report", logs=logs, title=title, language=self._language)

    def survey_devices(self, devices: list[Device] | None = None, cursor: Cursor = "") -> str:
        """Fetch and judge the newest log of every device, or of those named; the worst first."""
        return self._use("survey_devices", cursor, devices=devices, language=self._language)

    def recall(
        self,
        query: Annotated[Text, Field(description="words, numbers or names, English or Chinese")],
        cursor: Cursor = "",
    ) -> str:
        """Search what was said earlier in this conversation, word for word, beyond what the prompt holds."""
        return self._use("recall", cursor, query=query)

    def device_history(
        self,
        device: Device,
        query: Annotated[Text, Field(description="what it is about; empty: everything")] = "",
        cursor: Cursor = "",
    ) -> str:
        """Say what earlier conversations found on a device and on others of its model, with dates.
        That is history: it may help to know where to look, and says nothing of how the device is now."""
        return self._use("device_history", cursor, device=device, query=query)

    def record_finding(self, text: Sentence, log: Log, lines: Lines, device: OfDevice = "") -> str:
        """Put on record what you saw in a log, for later turns. What diagnose_log found is on record."""
        return self._use("record_finding", text=text, log=log, lines=lines, device=device)

    def record_hypothesis(
        self, text: Sentence, log: Log = "", lines: Lines | None = None, device: OfDevice = ""
    ) -> str:
        """Put on record a possible cause that is not shown yet, to be confirmed or ruled out."""
        return self._use("record_hypothesis", text=text, log=log, lines=lines or (), device=device)

    def rule_out(
        self,
        hypothesis: Annotated[Text, Field(description="as it is on record")],
        because: Annotated[Text, Field(description="the evidence against it, with its numbers")],
    ) -> str:
        """Take a hypothesis off the record, with the reason, so that nobody looks there again."""
        return self._use("rule_out", hypothesis=hypothesis, because=because)

    def confirm_root_cause(
        self, text: Sentence, log: Log = "", lines: Lines | None = None, device: OfDevice = ""
    ) -> str:
        """Put on record the root cause, when the evidence leaves no other. This closes the case."""
        return self._use("confirm_root_cause", text=text, log=log, lines=lines or (), device=device)

    def record_value(
        self,
        device: Annotated[Name, Field(description="as list_devices has it; empty: the one in question")],
        quantity: Annotated[Name, Field(description='"kp", "setpoint", "serial number"')],
        value: Annotated[
            int | float | Name, Field(description="a number or an identifier, without its unit")
        ],
        unit: Name = "",
        channel: Channel = None,
        log: Log = "",
        line: Annotated[int | None, Field(description="the line of that log that shows it, 1-based")] = None,
    ) -> str:
        """Put on record a value that no tool has reported: it replaces the one of this device, channel and
        quantity. What the tools report is on record."""
        given = {"device": device, "quantity": quantity, "unit": unit, "log": log}
        return self._use("record_value", **given, value=value, channel=channel, line=line)

    def record_constraint(
        self,
        text: Annotated[Text, Field(description="what the user forbids, limits or demands, in one sentence")],
        device: Annotated[Name, Field(description="which it is on; empty: the one in question")] = "",
    ) -> str:
        """Put on record a constraint that the user has laid down, for all later turns."""
        return self._use("record_constraint", text=text, device=device)

    def lift_constraint(
        self, text: Annotated[Text, Field(description="the constraint, as it is on record")]
    ) -> str:
        """Put on record that the user has lifted a constraint."""
        return self._use("lift_constraint", text=text)

    def note(
        self,
        slot: Literal[
            "description",
            "examples",
            "impact",
            "who",
            "context",
            "workflow",
            "must_have",
            "success_criteria",
            "constraints",
            "edge_cases",
            "proposed",
        ],
        words: Annotated[
            Text, Field(description="the user's own words, word for word; clauses may be left out")
        ],
        replaces: Annotated[
            Text, Field(description="the gathered words that these correct; empty: they add")
        ] = "",
    ) -> str:
        """File what the user said in a slot of the interview. What was tried, or proposed as a remedy, is
        "proposed", whoever says it. "must_have" is what the instrument must do; "success_criteria" by what
        one sees that it is settled; "constraints" what must not be touched, spent, or stopped."""
        found = self._use("note", slot=slot, words=words, replaces=replaces, filed=self._filed)
        self._filed.append(words)
        return found

    def _use(self, name: str, cursor: str = "", **given: Any) -> str:
        """Return a page of the tool's result as JSON; whatever goes wrong is told to the agent."""
        try:
            with self._one_at_a_time:
                from instrumentgpt.instruments.tools import TOOLS  # pandas: 0.8 s, after the handshake
                from instrumentgpt.instruments.workspace import workspace

                where = {
                    key: self._task.get(key) or "" for key in ("inventory", "cache", "artifacts", "database")
                }
                attachments = self._task.get("attachments") or ()
                place = workspace(
                    **where, attachments=attachments, conversation=self._task.get("conversation_id") or ""
                )
                found = page(TOOLS[name](place, **given), cursor)
        except InstrumentGPTError as problem:
            raise ToolError(str(problem)) from problem
        except Exception as problem:  # the edge of a tool call: the agent is told, and the server goes on
            raise ToolError(
                f"{name} failed: {type(problem).__name__}: {problem}. Try other arguments, or go on without"
            ) from problem
        text = json.dumps(found, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "replace").decode()


TOOL_NAMES = tuple(name for name in vars(Tools) if not name.startswith("_"))
