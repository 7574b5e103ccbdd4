"""One operating point from plain inputs: JSON in, JSON out, by formula or by simulation."""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data.json_documents import json_documents
from data.operating_cases import Case, read_case
from models.percentiles import QUANTILE_BY_FIELD
from models.prediction import Prediction
from models.problems import InputProblems, Problem
from models.processor_sharing import slots_within_kv
from models.request_mix import mix_of
from models.systems import BatchedPool, PipelinePool

if TYPE_CHECKING:
    from models.simulation import Figures, SimulatedPoint, statistics

Document = dict[str, Any]
LATENCIES = ("ttft_s", "itl_s", "tpot_s", "e2e_s", "task_s")
POINT_COUNT = 16_384  # of the percentiles' sample: one point deserves the fine one
DEFAULT_REQUEST_COUNT = 200_000
NO_OVERHEAD_S = 1e-12  # stands for none in the formulas, where an empty step must take time
MAX_CASE_COUNT = 1_000
FEWEST_REQUEST_COUNT, MAX_REQUEST_COUNT = 1_000, 5_000_000  # some 200 bytes of memory each
MAX_SIMULATED_SLOT_COUNT = 100_000
STEADY_REQUESTS_PER_SLOT = 20  # fewer, and the system has hardly filled when the run ends
CAPACITY_SHARE = 0.25  # of the requests, for measuring the highest rate
COMPLETIONS_PER_SLOT = 30  # at least, for a capacity run to become steady
Progress = Callable[[float], None]
Cancelled = Callable[[], bool]


def operate(document: Document | list[Document]) -> Document | list[Document]:
    """What the formulas say about one document, or about each of a list.

    Raises `InputProblems` with every problem of every document.
    """
    return _each(document, _predicted)


def operate_by_simulation(
    document: Document | list[Document],
    *,
    seed: int,
    request_count: int = DEFAULT_REQUEST_COUNT,
    progress: Progress | None = None,
    cancelled: Cancelled | None = None,
) -> Document | list[Document]:
    """The same from the discrete-event simulation, with a 95 % confidence interval for each figure."""
    if not FEWEST_REQUEST_COUNT <= request_count <= MAX_REQUEST_COUNT:
        cure = f"Ask for {FEWEST_REQUEST_COUNT:,} to {MAX_REQUEST_COUNT:,}."
        raise InputProblems([Problem(path="requests", message=f"cannot be {request_count:,}", cure=cure)])
    return _each(document, lambda case: _simulated(case, seed, request_count, progress, cancelled))


def run(file_text: str, simulate: bool, seed: int, request_count: int) -> str:
    """The answer to a JSON text as a JSON text; raises `InputProblems`."""
    document = _parsed(file_text)
    if simulate:
        answer = operate_by_simulation(document, seed=seed, request_count=request_count)
    else:
        answer = operate(document)
    return json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _parsed(file_text: str) -> Any:
    documents, problems = json_documents("file", file_text)
    if problems:
        raise InputProblems(problems)
    is_list = file_text.lstrip().startswith("[")
    if len(documents) != 1 and not is_list:
        message = f"holds {len(documents)} documents"
        raise InputProblems([Problem(path="file", message=message, cure="Write one object, or a list.")])
    values = [each.value for each in documents]
    return values if is_list else values[0]


def _each(document: Any, answer: Callable[[Case], Document]) -> Document | list[Document]:
    """Read every document before answering any, so that all problems are told at once."""
    if not isinstance(document, Sequence) or isinstance(document, str):
        return answer(read_case(document))
    if len(document) > MAX_CASE_COUNT:
        message, cure = f"holds {len(document)} documents", f"Ask for at most {MAX_CASE_COUNT} at a time."
        raise InputProblems([Problem(path="file", message=message, cure=cure)])
    cases: list[Case] = []
    problems: list[Problem] = []
    for index, each in enumerate(document):
        try:
            cases.append(read_case(each, f"[{index}]"))
        except InputProblems as found:
            problems += found.problems
    if problems:
        raise InputProblems(problems)
    return [answer(case) for case in cases]


def _predicted(case: Case) -> Document:
    prediction = _predict(case)
    point = prediction.point
    latency = point.latencies[0] if point.latencies else None
    answer: Document = {"stable": point.stable}
    for name in (
        "utilisation_fraction",
        "max_rate_req_per_s",
        "slot_occupancy_fraction",
        "busy_fraction",
        "mean_busy_slot_count_per_replica",
        "wait_probability_fraction",
    ):
        answer[name] = getattr(point, name)
    answer |= {name: None if latency is None else getattr(latency, name).as_dict() for name in LATENCIES}
    answer["goodput_req_per_s"] = prediction.goodput_req_per_s
    answer["abandonment_fraction"] = prediction.abandonment_fraction
    if not point.stable:
        answer["backlog_growth_req_per_s"] = prediction.backlog_growth_req_per_s
    answer["notices"] = [*point.notices, *_notices(case), *_formula_notices(case)]
    return answer


def _predict(case: Case) -> Prediction:
    from models import batched_prediction, pipeline_law, tandem

    system, traffic, targets = case.system, case.traffic, case.targets
    if not isinstance(system, PipelinePool) and system.replica.step.alpha_s == 0.0:
        step = replace(system.replica.step, alpha_s=NO_OVERHEAD_S)
        system = replace(system, replica=replace(system.replica, step=step))
    if isinstance(system, BatchedPool):
        return batched_prediction.predict(system, traffic, targets, POINT_COUNT)
    if isinstance(system, PipelinePool):
        return pipeline_law.predict(system, traffic, targets, POINT_COUNT)
    return tandem.predict(system, traffic, targets, POINT_COUNT)


def _notices(case: Case) -> tuple[str, ...]:
    """What a reader of either answer should know."""
    calls = case.traffic.call_count_per_task
    if calls == 1:
        return case.notices
    return (*case.notices, f"A task makes {calls} calls; rates in this answer count calls.")


def _formula_notices(case: Case) -> tuple[str, ...]:
    """What the formulas leave out of this case and a simulation does not."""
    traffic = case.traffic
    left_out = []
    if traffic.joint_tok:
        left_out.append("that long prompts go with long answers")
    if not isinstance(case.system, BatchedPool):
        if traffic.arrival.kind != "poisson":
            left_out.append("unsteady arrivals")
        if traffic.high_share_fraction > 0.0:
            left_out.append("priorities")
        if traffic.patience_mean_s is not None:
            left_out.append("patience")
    return (f"The formulas leave out {', '.join(left_out)}; simulate for that.",) if left_out else ()


def _simulated(
    case: Case, seed: int, request_count: int, progress: Progress | None, cancelled: Cancelled | None
) -> Document:
    from models import simulation

    system, traffic = case.system, case.traffic
    if system.slot_count * system.replica_count > MAX_SIMULATED_SLOT_COUNT:
        message = f"{system.slot_count * system.replica_count:,} slots are too many to simulate"
        cure = f"Simulate at most {MAX_SIMULATED_SLOT_COUNT:,} in all, or ask the formulas."
        raise InputProblems([Problem(path="slot_count", message=message, cure=cure)])
    capacity_count = max(
        int(request_count * CAPACITY_SHARE), COMPLETIONS_PER_SLOT * system.slot_count * system.replica_count
    )
    highest = simulation.max_rate(
        system, traffic, request_count=capacity_count, seed=seed, cancelled=cancelled
    )
    if highest is not None and not math.isfinite(highest.value):
        cure = "Give alpha_s or delta_s_per_input_tok a value above 0."
        raise InputProblems([Problem(path="step", message="calls take no time", cure=cure)])
    rate = traffic.mean_call_rate_req_per_s
    ceiling = 0.0 if highest is None else highest.value
    if ceiling == 0.0 or (rate >= ceiling and traffic.patience_mean_s is None):
        return _unstable(case, rate, highest)
    seen = simulation.simulate(
        system,
        traffic,
        request_count=request_count,
        seed=seed,
        targets=case.targets,
        progress=progress,
        cancelled=cancelled,
    )
    return _stable(case, highest, seen, request_count)


def _unstable(case: Case, rate: float, highest: "statistics.Estimate | None") -> Document:
    answer: Document = {"stable": False}
    figures = _capacity(rate, highest)
    answer |= {name: _value(figure) for name, figure in figures.items()}
    if highest is None:
        answer["max_rate_req_per_s"] = 0.0  # no call fits
    for name in (
        "slot_occupancy_fraction",
        "busy_fraction",
        "mean_busy_slot_count_per_replica",
        "wait_probability_fraction",
        *LATENCIES,
        "goodput_req_per_s",
        "abandonment_fraction",
    ):
        answer[name] = None
    answer["backlog_growth_req_per_s"] = rate - (0.0 if highest is None else highest.value)
    answer["ci95"] = {name: _interval(figure) for name, figure in figures.items()}
    answer["notices"] = list(_notices(case))
    return answer


def _stable(
    case: Case, highest: "statistics.Estimate | None", seen: "SimulatedPoint", request_count: int
) -> Document:
    figures = _capacity(case.traffic.mean_call_rate_req_per_s, highest) | {
        name: getattr(seen, name)
        for name in (
            "slot_occupancy_fraction",
            "busy_fraction",
            "mean_busy_slot_count_per_replica",
            "wait_probability_fraction",
        )
    }
    figures["slot_occupancy_fraction"] = _of_usable_slots(case, seen.slot_occupancy_fraction)
    answer: Document = {"stable": True}
    answer |= {name: _value(figure) for name, figure in figures.items()}
    answer |= {name: _latency(getattr(seen, name)) for name in LATENCIES}
    last = {
        "goodput_req_per_s": seen.goodput_req_per_s,
        "abandonment_fraction": seen.abandonment_fraction,
    }
    answer |= {name: _value(figure) for name, figure in last.items()}
    answer["ci95"] = {name: _interval(figure) for name, figure in (figures | last).items()}
    answer["notices"] = [*_notices(case), *_simulation_notices(case, seen, request_count)]
    return answer


def _of_usable_slots(case: Case, occupancy: "statistics.Estimate") -> "statistics.Estimate":
    """The share of those slots that the KV cache lets be used at once."""
    system = case.system
    pool = system.pipeline if isinstance(system, PipelinePool) else system.replica
    usable = slots_within_kv(system.slot_count, pool.kv_capacity_tok, mix_of(case.traffic.load.classes))
    return occupancy.scaled(system.slot_count / max(usable, 1))


def _capacity(rate: float, highest: "statistics.Estimate | None") -> "dict[str, statistics.Estimate | None]":
    """Utilisation is as uncertain, relatively, as the capacity it is a share of."""
    if highest is None:
        return {"utilisation_fraction": None, "max_rate_req_per_s": None}
    return {
        "utilisation_fraction": highest.scaled(rate / highest.value**2),
        "max_rate_req_per_s": highest,
    }


def _value(figure: "statistics.Estimate | None") -> float | None:
    return None if figure is None else figure.value


def _interval(figure: "statistics.Estimate | None") -> list[float] | None:
    """Lower and upper end of the 95 % confidence interval; None where there are too few data."""
    if figure is None or figure.half_width is None:
        return None
    return [figure.value - figure.half_width, figure.value + figure.half_width]


def _latency(figures: "Figures | None") -> Document:
    names = ("mean", *QUANTILE_BY_FIELD)
    if figures is None:
        return dict.fromkeys(names) | {"ci95": dict.fromkeys(names)}
    values: Document = {name: figures[name].value for name in names}
    return values | {"ci95": {name: _interval(figures[name]) for name in names}}


def _simulation_notices(case: Case, seen: "SimulatedPoint", request_count: int) -> tuple[str, ...]:
    from models.simulation import hour_length_s

    notices = [f"Simulated: {seen.request_count:,} calls measured; ci95 is [low, high]."]
    steady_count = STEADY_REQUESTS_PER_SLOT * case.system.slot_count * case.system.replica_count
    if request_count < steady_count:
        notices.append(f"Too short for so many slots to become steady: ask for {steady_count:,} requests.")
    if seen.refused_fraction > 0.0:
        notices.append(
            f"{seen.refused_fraction:.2%} of the calls do not fit the KV cache and were turned away."
        )
    traffic = case.traffic
    if traffic.patience_mean_s is not None:
        notices.append("Calls that give up are left out of the latencies.")
    if traffic.arrival.kind == "profile":
        task_count = request_count // traffic.call_count_per_task
        hour_s = hour_length_s(traffic.hourly_fraction, traffic.rate_req_per_s, task_count)
        notices.append(f"Each hour of the day lasted {hour_s:,.0f} s, so that the run holds whole days.")
    return tuple(notices)
