"""The Python interface of `Brain`, common to the evaluations of all games."""

import json
from importlib.resources import files

from libc.stdlib cimport calloc, free

from terrarium.core.kernel cimport KernelPosition


cdef void *new_workspace(const Mind *mind) noexcept nogil:
    return calloc(1, mind.workspace_bytes + 1)


cdef int read_weights(list numbers, int at, int unit, float *to, int count) except -1:
    cdef int i
    for i in range(count):
        to[i] = numbers[at + i] / <double>unit
    return at + count


cdef class Brain:
    def __dealloc__(self):
        free(self.mind.workspace)

    cdef const Mind *ready(self) except NULL:
        if self.mind.workspace == NULL:
            self.mind.workspace = new_workspace(&self.mind)
        if self.mind.workspace == NULL:
            raise MemoryError
        return &self.mind

    def evaluate(self, KernelPosition position):
        """Expected win share and expected final points of each seat."""
        cdef float shares[MAX_SEATS]
        cdef float points[MAX_SEATS]
        cdef int seats = self.mind.ops.seats
        cdef const Mind *mind = self.ready()
        mind.evaluate(mind, position.state, shares, points)
        return tuple([shares[s] for s in range(seats)]), tuple([points[s] for s in range(seats)])


    def extras(self, KernelPosition position):
        """Further results of an analysis of this game, by name, ready for JSON."""
        return {}


def trained_weights(game):
    """The trained weights that come with the package."""
    return json.loads(files("terrarium.engine").joinpath(f"weights/{game}.json").read_text())["weights"]
