"""Discrete-event simulation of a serving system, step by step: the independent check on the formulas.

It follows every call through arrival, routing, waiting, the steps of its replica and its last token, and
shares no formula with the analytic models. Its loop is compiled (numba) on first use, which takes some
seconds once; the machine keeps the result.
"""

from models.simulation.arrivals import hour_length_s
from models.simulation.calls import Calls, Tasks, calls_of_trace, draw_calls, single_calls
from models.simulation.measuring import SimulatedPoint
from models.simulation.run import SimulationCancelled, max_rate, prepare, replay, simulate, simulate_together
from models.simulation.statistics import Estimate, Figures

__all__ = [
    "Calls",
    "Estimate",
    "Figures",
    "SimulatedPoint",
    "SimulationCancelled",
    "Tasks",
    "calls_of_trace",
    "draw_calls",
    "hour_length_s",
    "max_rate",
    "prepare",
    "replay",
    "simulate",
    "simulate_together",
    "single_calls",
]
