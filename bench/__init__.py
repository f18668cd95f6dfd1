"""Speed against peers, measured in the same run: `make bench`, or `python -m bench [GAME …]`.

Each game is a module with `run()`, which gives its figures by name, and `TARGETS`, which of them must be at least or at
most how much. Ours and the peer's repetitions take turns, so that other work on the machine affects both equally.
"""
