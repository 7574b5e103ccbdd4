"""Two binary heaps for the simulation: events by time, and sequences by the step they end in."""

import numpy as np
from numpy.typing import NDArray

from models.simulation.compiling import compiled

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@compiled
def push_event(times: FloatArray, codes: IntArray, count: int, time_s: float, code: int) -> None:
    """Add an event to the first `count`; the caller adds one to its count."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if times[above] < time_s or (times[above] == time_s and codes[above] <= code):
            break
        times[place] = times[above]
        codes[place] = codes[above]
        place = above
    times[place] = time_s
    codes[place] = code


@compiled
def pop_event(times: FloatArray, codes: IntArray, count: int) -> None:
    """Take the first of `count` events away; the caller takes one from its count."""
    last = count - 1
    time_s = times[last]
    code = codes[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and (
            times[right] < times[below] or (times[right] == times[below] and codes[right] < codes[below])
        ):
            below = right
        if time_s < times[below] or (time_s == times[below] and code <= codes[below]):
            break
        times[place] = times[below]
        codes[place] = codes[below]
        place = below
    times[place] = time_s
    codes[place] = code


@compiled
def push_end(keys: IntArray, calls: IntArray, count: int, key: int, call: int) -> None:
    """Add a sequence to the first `count` of one replica; the caller adds one to its count."""
    place = count
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] <= key:
            break
        keys[place] = keys[above]
        calls[place] = calls[above]
        place = above
    keys[place] = key
    calls[place] = call


@compiled
def pop_end(keys: IntArray, calls: IntArray, count: int) -> None:
    """Take the sequence that ends first away; the caller takes one from its count."""
    last = count - 1
    key = keys[last]
    call = calls[last]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= last:
            break
        right = below + 1
        if right < last and keys[right] < keys[below]:
            below = right
        if key <= keys[below]:
            break
        keys[place] = keys[below]
        calls[place] = calls[below]
        place = below
    keys[place] = key
    calls[place] = call


@compiled
def set_first(tree: IntArray, replicas: np.ndarray, replica: int) -> None:
    """Play the matches of one replica again, up to the winner in tree[1]: the earliest boundary.

    tree holds 2 n places, n a power of two; the leaves are the replicas' numbers, NOBODY where none.
    """
    place = (replica + (tree.shape[0] >> 1)) >> 1
    while place >= 1:
        left = tree[2 * place]
        right = tree[2 * place + 1]
        if right >= 0 and replicas[right].boundary_s < replicas[left].boundary_s:
            tree[place] = right
        else:
            tree[place] = left
        place >>= 1
