"""The glossary: every quantity's name, label, unit and one sentence of help.

Field names, table columns, widget labels, axis titles, report headings and the Method page come from
here, so that a number keeps one name from upload to report. A name ends in its unit.
"""

from dataclasses import dataclass

UNIT_BY_SUFFIX = {
    "_s_per_context_tok": "s/token",
    "_s_per_input_tok": "s/token",
    "_s_per_seq": "s/sequence",
    "_s_per_tok": "s/token",
    "_usd_per_accelerator_h": "USD/h",
    "_usd_per_accelerator_year": "USD/year",
    "_usd_per_accelerator": "USD",
    "_usd_per_kw_month": "USD/kW-month",
    "_usd_per_kwh": "USD/kWh",
    "_count_per_worker": "",
    "_usd_per_month": "USD/month",
    "_usd_per_task": "USD",
    "_usd_per_h": "USD/h",
    "_usd_per_mtok": "USD/Mtok",
    "_usd_per_mtok_output": "USD/Mtok",
    "_usd_per_request": "USD",
    "_tok_per_month": "tokens/month",
    "_tok_per_s": "tokens/s",
    "_req_per_s": "requests/s",
    "_bytes_per_tok": "byte/token",
    "_tok_per_usd": "tokens/USD",
    "_byte_per_tok": "byte/token",
    "_byte_per_s": "byte/s",
    "_flop_per_s": "FLOP/s",
    "_per_min": "1/min",
    "_per_month": "1/month",
    "_fraction_per_100_ms": "",
    "_fraction_at_2_s": "",
    "_fraction_per_month": "1/month",
    "_count_per_replica": "",
    "_count_per_task": "",
    "_exponent": "",
    "_weight": "",
    "_count": "",
    "_fraction": "",
    "_ratio": "",
    "_byte": "byte",
    "_tok": "tokens",
    "_months": "months",
    "_years": "years",
    "_w": "W",
    "_h": "h",
    "_s": "s",
}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One word of the vocabulary; `unit` is the base unit the value is kept in."""

    name: str
    label: str
    unit: str
    help: str


def _quantities(*rows: tuple[str, str, str]) -> tuple[Quantity, ...]:
    return tuple(Quantity(name, label, unit_of(name), help_text) for name, label, help_text in rows)


def unit_of(name: str) -> str:
    """The base unit a name ends in; ValueError where the name has none."""
    for suffix in sorted(UNIT_BY_SUFFIX, key=len, reverse=True):
        if name.endswith(suffix) or name == suffix[1:]:
            return UNIT_BY_SUFFIX[suffix]
    raise ValueError(f"{name!r} does not end in a known unit")


QUANTITIES = _quantities(
    # latency of one request
    ("ttft_s", "Time to first token", "From sending a request to its first generated token (TTFT)."),
    ("itl_s", "Inter-token latency", "Gap between stream chunks as measured, or tokens as modelled (ITL)."),
    ("tpot_s", "Time per output token", "Per request: (E2E - TTFT) / (output tokens - 1) (TPOT)."),
    ("e2e_s", "End-to-end latency", "From sending a request to its last token (E2E)."),
    ("task_s", "Task time", "From the start of a task to its last call's last token, pauses included."),
    ("limit_s", "Limit", "The latency that a target allows."),
    ("predicted_s", "Predicted", "The latency the model predicts for a target's metric and quantile."),
    ("low_s", "P10", "One time in ten the latency is below this."),
    ("middle_s", "P50", "As often above as below."),
    ("high_s", "P90", "One time in ten the latency is above this."),
    ("hold_probability_fraction", "Chance that it holds", "Over machine speed, formulas and demand."),
    ("overhead_s", "Network and tokenizer overhead", "Time in each TTFT spent outside the engine."),
    ("tpot_floor_s", "Fastest time per output token", "What a vendor's speed ceiling implies at best."),
    # speeds and rates
    ("stream_rate_tok_per_s", "Stream speed", "Output tokens per second that one user sees: 1 / TPOT."),
    ("stream_rate_ceiling_tok_per_s", "Stream speed ceiling", "A vendor's 'up to' speed; never typical."),
    ("replica_rate_tok_per_s", "Replica throughput", "Output tokens per second of one replica, all users."),
    ("output_rate_tok_per_s", "Output throughput", "Output tokens per second of the whole measured system."),
    ("total_rate_tok_per_s", "Total throughput", "Input and output tokens per second, whole system."),
    ("request_rate_req_per_s", "Achieved request rate", "Requests finished per second, whole system."),
    ("offered_rate_req_per_s", "Offered request rate", "Requests sent per second, finished or not."),
    ("peak_rate_req_per_s", "Peak rate", "Tasks arriving per second in the busiest hour."),
    ("rate_req_per_s", "Request rate", "Calls arriving per second."),
    ("max_rate_req_per_s", "Highest sustainable rate", "Calls/s at which the backlog starts to grow."),
    # load
    ("concurrency_count", "Concurrent requests", "Requests in flight at once on the measured system."),
    ("concurrency_low_count", "Lowest measured concurrency", "Smallest load the measurements cover."),
    ("concurrency_high_count", "Highest measured concurrency", "Largest load the measurements cover."),
    ("batch_count", "Static batch", "Sequences decoded together in an offline benchmark."),
    ("slot_count", "Slots", "Sequences decoded together at most on one replica."),
    ("slot_range_count", "Slots, range", "Fewest and most slots an engine may have where nobody says."),
    ("mean_busy_slot_count_per_replica", "Busy slots", "Sequences being decoded on a replica, mean."),
    ("utilisation_fraction", "Utilisation", "Offered rate over the highest sustainable rate."),
    ("max_utilisation_fraction", "Highest utilisation allowed", "Where the plan stops loading a replica."),
    ("slot_occupancy_fraction", "Slot occupancy", "Busy slots over all slots."),
    ("busy_fraction", "Busy time", "Share of time in which a step runs; near 1 already at light load."),
    ("wait_probability_fraction", "Waiting probability", "Share of requests that find every slot taken."),
    ("mean_to_peak_fraction", "Mean over peak", "Mean rate of the day as a share of the peak rate."),
    ("goodput_req_per_s", "Goodput", "Calls per second that keep every target at once."),
    ("backlog_growth_req_per_s", "Backlog growth", "Calls per second that arrive beyond what is served."),
    ("abandonment_fraction", "Given up", "Share of calls whose callers lose patience while they wait."),
    ("refused_fraction", "Turned away", "Share of calls too large for the KV cache of an empty replica."),
    ("high_share_fraction", "Share served first", "Share of tasks that go before the others in the queue."),
    # tokens
    ("isl_tok", "Input length", "Tokens of the prompt, mean (ISL)."),
    ("osl_tok", "Output length", "Tokens of the answer, mean (OSL)."),
    ("isl_low_tok", "Shortest measured input", "Smallest mean input length measured."),
    ("isl_high_tok", "Longest measured input", "Largest mean input length measured."),
    ("osl_low_tok", "Shortest measured output", "Smallest mean output length measured."),
    ("osl_high_tok", "Longest measured output", "Largest mean output length measured."),
    ("input_tok", "Input tokens", "Tokens of the prompt per call, cached part included."),
    ("output_tok", "Output tokens", "Tokens of the answer per call, reasoning included."),
    ("value_tok", "Fixed length", "Every request has this many tokens."),
    ("values_tok", "Lengths", "The lengths seen, each equally likely."),
    ("joint_tok", "Pairs of lengths", "Input and output lengths that belong together, equally likely."),
    ("clip_tok", "Shortest and longest", "Lengths are kept within these two."),
    ("mean_before_clip_tok", "Mean length", "Mean of a lognormal before rounding and clipping."),
    ("cv_ratio", "Coefficient of variation", "Standard deviation over mean."),
    ("cached_input_fraction", "Cached input", "Share of the prompt served from the prefix cache."),
    ("kv_capacity_tok", "KV cache capacity", "Tokens of context that fit beside the weights of a replica."),
    ("token_budget_tok", "Token budget", "Most tokens one engine step processes (chunked prefill)."),
    ("max_context_tok", "Longest context", "Most tokens the model takes."),
    ("output_tok_per_month", "Output per month", "Output tokens of the plan's month."),
    # step law
    ("alpha_s", "Step overhead", "Time of an engine step before any marginal work."),
    ("beta_s_per_seq", "Cost per sequence", "Step time that each further decoded sequence adds."),
    ("exponent", "Exponent", "Power of the batch size in the step law; below 1 is concave."),
    ("gamma_s_per_context_tok", "Cost per context token", "Step time that each context token read adds."),
    ("delta_s_per_input_tok", "Cost per prompt token", "Step time that each prefilled token adds."),
    # pools in a row, pipelines
    ("worker_count", "Prefill workers", "Machines that each work on one prompt at a time."),
    ("link_count", "Transfer links", "Links that each carry one call's KV cache at a time."),
    ("base_s", "Transfer start-up", "Time of a transfer before its first byte."),
    ("bytes_per_tok", "Bytes handed over", "KV cache bytes sent for each prompt token."),
    ("bandwidth_byte_per_s", "Link bandwidth", "Bytes one transfer link carries per second."),
    ("overlap_fraction", "Overlap with prefill", "Share of a transfer done while prefill still runs."),
    ("accelerator_count_per_worker", "Accelerators per prefill worker", "Chips that share one prompt."),
    ("prefill_worker_count", "Prefill workers planned", "Prefill workers, spares included."),
    ("spare_prefill_worker_count", "Spare prefill workers", "Workers beyond what the targets need."),
    ("free_sequence_count", "Sequences at full speed", "Sequences that a pipeline serves without delay."),
    ("pipeline_stage_count", "Pipeline stages", "Stages that the layers of one copy are split into."),
    ("prefill_rate_tok_per_s", "Prefill speed", "Prompt tokens one replica works through per second."),
    ("unloaded_token_s", "Unloaded token time", "Time of a token through an empty pipeline."),
    ("bottleneck_s_per_tok", "Slowest stage, token", "Time a token occupies the slowest stage."),
    (
        "bottleneck_s_per_input_tok",
        "Slowest stage, prompt token",
        "Time a prompt token occupies the slowest stage.",
    ),
    # fit
    ("point_count", "Points", "Load points used in a fit."),
    ("shape_count", "Shapes", "Combinations of input and output length used in a fit."),
    ("residual_fraction", "Residual", "Median absolute relative error of the fit on its own points."),
    ("leave_one_load_out_fraction", "Error at a left-out load", "Median error on loads not fitted."),
    ("leave_one_shape_out_fraction", "Error at a left-out shape", "Median error on shapes not fitted."),
    ("top_load_fraction", "Error at the top load", "Error on the highest load when it is not fitted."),
    # switches
    ("acceptance_fraction", "Proposals kept", "Chance that a drafted token is kept (speculative decoding)."),
    ("draft_token_count", "Tokens proposed", "Tokens that the draft proposes in a step."),
    ("draft_cost_ratio", "Draft's time", "Time of the draft over the fixed part of a step."),
    ("distilled_weight_fraction", "Weights kept", "Share of the weights that a distilled version keeps."),
    # speed of a whole task
    ("token_speed_ratio", "Tokens, times as fast", "Stream speed over that of the slowest stream shown."),
    ("task_speed_ratio", "Task, times as fast", "Task time of the slowest stream shown over this one's."),
    ("unaccelerated_fraction", "Not accelerated", "Share of a task that a faster stream does not touch."),
    # work per task
    ("sequential_call_count", "Calls in sequence", "Calls one after another in one task."),
    ("fan_out_count", "Parallel calls", "Calls at once in one task; the task waits for the slowest."),
    ("call_count_per_task", "Calls per task", "Sequential times parallel calls."),
    ("pause_s", "Pause between calls", "Tool or thinking time between two calls of a task."),
    # arrivals
    ("scv_ratio", "Arrival variability", "Squared coefficient of variation of the gaps; Poisson is 1."),
    ("burst_fraction", "Share of time in bursts", "Share of time at the high rate."),
    ("burst_ratio", "Burst height", "High rate over low rate."),
    ("cycle_s", "Burst cycle", "Mean time of one burst and one lull."),
    ("amplitude_fraction", "Swing", "Amplitude of a sine over its mean."),
    ("period_s", "Period", "Length of one swing."),
    ("hour_of_day_h", "Hour of the day", "Start of the hour, 0 to 23."),
    ("busiest_hour_h", "Busiest hour", "Hour of the day a pool is sized at."),
    ("hourly_fraction", "Shape of the day", "24 shares of the peak rate."),
    # benchmark bookkeeping
    ("accelerator_count", "Accelerators", "Chips of the measured or planned system."),
    ("accelerator_count_per_replica", "Accelerators per replica", "Chips that serve one model copy."),
    ("duration_s", "Duration", "Length of the measured window."),
    ("request_count", "Requests", "Requests attempted in the window."),
    ("error_count", "Failures", "Requests that failed."),
    ("incomplete_count", "Cut off", "Requests still running when the window ended."),
    # hardware and models
    ("memory_byte", "Memory", "Memory of one accelerator."),
    ("memory_bandwidth_byte_per_s", "Memory bandwidth", "Bytes one accelerator reads per second at best."),
    ("dense_flop_per_s", "Dense compute", "Peak dense operations per second, by precision."),
    ("scale_up_bandwidth_byte_per_s", "Scale-up link", "Bytes per second to a neighbour, one way."),
    ("scale_up_domain_count", "Scale-up domain", "Accelerators joined by the fast link."),
    ("chip_power_w", "Chip power", "Power of one accelerator as its maker rates it (TDP)."),
    ("all_in_power_w", "All-in power", "Power per accelerator with its share of the machine room."),
    ("total_parameter_count", "Parameters", "Weights of the model."),
    ("active_parameter_count", "Active parameters", "Weights one token passes through."),
    ("layer_count", "Layers", "Transformer layers."),
    ("hidden_count", "Hidden size", "Width of the model."),
    ("expert_count", "Experts", "Experts in each mixture layer."),
    ("experts_per_token_count", "Experts per token", "Experts one token passes through."),
    ("kv_growing_byte_per_tok", "KV cache per token", "Bytes each further token of context adds, 16 bit."),
    ("kv_fixed_byte", "Fixed KV cache", "Bytes of windowed layers once the window is full, 16 bit."),
    # prices and limits
    (
        "purchase_usd_per_accelerator",
        "Purchase price",
        "Of one accelerator with its share of server and network.",
    ),
    ("life_years", "Life", "Years over which the purchase is written off."),
    ("resale_value_fraction", "Resale value", "Share of the purchase that a sale at the end of life brings."),
    ("accelerator_power_w", "Accelerator power", "Of one accelerator with its share of the server."),
    ("pue_ratio", "PUE", "What the building adds to that power; blank where the power is all-in."),
    ("energy_usd_per_kwh", "Energy price", "Per kilowatt-hour."),
    ("colocation_usd_per_kw_month", "Colocation", "Rent per kilowatt and month."),
    ("upkeep_usd_per_accelerator_year", "Upkeep", "Support, spares and people, per accelerator and year."),
    ("cache_write_usd_per_mtok", "Cache write price", "Per million input tokens put into a cache."),
    ("minimum_usd_per_month", "Committed minimum", "Paid each month even where less is used."),
    ("above_tok", "Long from", "Prompts longer than this pay the long-context prices."),
    ("from_h", "Off-peak from", "First hour of the day at the off-peak price."),
    ("to_h", "Off-peak to", "Hour of the day at which the off-peak price ends."),
    ("usd_per_accelerator_h", "Price per accelerator-hour", "Rent of one accelerator for one hour."),
    ("input_usd_per_mtok", "Input price", "Per million fresh input tokens."),
    ("cached_input_usd_per_mtok", "Cached input price", "Per million input tokens read from a cache."),
    ("output_usd_per_mtok", "Output price", "Per million output tokens, reasoning included."),
    ("request_limit_per_min", "Request limit", "Requests a supplier accepts per minute (RPM)."),
    ("token_limit_per_min", "Token limit", "Tokens a supplier accepts per minute (TPM)."),
    ("probability_fraction", "Served elsewhere", "Share of requests that another tier serves instead."),
    ("fallback_fraction", "Share served elsewhere", "Part of a hosted tier's requests that falls back."),
    ("ttft_p50_s", "Median TTFT", "Median time to first token as published."),
    # cost
    ("cost_usd_per_month", "Cost per month", "The bill of an average month of 730.5 hours."),
    ("cost_usd_per_h", "Cost per hour", "The bill of an average hour."),
    ("idle_cost_usd_per_month", "Idle cost", "Part of the bill for capacity that does no work."),
    ("redundancy_cost_usd_per_month", "Redundancy cost", "Part of the bill for spare units."),
    ("cost_usd_per_mtok_output", "Cost per Mtok output", "The whole bill over million output tokens."),
    ("cost_usd_per_request", "Cost per request", "The whole bill over calls."),
    ("cost_usd_per_task", "Cost per task", "The whole bill over tasks."),
    ("extra_cost_usd_per_month", "Extra cost", "How much more the runner-up costs per month."),
    ("current_cost_usd_per_month", "Cost today", "The bill of what runs today."),
    ("committed_cost_usd_per_month", "Committed and unused", "Paid for replicas the plan does not need."),
    ("planned_cost_usd_per_month", "Cost planned", "The bill of the plan."),
    ("request_count_per_month", "Requests per month", "Calls in an average month."),
    # plan
    ("share_fraction", "Share", "Share of the workload that goes to the tier."),
    ("replica_count", "Replicas", "Model copies, spares included."),
    ("spare_replica_count", "Spare replicas", "Copies beyond what the targets need at the peak."),
    ("current_replica_count", "Replicas today", "Copies running today."),
    ("planned_replica_count", "Replicas planned", "Copies in the plan."),
    ("fleet_change_count", "Change in replicas", "Planned minus today's."),
    ("placed_workload_count", "Workloads placed", "Workloads the plan can serve."),
    ("workload_count", "Workloads", "Workloads in the scenario."),
    # policy and outlook
    ("spare_unit_count", "Spare units", "Failure units that may be lost with all targets held."),
    ("start_up_s", "Start-up time", "From asking for a replica to its first request."),
    ("min_replica_count", "Fewest replicas", "Floor of autoscaling."),
    ("accepted_derate_ratio", "Accepted derate", "Share of a ceiling you accept as typical; blank: none."),
    ("accepted_p95_to_p50_ratio", "Accepted spread", "p95 over p50 you accept where only a median is known."),
    ("max_supplier_share_fraction", "Largest supplier share", "Most of all calls one supplier may serve."),
    ("budget_usd_per_month", "Budget", "The plan may not cost more."),
    ("growth_fraction_per_month", "Growth per month", "Rise of all rates from month to month."),
    ("horizon_months", "Horizon", "Months looked ahead."),
    ("weight", "Weight", "Weight of a demand scenario among the others."),
    ("rate_ratio", "Rate ratio", "All rates are multiplied by this in a demand scenario."),
    # value
    ("value_usd_per_task", "Value of a task", "What a timely answer is worth."),
    ("half_life_s", "Half-life", "Time in which an answer loses half its value."),
    ("deadline_s", "Deadline", "After this an answer keeps only its residual value."),
    ("residual_value_fraction", "Residual value", "Share of the value left after the deadline."),
    ("waiting_usd_per_h", "Cost of waiting", "What an hour of somebody waiting costs."),
    ("patience_mean_s", "Patience", "Mean time a caller waits before giving up."),
    ("loss_fraction_per_100_ms", "Loss per 100 ms", "Share of conversions lost per 100 ms."),
    ("loss_fraction_at_2_s", "Loss at 2 s", "Share of conversions lost after 2 s; the curve is flat beyond."),
    ("lost_usd_per_task", "Lost per task", "Value that a task loses to latency on average."),
    ("lost_usd_per_month", "Value lost", "Value that all tasks of a month lose to latency."),
    ("output_tok_per_usd", "Output tokens per dollar", "Output tokens that a dollar buys, input included."),
    ("net_gain_usd_per_task", "Net gain per task", "Value that speed adds to a task, less its price."),
    ("month_count", "Months ahead", "Months from the plan's date."),
    ("price_ratio", "Price multiple", "Price of a faster tier over that of the slower one."),
    ("break_even_price_ratio", "Break-even multiple", "Price multiple up to which the faster tier pays."),
)

BY_NAME = {quantity.name: quantity for quantity in QUANTITIES}


def quantity(name: str) -> Quantity:
    """The glossary's entry of that name."""
    return BY_NAME[name]
