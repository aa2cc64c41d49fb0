"""What Investigate itself says: complete in both languages, with the same fields."""

import string

import pytest

from instrumentgpt.agents.approval import approval
from instrumentgpt.modes.investigate import numbered, say


def fields(text):
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_003_11_the_buttons_say_what_is_heard_as_yes_and_no(language):
    assert approval(say("offer_yes", language)) == "yes"
    assert approval(say("offer_no", language)) == "no"
    assert approval(say("offer_save", language, ref="gen_report_1")) == "yes"


def test_texts_are_numbered():
    assert numbered(["a", "b"]) == "1. a\n2. b" and numbered([]) == ""
