"""The built-in facts: evidence beside every value, prices of the day, and offers as they are sold."""

import csv
from dataclasses import fields
from datetime import date

import pytest

from data.catalogue_files import UnknownName, load_catalogue
from data.hardware_files import read_accelerator, read_rate
from data.tables import CATALOGUE
from data.workload_defaults import read_workload_default
from models.evidence import Grade, Sense

REPORT_DAY = date(2026, 11, 30)
SOURCES = {"a_page": "A page (https://example.org)"}
EVIDENCE = {"covers": ["memory_byte"], "grade": "C", "sense": "spec", "source": "a_page"}
CHIP = {"id": "chip", "label": "Chip", "vendor": "Maker"}


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue()


def chip_problems(**entries):
    problems = []
    read_accelerator(CHIP | entries, "accelerators.toml accelerator[0]", problems, SOURCES)
    return [str(problem) for problem in problems]


def test_a_value_without_evidence_is_refused():
    (problem,) = chip_problems(memory_byte=8e10)
    assert "accelerator[0].memory_byte: has a value but no evidence" in problem


def test_evidence_without_a_value_is_refused():
    (problem,) = chip_problems(evidence=[EVIDENCE])
    assert "has evidence but no value" in problem


def test_evidence_needs_a_listed_source():
    (problem,) = chip_problems(memory_byte=8e10, evidence=[EVIDENCE | {"source": "a_pag"}])
    assert "is not a listed source" in problem
    assert "Did you mean 'a_page'?" in problem


def test_a_misspelt_key_is_refused_with_its_address():
    (problem,) = chip_problems(memory_byte=8e10, evidence=[EVIDENCE], memory_bytes=1)
    assert "accelerator[0].memory_bytes: is not a known key. Did you mean 'memory_byte'" in problem


def test_a_value_with_evidence_is_accepted():
    assert chip_problems(memory_byte=8e10, evidence=[EVIDENCE]) == []


def test_a_workload_default_without_evidence_is_refused():
    problems = []
    raw = {"label": "X", "kind": "other", "proxy": "none", "draft": {"peak_rate_req_per_s": 1}}
    read_workload_default("x", raw, "workloads.toml x", problems, SOURCES)
    assert [problem.path for problem in problems] == ["workloads.toml x.peak_rate_req_per_s"]


def test_a_rate_without_a_source_is_refused():
    problems = []
    row = {
        "accelerator": "chip",
        "card": "spot",
        "usd_per_accelerator_h": 1,
        "grade": "C",
        "sense": "list_price",
    }
    assert read_rate(row, "rates row 2", problems, SOURCES) is None
    assert [problem.path for problem in problems] == ["rates row 2.source"]


def test_every_number_of_an_accelerator_or_model_has_evidence(catalogue):
    not_a_figure = {"year"}
    for record in (*catalogue.accelerators.values(), *catalogue.models.values()):
        for field in fields(record):
            value = getattr(record, field.name)
            if isinstance(value, int | float) and field.name not in not_a_figure:
                assert field.name in record.evidence, (record.id, field.name)


def test_every_offer_has_evidence_for_price_and_speed(catalogue):
    for tier_id, model_id in catalogue.listings:
        tier = catalogue.offer(tier_id, model_id, REPORT_DAY).tier
        assert tier.price is None or tier.price.evidence.source
        if tier.speed is not None:
            figures = {f.name for f in fields(tier.speed) if isinstance(getattr(tier.speed, f.name), float)}
            assert figures == set(tier.speed.evidence)


def test_workload_defaults_are_proposals_and_say_so(catalogue):
    kinds = {default.kind for default in catalogue.workload_defaults.values()}
    assert kinds == {"operations", "finance", "support_voice", "commerce", "research", "other"}
    for default in catalogue.workload_defaults.values():
        assert default.proxy
        assert {each.grade for each in default.evidence.values()} == {Grade.ASSUMED_OR_DERIVED}


@pytest.mark.parametrize(
    ("model", "growing_byte_per_tok", "fixed_byte"),
    [
        # 2 (keys and values) x layers x KV heads x head size x 2 byte, from the models' config.json
        ("llama-3.1-8b", 2 * 32 * 8 * 128 * 2, None),
        ("llama-3.3-70b", 2 * 80 * 8 * 128 * 2, None),
        ("qwen3-235b-a22b", 2 * 94 * 4 * 128 * 2, None),
        # half the layers see a window of 128 tokens and stop growing there
        ("gpt-oss-120b", 2 * 18 * 8 * 64 * 2, 2 * 18 * 8 * 64 * 2 * 128),
        # latent attention: layers x (latent rank + rope size) x 2 byte
        ("deepseek-r1", 61 * (512 + 64) * 2, None),
    ],
)
def test_kv_cache_bytes_follow_from_the_configuration(catalogue, model, growing_byte_per_tok, fixed_byte):
    assert catalogue.models[model].kv_growing_byte_per_tok == growing_byte_per_tok
    assert catalogue.models[model].kv_fixed_byte == fixed_byte


def test_an_unpublished_chip_keeps_blanks(catalogue):
    chip = catalogue.accelerators["olix_dx1"]
    assert chip.memory_byte is None
    assert not chip.dense_flop_per_s
    assert not chip.evidence


def test_the_wafer_holds_44_gb(catalogue):
    assert catalogue.accelerators["cerebras_wse3"].memory_byte == 44e9


@pytest.mark.parametrize(
    ("day", "input_usd_per_mtok", "output_usd_per_mtok"),
    [(date(2026, 8, 20), 5, 30), (date(2026, 8, 21), 4, 20), (REPORT_DAY, 4, 20)],
)
def test_the_price_cut_of_sol_holds_from_its_day(catalogue, day, input_usd_per_mtok, output_usd_per_mtok):
    # OpenAI changelog: 5/30 became 4/20 USD per Mtok on 2026-08-21
    price = catalogue.offer("openai_standard", "gpt-5.6-sol", day).tier.price
    assert (price.input_usd_per_mtok, price.output_usd_per_mtok) == (input_usd_per_mtok, output_usd_per_mtok)


def test_fast_costs_twice_standard_and_is_unknown_before_the_list_knows_it(catalogue):
    standard = catalogue.offer("openai_standard", "gpt-5.6-sol", REPORT_DAY).tier.price
    fast = catalogue.offer("openai_fast", "gpt-5.6-sol", REPORT_DAY).tier.price
    assert fast.output_usd_per_mtok == 2 * standard.output_usd_per_mtok
    assert catalogue.offer("openai_fast", "gpt-5.6-sol", date(2026, 9, 1)).tier.price is None


def test_ultrafast_is_unpriced_for_sol_and_six_times_standard_for_its_successors(catalogue):
    preview = catalogue.offer("openai_ultrafast", "gpt-5.6-sol", REPORT_DAY).tier
    assert preview.price is None
    assert preview.availability == "waitlist"
    assert preview.speed.evidence["stream_rate_ceiling_tok_per_s"].sense is Sense.CEILING
    for model in ("gpt-6-astra", "gpt-6.1-sol"):
        standard = catalogue.offer("openai_standard", model, REPORT_DAY).tier.price
        ultrafast = catalogue.offer("openai_ultrafast", model, REPORT_DAY).tier
        assert ultrafast.availability == "open"
        assert ultrafast.price.input_usd_per_mtok == 6 * standard.input_usd_per_mtok
        assert ultrafast.price.output_usd_per_mtok == 6 * standard.output_usd_per_mtok
        assert ultrafast.token_limit_per_min is not None


def test_availability_follows_the_day(catalogue):
    def on(tier, model, day):
        return catalogue.offer(tier, model, day).tier.availability

    assert on("openai_ultrafast", "gpt-6-astra", date(2026, 9, 28)) == "announced"
    assert on("openai_ultrafast", "gpt-6-astra", date(2026, 9, 29)) == "open"
    assert on("anthropic_fast", "claude-opus-4-8", date(2026, 11, 30)) == "open"
    assert on("anthropic_fast", "claude-opus-4-8", date(2026, 12, 1)) == "retired"
    assert on("fireworks_api", "gpt-oss-120b", REPORT_DAY) == "retired"


def test_a_measured_speed_keeps_its_range_and_a_ceiling_its_sense(catalogue):
    # Artificial Analysis: 1705.8 (2026-05) and 1844.1 (undated); Cerebras: about 3,000
    speed = catalogue.offer("cerebras_api", "gpt-oss-120b", REPORT_DAY).tier.speed
    evidence = speed.evidence["stream_rate_tok_per_s"]
    assert (evidence.low, evidence.high, evidence.grade) == (1705.8, 1844.1, Grade.INDEPENDENT)
    assert not speed.evidence["stream_rate_ceiling_tok_per_s"].may_size_a_fleet
    assert catalogue.offer("groq_api", "gpt-oss-120b", REPORT_DAY).tier.speed is None


def test_a_rented_price_has_the_range_of_offers(catalogue):
    price = catalogue.offer("h100_sxm_x4_vllm", "gpt-oss-120b", REPORT_DAY).tier.price
    assert price.evidence.low <= price.usd_per_accelerator_h <= price.evidence.high
    assert price.evidence.sense is Sense.LIST_PRICE


def test_a_rate_does_not_hold_before_its_day(catalogue):
    assert catalogue.offer("h100_sxm_x4_vllm", "gpt-oss-120b", date(2026, 4, 30)).tier.price is None


@pytest.mark.parametrize(
    ("tier", "model", "nearest"),
    [("cerebras_ap", "gpt-oss-120b", "cerebras_api"), ("cerebras_api", "gpt-oss", "gpt-oss-120b")],
)
def test_an_unknown_name_lists_close_ones(catalogue, tier, model, nearest):
    with pytest.raises(UnknownName) as error:
        catalogue.offer(tier, model, REPORT_DAY)
    assert nearest in error.value.cure


@pytest.mark.parametrize("path", sorted(CATALOGUE.glob("*.csv")), ids=lambda path: path.name)
def test_csv_rows_have_as_many_cells_as_the_header(path):
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert len(set(header)) == len(header)
    assert {len(row) for row in rows} == {len(header)}


@pytest.mark.parametrize(
    ("tier", "model", "usd_per_mtok"),
    [
        # a second list, litellm 1.110.2: input, cached input (None: as fresh), output
        ("openai_standard", "gpt-6-astra", (10, 1, 50)),
        ("openai_standard", "gpt-6.1-sol", (2, 0.1, 10)),
        ("openai_standard", "gpt-5.5", (5, 0.5, 30)),
        ("anthropic_standard", "claude-fable-5", (10, 1, 50)),
        ("anthropic_standard", "claude-opus-5-5", (4, 0.2, 20)),
        ("google_standard", "gemini-2.5-pro", (1.25, 0.125, 10)),
        ("cerebras_api", "gpt-oss-120b", (0.35, None, 0.75)),
        ("groq_api", "gpt-oss-120b", (0.15, 0.075, 0.6)),
        ("sambanova_api", "gpt-oss-120b", (0.22, None, 0.59)),
        ("together_api", "gpt-oss-120b", (0.15, None, 0.6)),
        ("novita_api", "gpt-oss-120b", (0.05, None, 0.25)),
        ("moonshot_api", "kimi-k3", (3, 0.3, 15)),
    ],
)
def test_listed_prices_agree_with_a_second_list(catalogue, tier, model, usd_per_mtok):
    price = catalogue.offer(tier, model, REPORT_DAY).tier.price
    found = (price.input_usd_per_mtok, price.cached_input_usd_per_mtok, price.output_usd_per_mtok)
    assert found == usd_per_mtok
