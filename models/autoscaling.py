"""How many replicas each hour of a day runs when capacity follows the load, and what is short meanwhile.

A scaler sees each hour's rate and asks for the replicas that it needs. New ones serve only after the scaler
has reacted and they have started; until then the rise in rate is not covered. Replicas that are no longer
needed go at once. The day repeats.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

SECONDS_PER_HOUR = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledHour:
    """One hour: its rate, the replicas asked for, and what is not covered while new ones start.

    shortage_req_per_s   requests/s beyond what the replicas of the hour before are sized for; 0 where none
    short_s              seconds of the hour for which that lasts
    """

    rate_req_per_s: float
    replica_count: int
    shortage_req_per_s: float
    short_s: float

    @property
    def short_request_count(self) -> float:
        """Requests that come in beyond what is sized for while replicas start."""
        return self.shortage_req_per_s * self.short_s


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaledDay:
    """The staircase of a day and what it costs and lacks."""

    hours: tuple[ScaledHour, ...]

    @property
    def replica_h(self) -> float:
        """Replica-hours of the day; a replica is paid from the start of the hour that asks for it."""
        return float(sum(hour.replica_count for hour in self.hours))

    @property
    def largest_shortage_req_per_s(self) -> float:
        """The largest rate beyond what runs is sized for, over the day."""
        return max(hour.shortage_req_per_s for hour in self.hours)

    @property
    def short_request_count(self) -> float:
        """Requests of the day that come in beyond what runs is sized for while replicas start."""
        return sum(hour.short_request_count for hour in self.hours)


def scaled_day(
    hourly_rates_req_per_s: Sequence[float],
    replicas_for: Callable[[float], int],
    rate_served_by: Callable[[int], float],
    *,
    floor_count: int = 1,
    start_up_s: float,
    reaction_s: float = 0.0,
) -> ScaledDay:
    """The replicas of each hour, at least `floor_count`, and the shortage while they start.

    hourly_rates_req_per_s  the day's rates, hour 0 first; the last hour comes before the first
    replicas_for            replicas that a rate needs, from sizing; does not fall with the rate
    rate_served_by          the highest rate that so many replicas are sized for: its inverse
    start_up_s              from asking for a replica until it serves: boot, load weights, warm up
    reaction_s              from the rise of the rate until the scaler asks
    """
    counts = [max(floor_count, replicas_for(rate)) for rate in hourly_rates_req_per_s]
    before = [counts[-1], *counts[:-1]]
    delay_s = min(start_up_s + reaction_s, SECONDS_PER_HOUR)
    missing = [
        max(rate - rate_served_by(running), 0.0) if count > running else 0.0
        for rate, count, running in zip(hourly_rates_req_per_s, counts, before, strict=True)
    ]
    return ScaledDay(
        hours=tuple(
            ScaledHour(
                rate_req_per_s=rate,
                replica_count=count,
                shortage_req_per_s=short,
                short_s=delay_s if short > 0.0 else 0.0,
            )
            for rate, count, short in zip(hourly_rates_req_per_s, counts, missing, strict=True)
        )
    )
