"""Two agents asked the same: their answers stand side by side, with what of each has a source."""

from driving import answered, ask, expect, opened, scripted_agent


def test_two_agents_answers_stand_side_by_side_with_their_counts_and_the_foot_tells_the_run(page, server):
    server.save(scripted_agent(server.home.parent, "inventing_agent.py", "57 °C, now 41.7 °C"))
    opened(page, server.address())
    ask(page, "does it stay below 57 °C?")
    answered(page, 1, by="Cursor agent")
    page.get_by_role("button", name="Ask this question again").last.click()
    page.get_by_role("menuitem", name="Ask Offline analyst").or_(
        page.get_by_text("Ask Offline analyst")
    ).first.click()
    answer = answered(page, 2, by="Offline analyst")
    answer.get_by_text("Beside the earlier answer").click()
    expect(answer).to_contain_text("0 computed, 1 from you, 1 not found")
    expect(answer).to_contain_text("all computed by our own tools")
    expect(answer.get_by_title("nobody computed this")).to_have_text("41.7")
