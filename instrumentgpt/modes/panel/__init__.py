"""The panel: several possible causes, examined in order by experts who remember what they said."""

from functools import partial
from pathlib import Path

from instrumentgpt.instruments.language import phrase

TABLE = Path(__file__).with_name("words.toml")
say = partial(phrase, TABLE)  # the panel's own words, in the language of the question
