"""What a workload loses to latency where it is served, in a month."""

from models.cost import calls_per_month
from models.percentiles import Percentiles
from models.performance import ClassLatency
from models.value import lost_usd_per_task
from models.workloads import Demand, Value


def latency_of(value: Value, latency: ClassLatency) -> Percentiles:
    """The latency that ages the answer: of the task, of a call, or of its first token."""
    return {"ttft_s": latency.ttft_s, "e2e_s": latency.e2e_s, "task_s": latency.task_s}[value.metric]


def lost_per_task_usd(demand: Demand, latency: ClassLatency) -> float | None:
    """Mean value a task loses, in USD; None where no value is set or the latency's tail is unknown."""
    value = demand.workload.value
    return None if value is None else lost_usd_per_task(value, latency_of(value, latency))


def tasks_per_month(demand: Demand) -> float:
    """Tasks of an average month."""
    return calls_per_month(demand) / demand.workload.call_count_per_task
