"""One replica in SimPy, as lean as SimPy allows: one process that sleeps through each step.

Sums are kept up to date from step to step and ends kept in a heap, as in `models.simulation`, so that
the comparison is of the machinery and not of the algorithm.
"""

import heapq
from collections import deque
from collections.abc import Generator
from typing import Any

import numpy as np
import simpy
from numpy.typing import NDArray

from models.simulation import Calls
from models.systems import BatchedPool


class SimpyReplica:
    """Runs the calls through one replica with the mixed scheduler; read `finish_s` afterwards."""

    def __init__(self, pool: BatchedPool, calls: Calls) -> None:
        self.pool, self.calls = pool, calls
        self.environment = simpy.Environment()
        self.waiting: deque[int] = deque()
        self.arrived = self.environment.event()
        self.finish_s: NDArray[np.float64] = np.full(len(calls.input_tok), np.nan)

    def run(self) -> "SimpyReplica":
        self.environment.process(self.arrivals())
        self.environment.process(self.steps())
        self.environment.run()
        return self

    def arrivals(self) -> Generator[Any, Any, None]:
        for call, arrival_s in enumerate(self.calls.tasks.arrival_s.tolist()):
            yield self.environment.timeout(arrival_s - self.environment.now)
            self.waiting.append(call)
            if not self.arrived.triggered:
                self.arrived.succeed()

    def steps(self) -> Generator[Any, Any, None]:
        law, slots = self.pool.replica.step, self.pool.replica.slot_count
        prompt, answer = self.calls.input_tok.tolist(), self.calls.output_tok.tolist()
        ends: list[tuple[int, int]] = []
        prompts: deque[list[int]] = deque()  # call, tokens left
        read = step = done = 0
        while done < len(prompt):
            decoded = len(ends)
            budget = left = self.pool.replica.token_budget_tok - decoded
            for each in prompts:
                chunk = min(left, each[1])
                each[1] -= chunk
                left -= chunk
            while left > 0 and self.waiting and len(ends) + len(prompts) < slots:
                call = self.waiting.popleft()
                chunk = min(left, prompt[call])
                prompts.append([call, prompt[call] - chunk])
                left -= chunk
            if decoded == 0 and left == budget:
                self.arrived = self.environment.event()
                yield self.arrived
                continue
            yield self.environment.timeout(
                law.alpha_s
                + (law.beta_s_per_seq * decoded**law.exponent if decoded else 0.0)
                + law.gamma_s_per_context_tok * read
                + law.delta_s_per_input_tok * (budget - left)
            )
            if decoded:
                step += 1
                read += decoded
            while ends and ends[0][0] == step:
                call = heapq.heappop(ends)[1]
                read -= prompt[call] + answer[call]
                self.finish_s[call] = self.environment.now
                done += 1
            while prompts and prompts[0][1] == 0:
                call = prompts.popleft()[0]
                if answer[call] == 1:
                    self.finish_s[call] = self.environment.now
                    done += 1
                else:
                    heapq.heappush(ends, (step + answer[call] - 1, call))
                    read += prompt[call] + 1
