"""Values that a message states, each of one device and parameter: `kp` of zspr 052 is 0.12.

Structure is read before phrases: configurations, tables, `key: value` and bold labels, then sentences about
quantities that have a name (synonyms.toml), or got one earlier in the conversation.
What is asked, denied, proposed, supposed, quoted, or stands in log lines or programs is no fact.
"""

from instrumentgpt.text.facts.devices import Names, device_named
from instrumentgpt.text.facts.errors import errors_in
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.heard import Heard
from instrumentgpt.text.facts.labels import is_known, name_of, parameter_named
from instrumentgpt.text.facts.reading import facts_in
from instrumentgpt.text.facts.values import value_in

__all__ = [
    "Fact",
    "Heard",
    "Names",
    "device_named",
    "errors_in",
    "facts_in",
    "is_known",
    "name_of",
    "parameter_named",
    "value_in",
]
