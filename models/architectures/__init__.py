"""The architectures a tier may have; each module's docstring is its method note."""

from types import MappingProxyType

from models.architectures import batched_accelerator, hosted_api

ARCHITECTURES = MappingProxyType({module.KEY: module for module in (batched_accelerator, hosted_api)})
