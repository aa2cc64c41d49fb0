"""The Settings page: what pruning would free is shown, and how old conversations must be for it."""

from pages import PAGE_SECONDS
from streamlit.testing.v1 import AppTest

import db
from instrumentgpt.settings import settings_in_force


def drawn():
    def script():
        from instrumentgpt.ui import settings

        settings.page()

    at = AppTest.from_function(script, default_timeout=PAGE_SECONDS).run()
    assert not at.exception
    return at


def old(database, days=100):
    conversation = db.create_conversation(database, "**old** case")
    question = db.add_message(database, conversation, "user", "why?")
    db.add_artifact(database, conversation, None, question, "log", "run.log", "", bytes(range(256)) * 4_000)
    database.execute("UPDATE conversations SET updated_at = updated_at - ?", (days * 86_400,))
    return conversation


def told(at):
    return " ".join(str(one.value) for kind in ("markdown", "caption", "success") for one in at.get(kind))


def test_what_would_go_is_shown_with_its_size_and_nothing_is_changed(database):
    conversation = old(database)
    at = drawn()
    assert "**1 conversation, " in told(at) and "would go" in told(at) and "cannot be undone" in told(at)
    assert "\\*\\*old\\*\\* case" in told(at)
    assert db.list_artifacts(database, db.list_messages(database, conversation)[0].id)[0].removed_at is None


def test_younger_conversations_are_not_listed(database):
    old(database, days=10)
    assert "None of 90 days or more" in told(drawn())


def test_the_days_of_retention_are_saved(database):
    at = drawn()
    label = "Prune conversations untouched for days"
    next(one for one in at.number_input if one.label == label).set_value(180)
    next(button for button in at.button if button.label == "Save").click().run()
    assert settings_in_force(db.get_settings(database)).retention_days == 180
