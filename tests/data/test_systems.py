"""Every row of docs/systems.md does what it says: its names exist, and each row is exercised."""

import copy
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from app import workbench
from data.importers import BY_KEY
from models.architectures import disaggregated_pools
from models.fallback import billed_usd_per_month
from models.performance import CannotServe, StepLaw
from models.pool_plan import PoolPlan
from models.pools import plan_pool
from models.scenario import Policy
from models.task_speed import TaskPace, unaccelerated_fraction
from models.tiers import Fallback, Link, OwnedPrice
from models.tokens import roofline

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "systems.md"
DAY = date(2026, 11, 30)
ROW = re.compile(r"^\| ([A-F]\d+) \| (.+?) \| (.+?) \| (.+?) \|$", re.M)
EXPECTED = {"A": 10, "B": 16, "C": 3, "D": 9, "E": 6, "F": 8}
CATALOGUE = workbench.load_catalogue()


def rows():
    """Row id -> the names in code type of its last column."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return {key: re.findall(r"`([^`]+)`", where) for key, _, _, where in ROW.findall(text)}


ROWS = rows()


def offer(name, day=DAY):
    """The offer written `tier/model`."""
    return CATALOGUE.offer(*name.split("/", 1), day)


def fitted(name, derate=0.6):
    """What an offer of the catalogue can do, a derate of its ceiling accepted."""
    scenario = workbench.scenario_of(one_workload(name, derate))
    return workbench.view(one_workload(name, derate)).performances[scenario.offers[0].id]


def one_workload(name, derate=None, **policy):
    """The research loop without targets on one offer."""
    tier, model = name.split("/", 1)
    made = copy.deepcopy(workbench.worked_example())
    made["workloads"] = [each for each in made["workloads"] if each["kind"] == "research"]
    made["workloads"][0] |= {"targets": [], "models": [model]}
    made["offers"] = [{"tier": tier, "model": model}]
    made["policy"] |= {"accepted_derate_ratio": derate, **policy}
    return made


def refusal(name, **policy):
    """Why nothing is planned on an offer, as one text."""
    (found,) = workbench.view(one_workload(name, **policy)).plan.rejections
    return f"{found.binding_constraint}: {'; '.join(found.reasons)}; {found.would_fit_if}"


def usd(name, day=DAY):
    price = offer(name, day).tier.price
    return price.input_usd_per_mtok, price.output_usd_per_mtok


def planned(name, **policy):
    return workbench.view(one_workload(name, **policy)).plan


def demand():
    scenario = workbench.scenario_of(one_workload("cs3_owned/llama-3.3-70b"))
    return scenario.demands[0]


def pair_with_figures(name):
    """A pairing template, filled in as a user would: link, decode step, prefill speed, both prices."""
    bare = offer(name)
    said = CATALOGUE.offer("h100_sxm_x4_vllm", "gpt-oss-120b", DAY).tier.price
    side = replace(bare.tier.prefill, price=said, alpha_s=0.005, delta_s_per_input_tok=2e-5)
    tier = replace(
        bare.tier,
        accelerator_count_per_replica=bare.tier.accelerator_count_per_replica or 4,
        link=Link(bandwidth_byte_per_s=5e10),
        step=StepLaw(alpha_s=2e-3, beta_s_per_seq=2e-5),
        prefill=side,
        price=said,
    )
    filled = replace(bare, tier=tier)
    performance = disaggregated_pools.fit(filled, ())
    return plan_pool(filled, performance, (demand(),), Policy())


def pairing(name, lacking):
    """A template is refused for what is not known, and planned once a user states it."""
    refused = disaggregated_pools.fit(offer(name), ())
    assert isinstance(refused, CannotServe)
    assert lacking in " ".join(refused.reasons)
    assert isinstance(pair_with_figures(name), PoolPlan)


def claim(key):
    return CATALOGUE.claims[key]


def workload(kind):
    return next(each for each in CATALOGUE.workload_defaults.values() if each.kind == kind)


def a1():
    assert usd("openai_standard/gpt-5.6-sol") == (4, 20)
    assert usd("openai_standard/gpt-5.6-sol", date(2026, 8, 20)) == (5, 30)
    assert offer("openai_standard/gpt-5.6-sol").tier.speed is None


def a2():
    assert usd("openai_fast/gpt-5.6-sol") == (8, 40)


def a3():
    assert offer("openai_ultrafast/gpt-5.6-sol").tier.price is None
    assert "waitlist" in refusal("openai_ultrafast/gpt-5.6-sol")
    made = one_workload("openai_standard/gpt-5.6-sol")
    made["offers"].append({"tier": "openai_ultrafast", "model": "gpt-5.6-sol"})
    (found,) = workbench.view(made).plan.break_evens
    assert found.reference == "Standard"


def a4():
    for model in ("gpt-6-astra", "gpt-6.1-sol"):
        standard, fast = usd(f"openai_standard/{model}"), usd(f"openai_ultrafast/{model}")
        assert [each / base for each, base in zip(fast, standard, strict=True)] == [6, 6]
        tier = offer(f"openai_ultrafast/{model}").tier
        assert tier.token_limit_per_min
        assert "EU" in tier.region


def a5():
    asked = offer("openai_ultrafast/gpt-6.1-sol").tier.price
    served = offer("openai_standard/gpt-6.1-sol").tier.price
    instead = Fallback(label="Standard", probability_fraction=0.1, price=served)
    usd = [billed_usd_per_month(asked, each, demand()) for each in (None, instead)]
    # nine requests at six times Standard, one at Standard: 5.5 of 6
    assert usd[1] / usd[0] == pytest.approx(5.5 / 6)


def a6():
    made = one_workload("openai_standard/gpt-6.1-sol")
    calls = []
    for fan_out in (1, 64):
        made["workloads"][0]["task"] = {"sequential_call_count": 1, "fan_out_count": fan_out}
        calls.append(workbench.view(made).plan.totals.request_count_per_month)
    assert calls[1] == pytest.approx(64 * calls[0])


def a7():
    tier = offer("anthropic_fast/claude-opus-4-8").tier
    assert tier.available_until == DAY
    assert "not sold" in refusal("anthropic_fast/claude-opus-4-8")
    assert offer("anthropic_fast/claude-opus-4-8", date(2026, 12, 1)).tier.availability == "retired"


def a8():
    assert usd("anthropic_standard/claude-fable-5") == (10, 50)


def a9():
    assert usd("openai_batch/gpt-6.1-sol") == usd("openai_flex/gpt-6.1-sol") == (1, 5)
    assert usd("anthropic_batch/claude-fable-5") == (5, 25)
    assert planned("openai_batch/gpt-6.1-sol").allocations


def a10():
    assert Policy().allow_availability == ("open",)
    assert "announced" in refusal("trainium_cs3/llama-3.3-70b")
    assert "limited" in refusal("openai_standard/gpt-5.3-codex-spark")


def b1():
    chip = CATALOGUE.accelerators["b200_sxm"]
    assert chip.scale_up_bandwidth_byte_per_s == 9e11
    assert chip.scale_up_domain_count == 8


def b2():
    plan = planned("dynamo_h200/llama-3.3-70b")
    assert plan.pools[0].prefill_worker_count >= 1


def b3():
    assert offer("cs3_owned/llama-3.3-70b").tier.accelerator_count_per_replica == 4
    assert planned("cs3_owned/llama-3.3-70b", accepted_derate_ratio=0.6).pools[0].replica_count >= 1
    assert "a ceiling sizes nothing" in refusal("cs3_owned/llama-3.3-70b")


def b4():
    assert offer("cs3_owned/llama-3.1-405b").tier.accelerator_count_per_replica == 19
    assert any("unpublished; state it" in text for text in fitted("cs3_owned/llama-3.3-70b").notices)


def b5():
    assert fitted("cs3_owned/llama-3.3-70b").bottleneck_s_per_input_tok is None
    assert claim("C045").status.startswith("not corroborated")


def b6():
    assert isinstance(pair_with_figures("dynamo_h200/llama-3.3-70b"), PoolPlan)


def b7():
    pairing("rubin_groq_lpx/llama-3.3-70b", "link")


def b8():
    pairing("mi300x_wse/llama-3.3-70b", "link")
    assert "unverified" in offer("mi300x_wse/llama-3.3-70b").tier.label


def b9():
    pairing("trainium_cs3/llama-3.3-70b", "link")


def b10():
    pairing("gpu_dx1/llama-3.3-70b", "link")


def b11():
    base = offer("h100_sxm_x4_vllm/llama-3.3-70b")
    for chip in ("groq_lpu3", "tpu_v7", "sn50", "trainium3"):
        tier = replace(base.tier, accelerator_count_per_replica=256)
        bounds = roofline(replace(base, tier=tier, accelerator=CATALOGUE.accelerators[chip]))
        assert bounds.floor_step_s > 0


def b12():
    made = one_workload("openai_standard/gpt-6.1-sol")
    made["offers"].append({"tier": "openai_batch", "model": "gpt-6.1-sol"})
    (chosen,) = workbench.view(made).plan.allocations
    assert chosen.tier_id == "openai_batch"
    assert chosen.runner_up.tier_id == "openai_standard"


def b13():
    near = TaskPace(ttft_s=0.3, tpot_s=1 / 750)
    far = replace(near, network_s=0.1)
    assert far.task_s(10, 300, 0.0) - near.task_s(10, 300, 0.0) == pytest.approx(10 * 0.1)


def b14():
    assert offer("cs3_owned/llama-3.3-70b").tier.failure_unit == "wafer"
    spare = planned("cs3_owned/llama-3.3-70b", accepted_derate_ratio=0.6, spare_unit_count=2)
    assert spare.pools[0].spare_replica_count == 2


def b15():
    assert fitted("cs3_owned/llama-3.3-70b").end == "pessimistic"


def b16():
    fp8 = offer("h100_sxm_x4_vllm/llama-3.3-70b")
    bf16 = replace(fp8, tier=replace(fp8.tier, precision="bf16"))
    assert roofline(bf16).floor_step_s == pytest.approx(2 * roofline(fp8).floor_step_s)


def c1():
    assert CATALOGUE.models["gpt-5.6-sol"].total_parameter_count is None


def c2():
    tier = offer("openai_standard/gpt-5.3-codex-spark").tier
    assert (tier.price, tier.availability) == (None, "limited")


def c3():
    assert usd("openai_standard/gpt-5.6-luna") < usd("openai_standard/gpt-5.6-terra")
    assert "quality gate" in next(
        each.binding_constraint
        for each in workbench.view(gated()).plan.rejections
        if each.model_id == "gpt-5.6-luna"
    )


def gated():
    made = one_workload("openai_standard/gpt-5.6-sol")
    made["offers"].append({"tier": "openai_standard", "model": "gpt-5.6-luna"})
    return made


def d1():
    evidence = offer("cerebras_api/gpt-oss-120b").tier.speed.evidence["stream_rate_tok_per_s"]
    assert (evidence.grade, evidence.measured_by) == ("B", "Artificial Analysis")


def d2():
    assert claim("C065").value / claim("C064").value == pytest.approx(claim("C066").value, abs=1e-3)
    assert claim("C067").value is None


def d3():
    share = unaccelerated_fraction(claim("C069").value, 14.0)
    assert share * 100 == pytest.approx(claim("C070").value, abs=0.01)


def d4():
    assert "guidellm" in BY_KEY


def d5():
    assert Policy().accept_unverified_parity is False
    texts = [notice.text for notice in planned("dynamo_h200/llama-3.3-70b").notices]
    assert any("quantised to fp8 from bf16" in text and "parity not shown" in text for text in texts)


def d6():
    assert all(each.measured_by and each.reproducible for each in CATALOGUE.claims.values())


def d7():
    assert (
        not offer("cerebras_api/gpt-oss-120b")
        .tier.speed.evidence["stream_rate_ceiling_tok_per_s"]
        .may_size_a_fleet
    )


def d8():
    assert ROWS["D8"] == []


def d9():
    assert "inferencex" in BY_KEY


def e1():
    assert workload("operations").draft["arrival"]["kind"] != "poisson"


def e2():
    assert workload("finance").draft["value"]["kind"] == "half_life"


def e3():
    assert {each["metric"] for each in workload("support_voice").draft["targets"]} >= {"ttft_s"}


def e4():
    assert workload("commerce").draft["value"]["kind"] == "conversion"


def e5():
    assert workload("research").draft["value"]["kind"] == "iterations"


def e6():
    assert workload("operations").draft["task"]["sequential_call_count"] > 1


def f1():
    assert offer("openai_ultrafast/gpt-6-astra").tier.supplier == "OpenAI"


def f2():
    assert Policy(max_supplier_share_fraction=0.5).max_supplier_share_fraction == 0.5
    made = one_workload("openai_standard/gpt-6.1-sol", max_supplier_share_fraction=0.5)
    assert workbench.view(made).plan.unplaced


def f3():
    bases = [type(offer(name).tier.price) for name in ROWS["F3"]]
    assert bases[0] is OwnedPrice
    assert bases[1] is type(None)
    assert offer("cerebras_api/gpt-oss-120b").tier.price.basis == "per_token"


def f4():
    assert claim("C074").value + claim("C076").value == pytest.approx(claim("C072").value)


def f5():
    assert claim("C084").value > 30


def f6():
    b12()


def f7():
    assert CATALOGUE.accelerators["cerebras_wse3"].chip_power_w == 23_000
    assert offer("cs3_owned/llama-3.3-70b").tier.price.accelerator_power_w == 23_000


def f8():
    standard, fast = usd("openai_standard/gpt-6.1-sol"), usd("openai_ultrafast/gpt-6.1-sol")
    assert fast[1] > standard[1]


CHECKS = {name.upper(): check for name, check in list(globals().items()) if re.fullmatch(r"[a-f]\d+", name)}


def test_the_table_has_every_row():
    wanted = [f"{letter}{number}" for letter, count in EXPECTED.items() for number in range(1, count + 1)]
    assert list(ROWS) == wanted
    assert set(CHECKS) == set(wanted)


@pytest.mark.parametrize("key", sorted(ROWS))
def test_what_a_row_names_is_there(key):
    for name in ROWS[key]:
        if re.fullmatch(r"C\d{3}", name):
            assert name in CATALOGUE.claims
        elif name.endswith((".py", ".toml", ".csv")):
            assert (ROOT / name).is_file(), name
        else:
            assert offer(name).id == name


@pytest.mark.parametrize("key", sorted(CHECKS))
def test_a_row_does_what_it_says(key):
    CHECKS[key]()
