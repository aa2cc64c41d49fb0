"""One value of one device, what a value can be, and which device a text names."""

from instrumentgpt.text.facts.devices import Names, device_named
from instrumentgpt.text.facts.errors import errors_in
from instrumentgpt.text.facts.fact import Fact
from instrumentgpt.text.facts.labels import is_known, name_of
from instrumentgpt.text.facts.values import value_in

__all__ = ["Fact", "Names", "device_named", "errors_in", "is_known", "name_of", "value_in"]
