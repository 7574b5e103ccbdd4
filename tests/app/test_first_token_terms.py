"""A reader of the report alone can rebuild a mean time to first token from its printed terms."""

from dataclasses import astuple

import pytest

from app import workbench


@pytest.fixture(scope="module")
def example():
    return workbench.view(workbench.worked_example())


def test_the_terms_of_every_workload_add_up_to_its_mean(example):
    known = [each for each in example.plan.allocations if each.ttft_parts is not None]
    assert len(known) == len(example.plan.allocations)
    for each in known:
        assert all(term >= 0 for term in astuple(each.ttft_parts))
        assert sum(astuple(each.ttft_parts)) == pytest.approx(each.ttft_s.mean, rel=1e-9)


def test_ones_own_prefill_takes_at_least_its_fresh_tokens(example):
    demands = {each.workload.name: each.workload for each in example.scenario.demands}
    for each in example.plan.allocations:
        law = example.performances[f"{each.tier_id}/{each.model_id}"].step
        workload = demands[each.workload]
        fresh_tok = workload.input_tok.mean_tok * (1 - workload.cached_input_fraction)
        assert each.ttft_parts.own_prefill_s > law.delta_s_per_input_tok * fresh_tok * 0.99
