"""The architectures a tier may have; each module's docstring is its method note."""

from types import MappingProxyType

from models.architectures import (
    batched_accelerator,
    disaggregated_pools,
    hosted_api,
    wafer_scale_pipeline,
)

ARCHITECTURES = MappingProxyType(
    {
        module.KEY: module
        for module in (batched_accelerator, wafer_scale_pipeline, disaggregated_pools, hosted_api)
    }
)
