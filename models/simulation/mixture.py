"""Several kinds of calls in one pool, simulated together and read off kind by kind.

Calls of a task are taken as arriving on their own, as the formulas take them; task times are not measured.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.performance import Load
from models.request_mix import fresh_tok
from models.simulation.arrivals import arrival_times_s
from models.simulation.calls import Calls
from models.simulation.layout import SERVED
from models.simulation.run import COOL_DOWN_FRACTION, WARM_UP_FRACTION, run
from models.simulation.statistics import BATCH_COUNT, Figures, figures_of
from models.systems import BatchedPool

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
SMALLEST_DRAW = 1e-12  # a lognormal has no quantile at 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedClass:
    """What one kind of calls saw, in seconds; a figure is None where there is nothing to take it from."""

    name: str
    request_count: int
    ttft_s: Figures | None
    tpot_s: Figures | None
    e2e_s: Figures | None


def simulate_load(
    pool: BatchedPool,
    load: Load,
    *,
    request_count: int,
    seed: int,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[SimulatedClass, ...]:
    """Simulate about `request_count` calls of a load that the pool sustains, its first tenth left out.

    The same seed gives the same answer. Raises `SimulationCancelled`.
    """
    calls, kinds = _draw(load, request_count, seed)
    world = run(pool, calls, np.zeros(0), progress, cancelled)
    records = world.calls
    first, last = int(request_count * WARM_UP_FRACTION), int(request_count * (1 - COOL_DOWN_FRACTION))
    place = np.arange(request_count)
    batch = (place - first) * BATCH_COUNT // (last - first)
    served = (records["state"] == SERVED) & (place >= first) & (place < last)
    return tuple(
        _figures(each.name, records, batch, served & (kinds == index), pool.replica.overhead_s)
        for index, each in enumerate(load.classes)
    )


def _draw(load: Load, count: int, seed: int) -> tuple[Calls, IntArray]:
    """Calls of all kinds in the proportion of their rates, and which kind each is."""
    streams = [np.random.default_rng(each) for each in np.random.SeedSequence(seed).spawn(5)]
    weights = np.array([each.rate_req_per_s for each in load.classes])
    kinds = streams[0].choice(len(weights), size=count, p=weights / weights.sum())
    input_tok, fresh, output_tok = (np.ones(count, dtype=np.int64) for _ in range(3))
    for index, each in enumerate(load.classes):
        own = kinds == index
        prompts = each.input_tok.quantile(_uniform(streams[1], int(own.sum())))
        input_tok[own] = prompts.astype(np.int64)
        fresh[own] = np.rint(fresh_tok(prompts, each.cached_input_fraction)).astype(np.int64)
        output_tok[own] = each.output_tok.quantile(_uniform(streams[2], int(own.sum()))).astype(np.int64)
    calls = Calls(
        task_arrival_s=arrival_times_s(load.arrival, load.rate_req_per_s, count, streams[3]),
        input_tok=input_tok,
        fresh_tok=fresh,
        output_tok=output_tok,
        routing_draw=streams[4].random(count),
        is_high=np.zeros(count, dtype=np.bool_),
    )
    return calls, kinds


def _uniform(generator: np.random.Generator, count: int) -> FloatArray:
    return np.clip(generator.random(count), SMALLEST_DRAW, 1 - SMALLEST_DRAW)


def _figures(
    name: str,
    records: NDArray[np.void],
    batch: IntArray,
    counted: NDArray[np.bool_],
    overhead_s: float,
) -> SimulatedClass:
    own, own_batch = records[counted], batch[counted]
    several = own["output_tok"] > 1
    decoding_s = own["finish_s"] - own["first_token_s"]
    return SimulatedClass(
        name=name,
        request_count=int(counted.sum()),
        ttft_s=figures_of(own["first_token_s"] - own["arrival_s"] + overhead_s, own_batch),
        tpot_s=figures_of(decoding_s[several] / (own["output_tok"][several] - 1), own_batch[several]),
        e2e_s=figures_of(own["finish_s"] - own["arrival_s"] + overhead_s, own_batch),
    )
