"""A call of each of our tools, for a workspace that has the two newest logs of zspr 053."""

NEWEST, OLDER = "InstrumentDebug_2026-02-20_08-47-19.73.log", "InstrumentDebug_2026-02-16_11-20-41.17.log"
LOG = {"log": NEWEST, "device": "zspr 053"}
CALLS = {
    "list_devices": {},
    "list_logs": {"device": "zspr 053"},
    "fetch_log": {"device": "10.1.1.112"},
    "diagnose_log": LOG,
    "channel_metrics": LOG,
    "column_figures": {**LOG, "columns": ["pv 1"], "above": 40.0, "beside": "output 1"},
    "plot_log": LOG,
    "search_events": {**LOG, "query": "barcode"},
    "read_lines": {**LOG, "first": 3, "last": 900},
    "look_at_time": {**LOG, "clock": "09:00"},
    "compare_logs": {**LOG, "before": OLDER},
    "output_over_logs": LOG,
    "advise_gains": {**LOG, "channel": 2},
    "survey_devices": {},
    "survey_logs": {"device": "zspr 053"},
    "shift_report": {"since": "2026-02-19 06:00"},
    "write_report": {"logs": [f"zspr 053/{NEWEST}"]},
    "recall": {"query": "溫度波動"},
    "device_history": {"device": "zspr 053", "query": "溫度波動"},
    "record_finding": {**LOG, "text": "the lid was open", "lines": [3]},
    "record_hypothesis": {"text": "the fan has stopped"},
    "rule_out": {"hypothesis": "the fan has stopped", "because": "fan at 2,900 rpm throughout"},
    "confirm_root_cause": {"text": "kp is too high"},
    "record_value": {**LOG, "quantity": "kp", "value": 9, "channel": 2, "line": 900},
    "record_constraint": {"text": "the lid stays shut until Friday", "device": "zspr 053"},
    "lift_constraint": {"text": "do not touch the gains", "words": "you may touch the gains"},
    "note": {"slot": "description", "words": "為什麼溫度波動"},
}
