"""What users call a device: `we call it "Tallinn"`, 「庫房叫它北極」, "the peptide oven is 051".

A name is taken only where it is given: said of a device in the same sentence, by a verb of naming, or by "is"
where what stands beside it is quoted, capitalised, or describes a piece of equipment.
Nothing is taken from questions, suppositions, quotations, logs and code.
"""

from instrumentgpt.text.nicknames.naming import Kind, Naming, borne, key_of
from instrumentgpt.text.nicknames.reading import nicknames_in

__all__ = ["Kind", "Naming", "borne", "key_of", "nicknames_in"]
