"""One value of one device, what a value can be, and which device a text names."""

from instrumentgpt.memory.facts.devices import Names, device_named
from instrumentgpt.memory.facts.errors import errors_in
from instrumentgpt.memory.facts.fact import Fact
from instrumentgpt.memory.facts.labels import is_known, name_of
from instrumentgpt.memory.facts.values import value_in

__all__ = ["Fact", "Names", "device_named", "errors_in", "is_known", "name_of", "value_in"]
