"""What is handed on says all of it, leads back to the page, and can do nothing where it arrives."""

from dataclasses import replace

import db
from instrumentgpt.handover.text import answer_text
from instrumentgpt.storage.markers import marker

PAGE = "http://192.0.2.7:8501/"


def test_a_copied_answer_has_links_to_its_lines_and_charts_and_no_markers(database, conversation):
    said = "Kp is high [L 7](?log=a%20b.log&line=7).\n\n{chart}\n\nNext: lower it <!-- no marker of ours -->"
    answer = db.add_message(database, conversation, "assistant", "…")
    chart = db.add_artifact(database, conversation, None, answer, "plotly", "oven [7]", "", b"{}")
    message = replace(
        db.list_messages(database, conversation)[0], content=said.format(chart=marker("plotly", chart))
    )
    text = answer_text(message, conversation, db.list_artifacts(database, answer), PAGE, ["Stopped"])
    assert text == (
        f"Kp is high [L 7]({PAGE}?conv={conversation}&log=a%20b.log&line=7).\n\n"
        f"[oven 7]({PAGE}?conv={conversation}&msg={answer})\n\n"
        "Next: lower it <!-- no marker of ours -->\n\n*Stopped*\n"
    )
