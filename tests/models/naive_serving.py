"""A second, slow simulation: every sequence of every step by itself, with nothing kept up to date.

Written apart from `models.simulation` and in another way, so that both are wrong alike only if the
definition is. Same order at equal times: arrivals, then events of calls, then replicas by number.
"""

import math
from dataclasses import dataclass, field

from models.simulation import Calls
from models.systems import AFTER_TRANSFER, BatchedPool, PipelinePool, System, TandemPools


@dataclass(slots=True, eq=False)
class Seen:
    """One call and what happened to it."""

    number: int
    prompt: int
    fresh: int
    answer: int
    high: bool
    draw: float
    arrival_s: float = math.nan
    ready_s: float = math.nan
    start_s: float = math.nan
    first_token_s: float = math.nan
    finish_s: float = math.nan
    left: int = 0
    token_count: int = 0
    last_token_s: float = math.nan
    gave_up: bool = False
    refused: bool = False
    served: bool = False

    @property
    def need(self) -> int:
        return self.prompt + self.answer


@dataclass(slots=True)
class Machine:
    """One replica: who waits, who is in a slot, and the step it runs."""

    waiting: list[Seen] = field(default_factory=list)
    held: list[Seen] = field(default_factory=list)
    in_step: list[tuple[Seen, int]] = field(default_factory=list)  # (call, prompt tokens; 0 decodes)
    boundary_s: float = math.inf
    runs: bool = False
    free_s: float = 0.0
    passes: list[tuple[float, Seen]] = field(default_factory=list)

    def next_waiting(self) -> Seen | None:
        high = [call for call in self.waiting if call.high]
        return (high or self.waiting or [None])[0]

    def fits(self, call: Seen, slots: int, kv: float) -> bool:
        return len(self.held) < slots and sum(each.need for each in self.held) + call.need <= kv


class NaiveServing:
    """Runs the calls through the system; read `seen` and `gaps_s` afterwards."""

    def __init__(self, system: System, calls: Calls) -> None:
        self.system, self.calls = system, calls
        self.seen = [
            Seen(number, int(p), int(f), int(n), bool(h), float(u))
            for number, (p, f, n, h, u) in enumerate(
                zip(
                    calls.input_tok,
                    calls.fresh_tok,
                    calls.output_tok,
                    calls.is_high,
                    calls.routing_draw,
                    strict=True,
                )
            )
        ]
        self.rounds: list[list[list[Seen]]] = []  # of each task
        self.place: dict[int, tuple[int, int]] = {}  # task and round of each call
        coming = iter(self.seen)
        for task, (count, size) in enumerate(
            zip(calls.tasks.round_count, calls.tasks.fan_out_count, strict=True)
        ):
            self.rounds.append([[next(coming) for _ in range(size)] for _ in range(count)])
            for number, calls_of_round in enumerate(self.rounds[-1]):
                self.place |= {call.number: (task, number) for call in calls_of_round}
        self.gaps_s: list[float] = []
        self.events: list[tuple[float, int, int]] = []  # time, call, kind in the order below
        self.turn = 0
        if isinstance(system, TandemPools):
            replica, count = system.replica, system.replica_count
            self.idle_workers = system.prefill.worker_count
            self.prefill_queue = Machine()
            self.links = [0.0] * system.transfer.link_count
        elif isinstance(system, BatchedPool):
            replica, count = system.replica, system.replica_count
        else:
            replica, count = system.pipeline, system.replica_count
        self.replica = replica
        self.slots = replica.slot_count
        self.kv = math.inf if replica.kv_capacity_tok is None else int(replica.kv_capacity_tok)
        self.machines = [Machine() for _ in range(count)]

    # An event's kind decides between events of one call at one time.
    SUBMIT, PREFILLED, JOIN, FINISH, GIVE_UP = range(5)

    def run(self) -> "NaiveServing":
        tasks = self.calls.tasks
        arrivals = list(tasks.arrival_s)
        task = 0
        while True:
            arrival_s = arrivals[task] if task < len(arrivals) else math.inf
            self.events.sort()
            event_s = self.events[0][0] if self.events else math.inf
            at = min(range(len(self.machines)), key=lambda each: (self.machines[each].boundary_s, each))
            boundary_s = self.machines[at].boundary_s
            now = min(arrival_s, event_s, boundary_s)
            if now == math.inf:
                return self
            if arrival_s == now:
                for call in self.rounds[task][0]:
                    self.submit(call, now)
                task += 1
            elif event_s == now:
                _, number, kind = self.events.pop(0)
                self.happen(kind, self.seen[number], now)
            elif isinstance(self.system, PipelinePool):
                self.serve(self.machines[at], now)
            else:
                self.end_step(self.machines[at], now)
                self.begin_step(self.machines[at], now)

    def submit(self, call: Seen, now: float) -> None:
        call.arrival_s = now
        call.left = call.fresh
        if call.need > self.kv:
            call.refused = True
            self.leave(call, now)
            return
        if self.calls.patience_s is not None:
            self.events.append((now + float(self.calls.patience_s[call.number]), call.number, self.GIVE_UP))
        if isinstance(self.system, TandemPools):
            self.prefill_queue.waiting.append(call)
            if self.idle_workers:
                self.idle_workers -= 1
                self.begin_prefill(now)
        else:
            self.join(call, now)

    def happen(self, kind: int, call: Seen, now: float) -> None:
        if kind == self.SUBMIT:
            self.submit(call, now)
        elif kind == self.PREFILLED:
            self.hand_over(call, now)
        elif kind == self.JOIN:
            if call.answer == 1:
                self.leave(call, now)
            else:
                self.join(call, now)
        elif kind == self.FINISH:
            machine = next(each for each in self.machines if call in each.held)
            machine.held.remove(call)
            self.leave(call, now)
            self.take_slots(machine, now)
            machine.boundary_s = min(machine.boundary_s, max(now, machine.free_s))
        elif not call.served:
            call.gave_up = True
            queues = [*self.machines]
            if isinstance(self.system, TandemPools):
                queues.append(self.prefill_queue)
            for machine in queues:
                if call in machine.waiting:
                    machine.waiting.remove(call)

    def leave(self, call: Seen, now: float) -> None:
        call.finish_s = now
        task, place = self.place[call.number]
        rounds = self.rounds[task]
        if place + 1 == len(rounds) or any(math.isnan(each.finish_s) for each in rounds[place]):
            return
        for each in rounds[place + 1]:
            self.events.append((now + float(self.calls.tasks.pause_s[task]), each.number, self.SUBMIT))

    def begin_prefill(self, now: float) -> None:
        call = self.prefill_queue.next_waiting()
        if call is None:
            self.idle_workers += 1
            return
        self.prefill_queue.waiting.remove(call)
        call.served, call.start_s = True, now
        pool = self.system.prefill
        service_s = pool.alpha_s + pool.delta_s_per_input_tok * call.fresh
        self.events.append((now + service_s, call.number, self.PREFILLED))

    def hand_over(self, call: Seen, now: float) -> None:
        call.first_token_s = now
        late = self.system.first_token == AFTER_TRANSFER
        if call.answer == 1 and not late:
            self.leave(call, now)
        else:
            transfer = self.system.transfer
            link = self.links.index(min(self.links))
            ready = max(now, self.links[link]) + (transfer.base_s + transfer.s_per_tok * call.prompt)
            self.links[link] = ready
            call.first_token_s = ready if late else now
            self.events.append((ready, call.number, self.JOIN))
        self.begin_prefill(now)

    def join(self, call: Seen, now: float) -> None:
        machine = self.route(call)
        machine.waiting.append(call)
        if isinstance(self.system, PipelinePool):
            self.take_slots(machine, now)
            machine.boundary_s = min(machine.boundary_s, max(now, machine.free_s))
        elif not machine.runs:
            machine.boundary_s = now

    def route(self, call: Seen) -> Machine:
        machines = self.machines
        if len(machines) == 1:
            return machines[0]
        if self.system.routing == "random":
            return machines[int(call.draw * len(machines))]
        if self.system.routing == "round_robin":
            self.turn += 1
            return machines[(self.turn - 1) % len(machines)]
        sizes = [len(each.waiting) + len(each.held) for each in machines]
        shortest = [each for each, size in zip(machines, sizes, strict=True) if size == min(sizes)]
        return shortest[int(call.draw * len(shortest))]

    def begin_step(self, machine: Machine, now: float) -> None:
        decoding = [call for call in machine.held if call.token_count > 0]
        prefill_first = isinstance(self.system, BatchedPool) and self.system.scheduler == "prefill_first"
        budget = self.replica.token_budget_tok - (0 if prefill_first else len(decoding))
        chunks: list[tuple[Seen, int]] = []
        for call in machine.held:
            if call.token_count == 0 and budget > 0:
                chunks.append((call, min(budget, call.left)))
                budget -= chunks[-1][1]
        while budget > 0 and (call := machine.next_waiting()) and machine.fits(call, self.slots, self.kv):
            machine.waiting.remove(call)
            machine.held.append(call)
            call.served = True
            if isinstance(self.system, TandemPools):
                call.token_count, call.last_token_s = 1, now
                decoding.append(call)
                budget -= 1
            else:
                call.start_s = now
                chunks.append((call, min(budget, call.left)))
                budget -= chunks[-1][1]
        if prefill_first and chunks:
            decoding = []
        machine.in_step = [(call, 0) for call in decoding] + chunks
        machine.runs = bool(machine.in_step)
        law = self.replica.step
        step_s = law.alpha_s
        step_s += law.beta_s_per_seq * float(len(decoding)) ** law.exponent if decoding else 0.0
        if decoding:
            read = sum(call.prompt + call.token_count for call in decoding)
            step_s += law.gamma_s_per_context_tok * read
        if not isinstance(self.system, TandemPools):
            step_s += law.delta_s_per_input_tok * sum(tokens for _, tokens in chunks)
        machine.boundary_s = now + step_s if machine.runs else math.inf

    def end_step(self, machine: Machine, now: float) -> None:
        for call, tokens in machine.in_step:
            call.left -= tokens
            if tokens == 0:
                self.gaps_s.append(now - call.last_token_s)
            if tokens == 0 or call.left == 0:
                call.token_count += 1
                call.last_token_s = now
            if tokens > 0 and call.left == 0:
                call.first_token_s = now
            if call.token_count == call.answer:
                machine.held.remove(call)
                self.leave(call, now)
        machine.in_step = []

    def take_slots(self, machine: Machine, now: float) -> None:
        while (call := machine.next_waiting()) and machine.fits(call, self.slots, self.kv):
            machine.waiting.remove(call)
            machine.held.append(call)
            machine.passes.append((now, call))
            call.served = True

    def serve(self, machine: Machine, now: float) -> None:
        """The pass ready longest; of two ready at once a prompt goes first."""
        if not machine.passes:
            machine.boundary_s = math.inf
            return
        ready_s, call = min(machine.passes, key=lambda each: (each[0], each[1].token_count > 0))
        if ready_s > now:
            machine.boundary_s = ready_s
            return
        machine.passes.remove((ready_s, call))
        law = self.system.pipeline
        busy_s = law.bottleneck_s_per_tok
        if call.token_count == 0:
            busy_s = law.bottleneck_s_per_input_tok * call.fresh + busy_s
            call.start_s = now
        machine.free_s = machine.boundary_s = now + busy_s
        token_s = machine.free_s + (law.unloaded_token_s - law.bottleneck_s_per_tok)
        if call.token_count == 0:
            call.first_token_s = token_s
        else:
            self.gaps_s.append(token_s - call.last_token_s)
        call.token_count += 1
        call.last_token_s = token_s
        if call.token_count == call.answer:
            self.events.append((token_s, call.number, self.FINISH))
        else:
            machine.passes.append((token_s, call))
