"""The unit of a quantity, which its name ends in."""

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
    "_usd_per_resolved_task": "USD",
    "_usd_per_task": "USD",
    "_usd_per_h": "USD/h",
    "_usd_per_mtok": "USD/Mtok",
    "_usd_per_mtok_output": "USD/Mtok",
    "_usd_per_request": "USD",
    "_tok_per_month": "tokens/month",
    "_tok_per_s": "tokens/s",
    "_req_per_s": "requests/s",
    "_bytes_per_tok": "byte/token",
    "_kwh_per_month": "kWh/month",
    "_kwh_per_mtok_output": "kWh/Mtok",
    "_mtok_per_h": "Mtok/h",
    "_tok_per_usd": "tokens/USD",
    "_usd": "USD",
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


def unit_of(name: str) -> str:
    """The base unit a name ends in; ValueError where the name has none."""
    for suffix in sorted(UNIT_BY_SUFFIX, key=len, reverse=True):
        if name.endswith(suffix) or name == suffix[1:]:
            return UNIT_BY_SUFFIX[suffix]
    raise ValueError(f"{name!r} does not end in a known unit")
