"""Steps that go against what the user laid down are marked as such, in the language of the question."""

from cases import SHARE, each, rated

from instrumentgpt.analyst.case import Task
from instrumentgpt.analyst.constraints import ACTS, Step, acts_in, mark
from instrumentgpt.instruments.faults import faults
from instrumentgpt.instruments.language import table
from tests.offline_case import asked

SAMPLES = {  # act → what forbids it
    "kp": ["Never touch the gains.", "不要更改增益", "Do not change kp before Friday", "不准調參"],
    "ki": ["Do not retune 053", "leave ki alone", "不得修改參數"],
    "kd": ["never lower kd", "kd 不要動"],
    "setpoint": ["Do not change the setpoint during the batch", "不要改設定值"],
    "stop": ["Do not stop the oven before Friday", "週五之前不要停機"],
    "restart": ["Never restart 052 before Friday", "週五之前不要重啟"],
    "replace": ["do not replace parts without my approval", "不得更換零件"],
    "open": ["Never open the oven during a run", "不要拆機台"],
    "service": ["No service before the audit", "月底前不得維修"],
    "hand": ["do not put channel 2 back to automatic", "不要切回自動"],
    "anything": ["Do not change anything before Friday", "never touch 053", "週五前不要動它", "不得更改"],
}


@each("act, wish", [(act, wish) for act, wishes in SAMPLES.items() for wish in wishes])
def test_a_wish_forbids_the_act_it_is_a_sample_of(act, wish):
    assert act in acts_in(wish) and set(SAMPLES) == set(table(ACTS))


@each("act", table(ACTS))
def test_an_act_names_faults_that_there_are(act):
    assert set(table(ACTS)[act]["faults"]) <= set(faults())


@rated("held_steps")
def test_a_wish_that_forbids_no_act_holds_nothing_back(wish):
    assert acts_in(wish) == set()


@each(
    "wish, step, held",
    [
        ("Do not touch kp", Step("oscillation_tuning", 2), True),
        ("Do not touch kp", Step("overshoot_tuning", 2), False),
        ("Do not touch the gains of channel 1", Step("oscillation_tuning", 2), False),
        ("Do not change anything", Step(gains=["kp"]), True),
        ("Do not restart it", Step("oscillation_tuning", 2), False),
        ("Keep the gains as they are until Friday", Step("oscillation_tuning", 2), True),
        ("週五之前，不要動增益", Step("oscillation_tuning", 2), True),
        ("Do not restart it", Step("ambient_disturbance"), False),
    ],
    SHARE,
)
def test_a_step_is_held_back_only_by_a_wish_about_it(wish, step, held):
    assert bool(mark(Task("why?", constraints=(wish,)), "en", step)) == held


def test_what_is_critical_is_put_up_for_decision_and_not_merely_held_back():
    task = Task("why?", constraints=("Do not stop the oven before Friday",))
    assert "yet it is critical" in mark(task, "en", Step("sensor_open", 1, critical=True))


@each(
    "question, wish, told",
    [
        (
            "what is wrong with 053?",
            "Do not change the gains before Friday.",
            "(Not to be done: it goes against",
        ),
        ("what should I do about 053?", "Never touch the gains.", "(Not to be done: it goes against"),
        ("053 怎麼辦？", "週五之前不要更改增益", "（暫不執行：與您的規定牴觸。）"),
        (
            "suggest gains for 053",
            "do not retune before the audit",
            "(Not to be done: it goes against",
        ),
        ("053 的 kp 可以調低嗎？", "不要動 kp", "（暫不執行：與您的規定牴觸。）"),
    ],
)
def test_advice_marks_the_step_that_goes_against_what_was_laid_down(tmp_path, question, wish, told):
    assert told in asked(question, tmp_path, constraints=(wish,)).text
    assert told not in asked(question, tmp_path, constraints=("Please use Celsius.",)).text
