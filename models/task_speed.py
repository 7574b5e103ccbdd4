"""How much faster a whole task becomes when its tokens come faster.

Only the stream of output tokens is accelerated. What remains at its old length, first tokens, pauses for
tools, the way over the network, bounds the gain: with a share s of the task unaccelerated and tokens k times
as fast, the task is `1 / (s + (1 - s) / k)` times as fast (G. Amdahl 1967).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from models.performance import ClassLatency


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPace:
    """What one tier makes of a task, in seconds, at the median.

    network_s  what a call to this tier spends on the way, beyond what its TTFT holds
    """

    ttft_s: float
    tpot_s: float
    network_s: float = 0.0

    def task_s(self, call_count: int, output_tok: float, pause_s: float) -> float:
        """A task of so many calls in sequence, each of so many answer tokens, with pauses between them."""
        call_s = self.network_s + self.ttft_s + max(output_tok - 1.0, 0.0) * self.tpot_s
        return call_count * call_s + (call_count - 1) * pause_s


def task_speed_ratio(
    slow: TaskPace, fast: TaskPace, *, call_count: int, output_tok: float, pause_s: float
) -> float:
    """How many times as fast the task is on the fast tier: time on the slow one over time on the fast one."""
    slow_s, fast_s = (each.task_s(call_count, output_tok, pause_s) for each in (slow, fast))
    return slow_s / fast_s


def unaccelerated_fraction(task_ratio: float, token_ratio: float) -> float:
    """Share of a task that a faster stream does not touch, from both speed-ups; token_ratio > 1.

    Amdahl's law turned round: (1/task - 1/token) / (1 - 1/token). Negative where the task gained more than
    the tokens did: then something else became faster too.
    """
    return (1.0 / task_ratio - 1.0 / token_ratio) / (1.0 - 1.0 / token_ratio)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedMultiple:
    """One tier against the slowest stream: how much faster its tokens come, and a whole task with them."""

    name: str
    stream_rate_tok_per_s: float
    task_s: float | None
    token_speed_ratio: float
    task_speed_ratio: float | None
    unaccelerated_fraction: float | None


def speed_multiples(latencies: Mapping[str, ClassLatency]) -> tuple[SpeedMultiple, ...]:
    """Tiers by the medians of one workload's latencies, slowest stream first; unknown streams left out."""
    known = {name: each.tpot_s.p50 for name, each in latencies.items() if each.tpot_s.p50}
    if not known:
        return ()
    ranked = sorted(known, key=lambda name: (-(known[name] or 0.0), name))
    slowest = latencies[ranked[0]]
    return tuple(_against(name, latencies[name], slowest) for name in ranked)


def _against(name: str, latency: ClassLatency, slowest: ClassLatency) -> SpeedMultiple:
    tpot_s, slow_tpot_s = latency.tpot_s.p50 or 1.0, slowest.tpot_s.p50 or 1.0
    task_s, slow_task_s = latency.task_s.p50, slowest.task_s.p50
    tokens, task = slow_tpot_s / tpot_s, None
    if task_s and slow_task_s:
        task = slow_task_s / task_s
    return SpeedMultiple(
        name=name,
        stream_rate_tok_per_s=1.0 / tpot_s,
        task_s=task_s,
        token_speed_ratio=tokens,
        task_speed_ratio=task,
        unaccelerated_fraction=_share_left(task, tokens),
    )


def _share_left(task_ratio: float | None, token_ratio: float) -> float | None:
    """The share that a faster stream does not touch; None where it alone does not explain the task."""
    if task_ratio is None or token_ratio <= 1.0:
        return None
    share = unaccelerated_fraction(task_ratio, token_ratio)
    return share if 0.0 <= share <= 1.0 else None
