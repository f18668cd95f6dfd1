"""Records of games: the value, its `.terra` text and its JSON.

`value` is the record itself, `line` what its tree is made of and `node` a place in it; `words` are the words of the text, `tags` and `read` read
it, `write` writes it; `json` is the same content as dictionaries.
"""

from terrarium.core.record.line import Ending, Entry, Evaluation, Line, Mark
from terrarium.core.record.node import Node
from terrarium.core.record.read import read_records
from terrarium.core.record.value import Record, Step, Turn

__all__ = [
    "Ending",
    "Entry",
    "Evaluation",
    "Line",
    "Mark",
    "Node",
    "Record",
    "Step",
    "Turn",
    "read_records",
]
