"""The memory inspector: what the next question brings along, where it comes from, and changing it."""

from instrumentgpt.ui.inspector.bar import bar
from instrumentgpt.ui.inspector.draw import draw
from instrumentgpt.ui.inspector.preview import next_prompt
from instrumentgpt.ui.inspector.state import draw_badges

__all__ = ["bar", "draw", "draw_badges", "next_prompt"]
