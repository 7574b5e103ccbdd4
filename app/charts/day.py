"""When does the work arrive? Each workload's calls hour by hour."""

from app.charts.picture import Line, Picture
from app.formatting import show
from models.scenario import Scenario

KEY = "day"


def rows(scenario: Scenario) -> Picture:
    """Calls per second by hour of the day, one line a workload."""
    lines = tuple(
        Line(
            name=demand.workload.name,
            group=demand.workload.name,
            x=tuple(float(hour) for hour in range(len(demand.hourly_fraction))),
            y=tuple(demand.peak_call_rate_req_per_s * share for share in demand.hourly_fraction),
        )
        for demand in scenario.demands
    )
    busiest = max(lines, key=lambda line: max(line.y), default=None)
    top = (
        ""
        if busiest is None
        else f" {busiest.name} peaks highest, at {show('rate_req_per_s', max(busiest.y))}."
    )
    return Picture(
        key=KEY,
        title="When does the work arrive?",
        alt=f"Calls per second by hour of the day.{top}",
        x_name="hour_of_day_h",
        y_name="rate_req_per_s",
        lines=lines,
    )
