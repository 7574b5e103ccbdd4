"""A small scenario that brings all it needs: two priced tiers and one unpriced, none from the catalogue."""

import copy

from app import workbench

MODEL = {"id": "tiny-1", "label": "Tiny 1", "kind": "closed", "max_context_tok": 100_000}


def own_tier(tier_id, label, **more):
    """A hosted tier of the user's own."""
    return {"id": tier_id, "label": label, "architecture": "hosted_api", **more}


def speed(rate, ttft_s):
    return {"stream_rate_tok_per_s": rate, "ttft_p50_s": ttft_s}


def per_token(input_usd, output_usd):
    return {"basis": "per_token", "input_usd_per_mtok": input_usd, "output_usd_per_mtok": output_usd}


DRAFT = {
    "schema": "plimsoll/1",
    "name": "Two endpoints",
    "as_of": "2026-11-30",
    "seed": 1,
    "workloads": [
        {
            "name": "chat",
            "kind": "support_voice",
            "models": ["tiny-1"],
            "peak_rate_req_per_s": 2,
            "hourly_fraction": [1.0] * 24,
            "input_tok": {"kind": "fixed", "value": 2000},
            "output_tok": {"kind": "fixed", "value": 500},
            "targets": [{"metric": "ttft_s", "quantile": 0.5, "limit_s": 1}],
        }
    ],
    "offers": [
        {
            "tier": own_tier("plain", "Plain API", speed=speed(100, 0.4), price=per_token(4, 20)),
            "model": MODEL,
        },
        {
            "tier": own_tier("quick", "Quick API", speed=speed(400, 0.2), price=per_token(8, 40)),
            "model": "tiny-1",
        },
        {"tier": own_tier("secret", "Secret API", speed=speed(700, 0.1)), "model": "tiny-1"},
    ],
}


def draft(**changes):
    """The tiny scenario, with top-level keys replaced."""
    return copy.deepcopy(DRAFT) | changes


def view(**changes):
    """The tiny scenario worked out."""
    return workbench.view(draft(**changes))
