"""A pipeline that tokens flow through, as on wafers: full speed until its slowest stage is busy."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipeline:
    """One model copy spread over a chain of stages.

    unloaded_token_s            time of a token when nobody else is there (L0)
    bottleneck_s_per_tok        time a token occupies the slowest stage (s <= L0)
    bottleneck_s_per_input_tok  time each prompt token occupies it
    """

    unloaded_token_s: float
    bottleneck_s_per_tok: float
    bottleneck_s_per_input_tok: float = 0.0
    slot_count: int
    kv_capacity_tok: float | None = None
