"""Speed compared with other libraries, measured in the same run: `make bench`, or `python -m bench [TOPIC …]`.

Each topic is a module with `run()`, which returns figures by name, and `TARGETS`, the lowest or highest value allowed
for some of them. Our repetitions and those of the other library alternate, so that other work on the machine affects both equally.
"""
