"""How long a task takes that makes several calls: one after another, and several at once.

Calls one after another behave as independent ones (product form: a shared station and pauses), and a
fan-out ends with its slowest call.
"""

import numpy as np
from numpy.typing import NDArray

from models.fixed_sample import shuffles

FloatArray = NDArray[np.float64]


def slowest_of(call_s: FloatArray, fan_out_count: int) -> FloatArray:
    """The slowest of `fan_out_count` independent calls, at as many points as the sample of one call."""
    if fan_out_count <= 1:
        return call_s
    ordered = np.sort(call_s)
    middles = (np.arange(len(ordered)) + 0.5) / len(ordered)
    slowest: FloatArray = np.interp(middles ** (1.0 / fan_out_count), middles, ordered)
    return slowest


def task_sample(
    call_s: FloatArray, sequential_call_count: int, pause_s: float, fan_out_count: int
) -> FloatArray:
    """Task times in seconds: rounds of parallel calls in sequence, with a pause between two rounds.

    The sum of independent rounds is built by doubling, each time in another fixed order.
    """
    if sequential_call_count == 1 and fan_out_count <= 1:
        return call_s
    total = np.zeros_like(call_s)
    power = slowest_of(call_s, fan_out_count)
    if fan_out_count > 1:
        power = power[shuffles(len(power), 1)[0]]
    remaining = sequential_call_count
    orders = shuffles(len(call_s), 2 * max(sequential_call_count.bit_length(), 1))
    for turn in range(sequential_call_count.bit_length()):
        if remaining & 1:
            total = total + power[orders[2 * turn]]
        remaining >>= 1
        if remaining:
            power = power + power[orders[2 * turn + 1]]
    return total + pause_s * (sequential_call_count - 1)
