"""What a tool could not do is told in the language of the conversation."""

import pytest
from offline_case import asked

STATE = {
    "device_name": "zspr 052",
    "device_ip": "10.1.1.47",
    "last_log_file": "InstrumentDebug_2026-02-19_23-24-45.39.log",
}
GONE = {**STATE, "last_log_file": "InstrumentDebug_2026-01-01_00-00-00.00.log"}


@pytest.mark.parametrize(
    ("question", "state", "told"),
    [
        ("052 通道 9 的增益是多少？", {}, "沒有通道 9。它有：1, 2, 3, 4"),
        ("what are the gains of channel 9 of 052?", {}, "has no channel 9. It has: 1, 2, 3, 4"),
        ("log 裡有什麼錯誤？", GONE, "不在這裡。請先下載它"),
        ("any errors in the log?", GONE, "is not here. Fetch it"),
    ],
)
def test_what_a_tool_could_not_do_is_told_in_the_language_of_the_question(tmp_path, question, state, told):
    assert told in asked(question, tmp_path, state=state).text
