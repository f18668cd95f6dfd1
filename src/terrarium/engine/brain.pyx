"""The common ground of the evaluations: what every game's `Brain` can be asked from Python."""

import json
from importlib.resources import files

from terrarium.core.kernel cimport KernelPosition


cdef class Brain:
    def evaluate(self, KernelPosition position):
        """Expected win share and expected final points of each seat."""
        cdef float shares[MAX_SEATS]
        cdef float points[MAX_SEATS]
        cdef int seats = self.mind.ops.seats
        self.mind.evaluate(&self.mind, position.state, shares, points)
        return tuple([shares[s] for s in range(seats)]), tuple([points[s] for s in range(seats)])


    def extras(self, KernelPosition position):
        """What else an analysis of this game shows, by name, ready for JSON."""
        return {}


def learnt(game):
    """The weights that come with the package, learnt from self-play."""
    return json.loads(files("terrarium.engine").joinpath(f"weights/{game}.json").read_text())["weights"]
