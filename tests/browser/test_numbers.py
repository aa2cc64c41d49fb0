"""A number that nobody computed is marked where it stands, and counted below the answer."""

from driving import answered, ask, expect, opened, scripted_agent, speaking


def test_an_invented_number_is_marked_and_counted_in_the_pages_language(page, server):
    server.save(scripted_agent(server.home.parent, "inventing_agent.py", "57 °C, now <b>41.7</b> °C"))
    opened(page, server.address())
    ask(page, "does it stay below 57 °C?")
    answer = answered(page, 1, by="Cursor agent")
    expect(answer.get_by_title("nobody computed this")).to_have_text("41.7")
    expect(answer.get_by_title("from you")).to_have_text("57")
    expect(answer).to_contain_text("1 of 2 numbers has no source")
    expect(answer).to_contain_text("<b>41.7</b>")
    speaking(page, "zh-TW")
    opened(page, page.url)
    answer = answered(page, 1, by="Cursor agent")
    expect(answer.get_by_title("沒有來源")).to_have_css("text-decoration-style", "dotted")
    expect(answer).to_contain_text("2 個數字中有 1 個沒有來源")
