"""A text is in the language of its own sentences, whatever names, messages and logs stand in it."""

from cases import rated

from instrumentgpt.instruments.language import language_of


@rated("language")
def test_a_chinese_question_stays_chinese_however_much_latin_text_is_in_it(text):
    assert language_of(text) == "zh"


@rated("language")
def test_an_english_question_stays_english_though_it_names_or_quotes_chinese(text):
    assert language_of(text) == "en"


def test_a_text_that_is_nothing_but_a_quotation_goes_by_what_is_quoted():
    assert language_of("「溫度波動」") == "zh"
