"""What a mode adds below a conversation, and the panel to its answers.

Investigate's plan that waits, to be changed; how far an interview is, and a form with all of it; the panel's
sub-problems, how far each is, and their editor.
"""

from collections.abc import Callable, Collection, Mapping

import streamlit as st
from sqlite_utils import Database

import db
from instrumentgpt.instruments.devices import load_inventory
from instrumentgpt.instruments.faults import cause_title
from instrumentgpt.instruments.language import Language
from instrumentgpt.modes.interview import statement, texts
from instrumentgpt.modes.interview.replies import GAPS, NEEDED, PHASES, REMARKS, SLOTS, Interview
from instrumentgpt.modes.interview.statement import DEFAULT, template_label, templates
from instrumentgpt.modes.investigate.decisions import MODE, ModeState, Pending
from instrumentgpt.modes.panel.display import folded, without_editing
from instrumentgpt.modes.panel.experts import Expert, read_experts, written
from instrumentgpt.modes.panel.session import PartProgress, Progress, going_on, read_progress
from instrumentgpt.modes.state import read_state
from instrumentgpt.settings import Settings, home
from instrumentgpt.storage.history import places
from instrumentgpt.ui import composer, session, untrusted
from instrumentgpt.ui import language as page
from instrumentgpt.ui.controls import chosen, several, text_field
from instrumentgpt.ui.language import say


def draw_plan(database: Database, conversation_id: str, settings: Settings) -> None:
    """Draw the editor if the newest answer, one of Investigate, proposed a plan of known devices or steps."""
    _, turns = places(database, conversation_id)
    pending = read_state(database, conversation_id, MODE, ModeState).of_turns(turns).pending
    if pending is None or pending.kind != "proposal" or not (pending.devices or pending.steps):
        return
    with st.expander(say("Change the plan"), icon=":material/edit:", key=f"plan-{turns[-1]}"):
        _draw_plan_editor(pending, settings, turns[-1])


def _draw_plan_editor(pending: Pending, settings: Settings, turn: int) -> None:
    names = [device.name for device in load_inventory(settings.inventory).devices]
    proposed = [name for name in pending.devices if name in names]
    words = {name: name for name in names}
    devices = several(say("Devices"), words, f"plan-devices-{turn}", default=proposed)
    numbered = {number: f"{number}. {step.description}" for number, step in enumerate(pending.steps, start=1)}
    label, key = say("Steps, in this order"), f"plan-steps-{turn}"
    steps = st.multiselect(label, list(numbered), list(numbered), format_func=numbered.__getitem__, key=key)
    text = f"devices: {', '.join(devices)}" + (f"\nsteps: {', '.join(map(str, steps))}" if steps else "")
    disabled = not devices or (bool(numbered) and not steps)
    composer.draw_ask(say("Show the changed plan"), text, mode=MODE, disabled=disabled)
    st.caption(say("It is shown again before anything is carried out."))


PHASE_NAMES = {
    "problem_discovery": "Problem",
    "user_analysis": "Users",
    "requirements": "Requirements",
    "edge_cases": "Edge cases",
    "wrap_up": "Summary",
}
DONE, MISSING, LEFT = ":green[:material/check_circle:]", ":orange[:material/help:]", ":material/remove:"
IN_FORM = [slot for slot in SLOTS if slot != REMARKS]


def draw_interview(database: Database, conversation_id: str) -> None:
    """Draw what goes with an interview, which the conversation's newest question belongs to."""
    interview, messages = statement.read_interview(database, conversation_id)
    language = statement.language_of_talk(messages)
    with st.container(horizontal=True, gap="xsmall", key="interview"):
        if interview.turn:
            _draw_progress(database, conversation_id, interview)
            if interview.phase != PHASES[-1]:
                for name in ("unknown", "enough"):  # what may be said instead of an answer
                    text, key = texts("offers")[name][language], f"interview-{name}-{conversation_id}"
                    composer.draw_ask(text, text, key, statement.MODE, type="tertiary")
    if interview.turn:
        _draw_slots(conversation_id, interview, language)


def _draw_slots(conversation_id: str, interview: Interview, language: Language) -> None:
    """Draw all slots, to be filled in or changed; what is changed is sent as a message, a line for each."""
    labels = texts("labels")
    key = f"interview-form-{conversation_id}-{interview.turn}"
    label = say("Fill in or change everything at once")
    expander = st.expander(label, icon=":material/edit_note:", key=f"{key}-all")
    with expander, st.form(key, border=False):
        st.caption(say("In your own words, a line for each. What you change is sent as a message."))
        columns = st.columns(2)
        for place, slot in enumerate(IN_FORM):
            columns[place % 2].text_area(
                labels[slot][language],
                "\n".join(interview.lines.get(slot, ())),
                key=f"{key}-{slot}",
                height=80,
            )
        words = {slot: labels[slot][language] for slot in IN_FORM}
        left = [slot for slot in interview.left if slot in IN_FORM]
        several(say("I don't know"), words, f"{key}-unknown", default=left)
        st.form_submit_button(say("Send the changes"), on_click=_send_form, args=(key, interview, language))


def _send_form(key: str, interview: Interview, language: Language) -> None:
    colon, unknown = (": " if language == "en" else "："), texts("offers")["unknown"][language]
    rows = []
    for slot in IN_FORM:
        lines = [line.strip() for line in st.session_state[f"{key}-{slot}"].split("\n") if line.strip()]
        if lines != list(interview.lines.get(slot, ())):
            rows += [(slot, line) for line in lines] or [(slot, "–")]
        elif not lines and slot in st.session_state[f"{key}-unknown"] and slot not in interview.left:
            rows.append((slot, unknown))
    if rows:
        message = "\n".join(f"- {texts('labels')[slot][language]}{colon}{line}" for slot, line in rows)
        composer.propose(message, mode=statement.MODE)


def _draw_progress(database: Database, conversation_id: str, interview: Interview) -> None:
    """Draw how far the interview is, and the choice of its template and of what it is saved as."""
    open_ = set(interview.gaps)
    clear = say("{count} of {all} clear", count=len(interview.known), all=len(GAPS))
    label = f"{say(PHASE_NAMES[interview.phase])} · {clear}"
    with st.popover(label, icon=":material/checklist:", help=say("How far the interview is")):
        st.markdown(_phases(interview.phase, open_))
        st.markdown("  \n".join(_gap(interview, gap, open_) for gap in GAPS))
        names, choices = list(templates(home())), statement.read_choices(database, conversation_id)
        key = f"interview-template-{conversation_id}"
        st.session_state[key] = choices["template"] if choices.get("template") in names else DEFAULT
        words = {name: template_label(name, page.language()) for name in names}
        chosen(say("Template"), words, key, on_change=_choose, args=(conversation_id, "template", key))
        key = f"interview-target-{conversation_id}"
        st.session_state[key] = choices.get("target", "")
        hint, args = say("template, instrument and date"), (conversation_id, "target", key)
        text_field(say("Save as"), key, hint, _choose, *args, max_chars=60)


def _phases(phase: str, open_: Collection[str]) -> str:
    """Return the phases as one line, the one in force in bold."""
    parts = []
    for name in PHASES:
        is_done = name != PHASES[-1] and not any(gap in open_ for gap in NEEDED[name])
        words = f"**{say(PHASE_NAMES[name])}**" if name == phase else say(PHASE_NAMES[name])
        parts.append(f"{DONE} {words}" if is_done else words)
    return " → ".join(parts)


def _gap(interview: Interview, gap: str, open_: Collection[str]) -> str:
    """Return one gap as a line: what fills it, how it was left, or that it is missing."""
    lines = interview.held(gap)
    if gap in open_:
        needed = next(gaps[gap] for gaps in NEEDED.values() if gap in gaps)
        count = say("{count} of {all}", count=len(lines), all=needed)
        return f"{MISSING} {say(GAPS[gap])}" + (f" ({count})" if lines else "")
    if not lines:
        return f"{LEFT} {say(GAPS[gap])}: {texts('open')[interview.left[gap]][page.language()]}"
    return f"{DONE} {untrusted.label(lines[-1], 70)}"


def _choose(conversation_id: str, name: str, key: str) -> None:
    choice = {name: str(st.session_state[key] or "").strip()}
    session.in_database(statement.choose, conversation_id, **choice)


PANEL = "panel"
GOAL_CHARACTERS = 90
CODES_CHARACTERS = 400
HEADING_CHARACTERS = 300
LOOK_SECONDS = 1.0  # between two looks at a panel that goes on
ICONS = {
    "done": ":green[:material/check_circle:]",
    "now": ":material/pending:",
    "waiting": ":material/circle:",
}


def draw_panel(database: Database, conversation_id: str, answering: bool) -> bool:
    """Draw the newest panel, to which the conversation's newest question was; False if there is none."""
    progress = read_progress(database, conversation_id)
    if progress is None or progress.panel.status == "dropped":
        return False
    is_proposed = progress.panel.status == "proposed"
    with st.container(key="panel", border=answering or not is_proposed):
        if answering:
            _follow(conversation_id)
            return True
        if is_proposed:  # the sub-problems stand above, in the proposal
            with st.expander(say("Change the sub-problems"), icon=":material/edit:"):
                key = f"panel-plan-{progress.panel.id}"
                label, plan = say("One line each: goal | experts | after …"), written(progress.plan)
                names = untrusted.label(", ".join(read_experts(home())), CODES_CHARACTERS)
                with st.form(f"{key}-form", border=False):  # a click on its button is no click beside it
                    st.text_area(label, plan, key=key, height="content")
                    st.caption(say("Experts: {names}", names=names))
                    st.form_submit_button(say("Send the changed list"), on_click=_send_parts, args=(key,))
            return True
        _draw_steps(progress)
        newest = db.list_messages(database, conversation_id, last=1)
        offers = newest and db.list_offers(database, newest[0].id)  # one that was cut off could make none
        if progress.panel.status == "running" and not offers:
            offer = going_on(progress)
            look = {"icon": ":material/play_arrow:", "type": "primary"}
            composer.draw_ask(offer.label, offer.text, mode=offer.mode, **look)
    return True


@st.fragment(run_every=LOOK_SECONDS)
def _follow(conversation_id: str) -> None:
    """Draw how far the panel is, again and again while it goes on."""
    if progress := session.in_database(read_progress, conversation_id):
        _draw_steps(progress)


def _draw_steps(progress: Progress) -> None:
    """Draw a line per sub-problem: how far it is, what leads, who dissents, what it cost."""
    experts = read_experts(home())
    st.markdown("  \n".join(_step(part, experts, progress.language) for part in progress.parts))


def _step(step: PartProgress, experts: Mapping[str, Expert], language: Language) -> str:
    goal = untrusted.label(step.part.goal, GOAL_CHARACTERS)
    notes = [say("{count} of {all} experts", count=len(step.spoken), all=len(step.part.experts))]
    if step.result and step.result.cause:
        notes.append(say("{cause} leads", cause=untrusted.label(cause_title(step.result.cause, language))))
    if step.result and step.result.dissent:
        names = ", ".join(experts[code].name(language) for code in step.result.dissent if code in experts)
        count = len(step.result.dissent)
        words = say("{names} {count:?dissents|dissent}", names=untrusted.label(names), count=count)
        notes.append(f":orange[{words}]")
    if step.tokens:
        notes.append(f"{step.tokens:,} tokens")
    state = f" :gray[· {' · '.join(notes)}]" if step.spoken else ""
    return f"{ICONS[step.status]} **{step.part.id}.** {goal}{state}"


def _send_parts(key: str) -> None:
    composer.propose(str(st.session_state[key]), mode=PANEL)


def draw_answer(content: str, draw_words: Callable[[str], None]) -> None:
    """Draw `content`; words go through `draw_words`, which puts charts where their markers stand."""
    parts = folded(content)
    if parts is None:
        draw_words(without_editing(content))
        return
    draw_words(parts.opening)
    draw_words(parts.ending)
    for heading, text in parts.parts:
        with st.expander(untrusted.label(heading, HEADING_CHARACTERS)):
            draw_words(text)
    if parts.costs:
        with st.expander(say("What it cost")):
            draw_words(parts.costs)
