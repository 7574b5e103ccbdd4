"""Machines of any architecture behind one question: what do so many replicas do under this load?"""

from models.architectures import batched_accelerator, disaggregated_pools, wafer_scale_pipeline
from models.machine_bill import replica_usd_per_h, worker_usd_per_h
from models.performance import (
    BatchedPerformance,
    Load,
    MachinePerformance,
    OperatingPoint,
    PipelinePerformance,
    TandemPerformance,
)
from models.request_mix import mix_of
from models.systems import BatchedPool, PipelinePool, System
from models.tiers import Offer


def max_rate(performance: MachinePerformance, load: Load, replica_count: int) -> float:
    """Mean requests/s that the replicas sustain at the load's mix; 0 where not one request fits."""
    if isinstance(performance, BatchedPerformance):
        return batched_accelerator.max_rate(performance, load, replica_count)
    if isinstance(performance, PipelinePerformance):
        return wafer_scale_pipeline.max_rate(performance, load, replica_count)
    return disaggregated_pools.max_rate(performance, load, replica_count)


def operate(
    performance: MachinePerformance, load: Load, replica_count: int, *, point_count: int = 2048
) -> OperatingPoint:
    """What the replicas do under the load; past saturation stable=False and no latency."""
    if isinstance(performance, BatchedPerformance):
        return batched_accelerator.operate(performance, load, replica_count, point_count=point_count)
    if isinstance(performance, PipelinePerformance):
        return wafer_scale_pipeline.operate(performance, load, replica_count, point_count=point_count)
    return disaggregated_pools.operate(performance, load, replica_count, point_count=point_count)


def system_of(
    performance: MachinePerformance, load: Load, replica_count: int, worker_count: int | None
) -> System | None:
    """The machines as a simulation takes them; None where one replica holds not one request of the load.

    worker_count  prefill workers of disaggregated pools; None elsewhere
    """
    if isinstance(performance, BatchedPerformance):
        return BatchedPool(replica=performance, replica_count=replica_count, scheduler=performance.scheduler)
    if isinstance(performance, TandemPerformance):
        workers = worker_count or disaggregated_pools.balanced_workers(performance, load, replica_count)
        return disaggregated_pools.system_of(performance, workers, replica_count)
    pipeline = wafer_scale_pipeline.pipeline_of(performance, mix_of(load.classes))
    if pipeline is None:
        return None
    return PipelinePool(pipeline=pipeline, replica_count=replica_count, overhead_s=performance.overhead_s)


def other_end(performance: MachinePerformance) -> MachinePerformance | None:
    """The same machines at the other end of their envelope; None where there is one answer only."""
    return None if isinstance(performance, BatchedPerformance) else performance.other_end


def pool_usd_per_h(offer: Offer, performance: MachinePerformance, load: Load, replica_count: int) -> float:
    """What so many replicas cost for an hour; of disaggregated pools, with the prefill workers they need."""
    usd: float = replica_usd_per_h(offer) * replica_count
    if isinstance(performance, TandemPerformance):
        workers = performance.worker_count
        if workers is None:
            workers = disaggregated_pools.balanced_workers(performance, load, replica_count)
        usd += worker_usd_per_h(offer) * workers
    return usd
