"""The inputs of the Settings page: one per setting, with its label, bounds and what it does."""

from dataclasses import replace
from typing import Any

import streamlit as st

from instrumentgpt.agents.registry import AGENTS
from instrumentgpt.modes.investigate.effort import STEPS
from instrumentgpt.settings import Settings
from instrumentgpt.ui import connection

COUNTS = {  # setting → its label, lowest and highest value, and what it does
    "recent_exchanges": (
        "Recent exchanges in the prompt",
        1,
        10,
        "The last exchanges go to the agent in full; older ones as a summary.",
    ),
    "prompt_tokens": (
        "Tokens of a whole prompt",
        2_000,
        32_000,
        "Request, state, summary, recalled and recent turns share them.",
    ),
    "runs_at_once": (
        "Answers at the same time",
        1,
        20,
        "Of all conversations; further questions wait in order.",
    ),
    "retention_days": (
        "Prune conversations untouched for days",
        0,
        3_650,
        "Their charts, files and caches go; messages, findings and values stay. 0: none is pruned.",
    ),
}
EFFORTS = {  # setting → its label
    "auto": "By the question",
    **{name: f"{name.capitalize()}: {count} steps" for name, count in STEPS.items()},
}
LAYERS = {  # layer of the prompt → its label
    "state": "State of the device",
    "facts": "Values, limits and errors",
    "history": "What other conversations found on the device",
    "summary": "Summary of older messages",
    "recalled": "Recalled turns",
    "recent": "Recent exchanges",
}
TOGGLES = {  # setting → its label, and what it does
    "background_summary": (
        "The agent also writes the summary",
        "In the background after its answer; it costs tokens. What would lose a number is not taken.",
    ),
}
SECONDS = {  # setting → its label, lowest and highest value
    "first_event_seconds": ("First sign of life within (s)", 5.0, 600.0),
    "silence_seconds": ("Longest silence (s)", 10.0, 1_800.0),
    "total_seconds": ("Longest answer (s)", 30.0, 7_200.0),
}


def draw_fields(settings: Settings, fixed: set[str]) -> Settings:
    """Draw one input per setting and return the settings as they stand in the form."""
    drawn = {
        **_draw_agent(settings, fixed),
        **_draw_counts(settings, fixed),
        **_draw_effort(settings, fixed),
        **_draw_layers(settings, fixed),
        **_draw_toggles(settings, fixed),
        **_draw_rule_and_inventory(settings, fixed),
        **_draw_seconds(settings, fixed),
    }
    return replace(settings, **drawn)


def _draw_agent(settings: Settings, fixed: set[str]) -> dict[str, str]:
    names = ["auto", *AGENTS]
    agent = st.selectbox(
        "Agent",
        names,
        index=names.index(settings.agent) if settings.agent in names else 0,
        format_func=_agent_label,
        disabled="agent" in fixed,
        help="Who answers. Automatic takes Cursor's if it is installed, else the offline analyst.",
    )
    model = _draw_model(settings, disabled="model" in fixed)
    path = st.text_input(
        "Path of the agent's program",
        settings.agent_path,
        disabled="agent_path" in fixed,
        placeholder="Found on PATH",
    )
    return {"agent": agent, "model": model.strip(), "agent_path": path.strip()}


def _draw_effort(settings: Settings, fixed: set[str]) -> dict[str, str]:
    effort = st.selectbox(
        "Steps that Investigate takes before it asks",
        list(EFFORTS),
        index=list(EFFORTS).index(settings.effort) if settings.effort in EFFORTS else 0,
        format_func=EFFORTS.__getitem__,
        disabled="effort" in fixed,
        help="A longer plan is proposed in parts.",
    )
    profile = st.text_input(
        "Who you are, for plans",
        settings.profile,
        disabled="profile" in fixed,
        placeholder="Service engineer; knows PID, wants figures first",
    )
    guidance = st.text_input(
        "What every plan has to keep to",
        settings.plan_guidance,
        disabled="plan_guidance" in fixed,
        placeholder="Always compare with the log before",
    )
    return {"effort": effort, "profile": profile.strip(), "plan_guidance": guidance.strip()}


def _draw_layers(settings: Settings, fixed: set[str]) -> dict[str, str]:
    layers = st.multiselect(
        "What a prompt tells beside the request",
        list(LAYERS),
        [name for name in settings.shown_layers if name in LAYERS],
        format_func=LAYERS.__getitem__,
        disabled="layers" in fixed,
        help="Nothing is lost of a layer that is left out: it is as it would be when you choose it again.",
    )
    return {"layers": ", ".join(name for name in LAYERS if name in layers)}


def _draw_toggles(settings: Settings, fixed: set[str]) -> dict[str, bool]:
    return {
        name: st.toggle(label, getattr(settings, name), disabled=name in fixed, help=told)
        for name, (label, told) in TOGGLES.items()
    }


def _draw_rule_and_inventory(settings: Settings, fixed: set[str]) -> dict[str, str]:
    rule_tag = st.text_input(
        "Tag of the rule",
        settings.rule_tag,
        disabled="rule_tag" in fixed,
        help="Put under a question about a device, for Cursor: it names the rule to follow. Empty: none.",
    )
    inventory = st.text_input("Inventory of devices", settings.inventory, disabled="inventory" in fixed)
    return {"rule_tag": rule_tag.strip(), "inventory": inventory.strip()}


def _draw_counts(settings: Settings, fixed: set[str]) -> dict[str, Any]:
    return {
        name: int(
            st.number_input(
                label,
                low,
                high,
                min(max(getattr(settings, name), low), high),
                disabled=name in fixed,
                help=told,
            )
        )
        for name, (label, low, high, told) in COUNTS.items()
    }


def _draw_seconds(settings: Settings, fixed: set[str]) -> dict[str, Any]:
    columns = st.columns(len(SECONDS))
    return {
        name: column.number_input(
            label,
            low,
            high,
            min(max(float(getattr(settings, name)), low), high),
            step=5.0,
            disabled=name in fixed,
        )
        for column, (name, (label, low, high)) in zip(columns, SECONDS.items(), strict=True)
    }


def _draw_model(settings: Settings, disabled: bool) -> str:
    """Draw the model: as text, or, once the agent has listed its models, as a choice that takes text too."""
    listed = connection.models(settings)
    if not listed:
        return st.text_input(
            "Model", settings.model, disabled=disabled, placeholder="The agent's own default"
        )
    options = list(dict.fromkeys(["", *listed, settings.model]))
    chosen = st.selectbox(
        "Model",
        options,
        index=options.index(settings.model),
        format_func=lambda name: name or "The agent's own default",
        accept_new_options=True,
        disabled=disabled,
    )
    return chosen or ""


def _agent_label(name: str) -> str:
    return AGENTS[name].label if name in AGENTS else "Automatic"
