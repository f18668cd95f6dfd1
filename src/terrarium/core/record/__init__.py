"""Records of games: the value, its `.terra` text and its JSON.

`value` has the record itself, `line` the parts of its tree and `node` a place in the tree. `words` splits the text into tokens, `tags` and `read`
read it, and `write` writes it. `json` converts records to dictionaries and back.
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
