"""What the evaluations of all games share: the Python interface of `Brain`."""

import json
from importlib.resources import files

from libc.stdlib cimport calloc, free

from terrarium.core.kernel cimport KernelPosition


cdef void *new_desk(const Mind *mind) noexcept nogil:
    return calloc(1, mind.desk_bytes + 1)


cdef class Brain:
    def __dealloc__(self):
        free(self.mind.desk)

    cdef const Mind *ready(self) except NULL:
        if self.mind.desk == NULL:
            self.mind.desk = new_desk(&self.mind)
        if self.mind.desk == NULL:
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
        """What else an analysis of this game shows, by name, ready for JSON."""
        return {}


def learnt(game):
    """The weights that come with the package, learnt from self-play."""
    return json.loads(files("terrarium.engine").joinpath(f"weights/{game}.json").read_text())["weights"]
