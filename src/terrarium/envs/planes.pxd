# Positions as planes of numbers, which all adapters use; filled in C directly from the state.

from terrarium.core.kernel cimport Kernel, KernelPosition


cdef class Planes:
    cdef Kernel kernel
    cdef KernelPosition position    # any position of this game
    cdef bint is_nova
    cdef readonly int players
    cdef readonly int rows
    cdef readonly int columns
    cdef readonly tuple names
    cdef int count
    cdef int size
    cdef int first_number      # Terra Nova: the number of the leftmost column
    cdef int most_pioneers
    cdef int most_stones
    cdef void fill(self, const void *state, int seat, float *out) noexcept nogil
