"""Each command measures the workload's own shape, and no name in it can become another command."""

import json
import math
import shlex

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.measuring_commands import (
    Ladder,
    concurrency_ladder,
    measuring_commands,
    range_ratio,
    rate_ladder,
)
from models.lengths import empirical_lengths, fixed_lengths, lognormal_lengths
from models.workloads import Demand, Workload

LADDER = Ladder(kind="concurrency", loads=(1, 8, 64))


def demand(name="voice", input_tok=None, output_tok=None, cached=0.0):
    workload = Workload(
        name=name,
        kind="support",
        models=("m",),
        input_tok=input_tok or fixed_lengths(1200),
        output_tok=output_tok or fixed_lengths(300),
        cached_input_fraction=cached,
    )
    return Demand(workload=workload, peak_rate_req_per_s=2.0)


def option(line, name):
    words = shlex.split(line)
    return words[words.index(name) + 1]


def by_tool(*arguments):
    return dict(zip(("guidellm", "vllm", "aiperf"), measuring_commands(*arguments), strict=True))


def test_the_values_are_the_workloads_own():
    # 100 and 300 equally often: mean 200, standard deviation 100
    lengths = empirical_lengths([100, 300])
    found = by_tool(demand(input_tok=fixed_lengths(1200), output_tok=lengths), LADDER, "http://h:1", "m")
    data = json.loads(option(found["guidellm"].lines[1], "--data"))
    assert data == {
        "kind": "synthetic_text",
        "prompt_tokens": 1200,
        "output_tokens": 200,
        "output_tokens_stdev": 100,
    }
    assert json.loads(option(found["guidellm"].lines[1], "--profile"))["streams"] == [8]
    line = found["vllm"].lines[1]
    assert (option(line, "--random-input-len"), option(line, "--random-output-len")) == ("1200", "200")
    assert float(option(line, "--random-range-ratio")) == pytest.approx(math.sqrt(3) / 2, abs=0.005)
    assert option(line, "--max-concurrency") == "8"
    line = found["aiperf"].lines[1]
    assert option(line, "--synthetic-input-tokens-mean") == "1200"
    assert option(line, "--synthetic-input-tokens-stddev") == "0"
    assert (option(line, "--output-tokens-mean"), option(line, "--output-tokens-stddev")) == ("200", "100")
    assert option(line, "--concurrency") == "8"


def test_a_uniform_of_that_range_has_the_workloads_spread():
    lengths = lognormal_lengths(400, 0.4)
    mean, ratio = lengths.mean_tok, range_ratio(lengths)
    drawn = np.random.default_rng(1).uniform(mean * (1 - ratio), mean * (1 + ratio), 200_000)
    assert drawn.std() == pytest.approx(lengths.spread_tok, rel=0.02)


def test_a_spread_wider_than_a_range_can_be_is_said():
    found = by_tool(demand(output_tok=lognormal_lengths(400, 2.0)), LADDER, "http://h:1", "m")
    assert option(found["vllm"].lines[0], "--random-range-ratio") == "0.99"
    assert "the longest are missing" in " ".join(found["vllm"].notes)
    assert found["aiperf"].notes


def test_no_two_runs_share_prompts_and_each_has_enough_requests_and_a_warm_up():
    found = by_tool(demand(), LADDER, "http://h:1", "m")
    seeds = {
        "guidellm": [option(line, "--seed") for line in found["guidellm"].lines],
        "vllm": [option(line, "--seed") for line in found["vllm"].lines],
        "aiperf": [option(line, "--random-seed") for line in found["aiperf"].lines],
    }
    assert all(len(set(each)) == len(LADDER.loads) for each in seeds.values())
    assert [option(line, "--num-prompts") for line in found["vllm"].lines] == ["200", "200", "640"]
    assert [option(line, "--request-count") for line in found["aiperf"].lines] == ["200", "200", "640"]
    assert option(found["guidellm"].lines[2], "--constraint") == "kind=max_requests,count=640"
    assert [option(line, "--num-warmups") for line in found["vllm"].lines] == ["2", "8", "64"]
    assert [option(line, "--warmup-request-count") for line in found["aiperf"].lines] == ["2", "8", "64"]
    assert json.loads(option(found["guidellm"].lines[0], "--profile"))["warmup"] > 0
    names = [option(line, "--result-filename") for line in found["vllm"].lines]
    assert len(set(names)) == 3


def test_a_rate_ladder_offers_rates():
    ladder = rate_ladder(2.0)
    assert ladder.loads == (0.5, 1.0, 1.5, 2.0, 2.5)
    found = by_tool(demand(), ladder, "http://h:1", "m")
    assert [option(line, "--request-rate") for line in found["vllm"].lines] == ["0.5", "1", "1.5", "2", "2.5"]
    assert all("--max-concurrency" not in line for line in found["vllm"].lines)
    assert json.loads(option(found["guidellm"].lines[4], "--profile"))["rate"] == [2.5]
    assert option(found["aiperf"].lines[4], "--request-count") == "300"


@pytest.mark.parametrize(
    ("planned", "loads"),
    [(None, (1, 4, 16, 64)), (32.4, (1, 4, 8, 16, 32, 65)), (1.2, (1, 2, 4, 8)), (0.01, (1, 2, 4, 8))],
)
def test_the_ladder_begins_alone_goes_beyond_the_plan_and_has_four_loads(planned, loads):
    assert concurrency_ladder(planned).loads == loads


def test_what_the_plan_counts_as_cached_is_said():
    found = by_tool(demand(cached=0.6), LADDER, "http://h:1", "m")
    assert all("60 % of each prompt as cached" in " ".join(each.notes) for each in found.values())


@settings(max_examples=150, deadline=None)
@given(
    name=st.text(
        st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), min_size=1, max_size=40
    ),
    endpoint=st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=40),
    model=st.sampled_from(("x; rm -rf ~", "$(id)", "`id`", "a'b\"c", "\n--evil", "")),
)
def test_no_name_can_become_another_word(name, endpoint, model):
    plain = by_tool(demand(), LADDER, "http://h:1", "m")
    for tool, hostile in by_tool(demand(name=name), LADDER, endpoint, model).items():
        for line, usual in zip(hostile.lines, plain[tool].lines, strict=True):
            words = shlex.split(line)
            assert len(words) == len(shlex.split(usual))
            assert not any(mark in words[-1] for mark in "'\"$`;|&<>\n /\\")
            if tool == "guidellm":
                backend = json.loads(words[words.index("--backend") + 1])
                assert (backend["target"], backend["model"]) == (endpoint, model)
            else:
                assert words[words.index("--model") + 1] == model


# Options that the commands use, each as its tool documents it. Where a tool has other names for one, the name
# here is one of those listed.
DOCUMENTED = {
    # vllm-project/guidellm, docs/guides/v0.7.0_migration_guide.md (0.7.0 to 0.7.2), commit 0b8c56a:
    # `guidellm run` with --backend kind=openai_http,target=,model=; --data kind=synthetic_text; --profile
    # kind=concurrent,streams= or kind=poisson,rate= with warmup=; --constraint kind=max_requests,count=;
    # --seed kind=static,value=; --output kind=json,path=.
    "guidellm": {"--backend", "--data", "--profile", "--constraint", "--seed", "--output"},
    # vllm-project/vllm, vllm/benchmarks/serve.py, add_cli_args, commit 009e6d4, and its dataset parser;
    # docs.vllm.ai, "vllm bench serve", 0.11.2 and latest. --num-warmups is younger than 0.11.0.
    "vllm": {
        *("--backend", "--base-url", "--endpoint", "--model", "--dataset-name", "--max-concurrency"),
        *("--random-input-len", "--random-output-len", "--random-range-ratio", "--ignore-eos", "--seed"),
        *("--request-rate", "--num-prompts", "--num-warmups", "--percentile-metrics"),
        *("--metric-percentiles", "--save-result", "--result-filename"),
    },
    # ai-dynamo/aiperf, docs/cli-options.md (`aiperf profile`), read in 2026: --prompt-input-tokens-mean is
    # --synthetic-input-tokens-mean and --isl; --prompt-output-tokens-mean is --output-tokens-mean and --osl;
    # --output-artifact-dir is --artifact-dir; --num-dataset-entries is --num-prompts, default 100, and
    # "entries are reused".
    "aiperf": {
        *("--model", "--url", "--endpoint-type", "--streaming", "--synthetic-input-tokens-mean"),
        *("--synthetic-input-tokens-stddev", "--output-tokens-mean", "--output-tokens-stddev"),
        *("--extra-inputs", "--concurrency", "--request-rate", "--request-count", "--num-dataset-entries"),
        *("--warmup-request-count", "--random-seed", "--artifact-dir"),
    },
}
STARTS = {
    "guidellm": ["guidellm", "run"],
    "vllm": ["vllm", "bench", "serve"],
    "aiperf": ["aiperf", "profile"],
}


@pytest.mark.parametrize("ladder", [LADDER, rate_ladder(3.0)])
def test_every_option_is_one_its_tool_documents(ladder):
    used = {tool: set() for tool in DOCUMENTED}
    for tool, command in by_tool(
        demand(output_tok=lognormal_lengths(400, 0.4)), ladder, "http://h:1", "m"
    ).items():
        for line in command.lines:
            words = shlex.split(line)
            assert words[: len(STARTS[tool])] == STARTS[tool]
            used[tool] |= {word for word in words if word.startswith("--")}
    loads = {"--max-concurrency", "--concurrency", "--request-rate"}
    for tool, options in DOCUMENTED.items():
        assert used[tool] <= options
        assert options - used[tool] <= loads


def test_guidellms_groups_have_the_keys_it_documents():
    for ladder, keys in (
        (LADDER, {"kind", "streams", "warmup"}),
        (rate_ladder(3.0), {"kind", "rate", "warmup"}),
    ):
        line = by_tool(demand(output_tok=lognormal_lengths(400, 0.4)), ladder, "http://h:1", "m")[
            "guidellm"
        ].lines[0]
        assert json.loads(option(line, "--profile")).keys() == keys
        assert json.loads(option(line, "--backend")).keys() == {"kind", "target", "model"}
        assert option(line, "--constraint").startswith("kind=max_requests,count=")
        assert option(line, "--seed").startswith("kind=static,value=")
        assert option(line, "--output").startswith("kind=json,path=")


def test_aiperf_has_a_prompt_of_its_own_for_each_request_and_each_warm_up():
    for line in by_tool(demand(), LADDER, "http://h:1", "m")["aiperf"].lines:
        entries, count, warm_up = (
            int(option(line, name))
            for name in ("--num-dataset-entries", "--request-count", "--warmup-request-count")
        )
        assert entries == count + warm_up
