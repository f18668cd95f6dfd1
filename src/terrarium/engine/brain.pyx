"""The common ground of the evaluations: what every game's `Brain` can be asked from Python."""

from terrarium.core.kernel cimport KernelPosition


cdef class Brain:
    def evaluate(self, KernelPosition position):
        """Expected win share and expected final points of each seat."""
        cdef float shares[MAX_SEATS]
        cdef float points[MAX_SEATS]
        self.mind.evaluate(&self.mind, position.state, shares, points)
        seats = range(self.mind.ops.seats)
        return tuple(shares[s] for s in seats), tuple(points[s] for s in seats)

    def propose(self, KernelPosition position, int width=16):
        """The actions the search would look at, as texts."""
        cdef int[::1] ids = memoryview(bytearray(4 * self.mind.ops.max_legal)).cast("i")
        cdef int count = self.mind.propose(&self.mind, position.state, width, &ids[0])
        return [str(self.kernel.action(ids[i])) for i in range(count)]
