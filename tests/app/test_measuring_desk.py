"""The command lines on the Benchmarks page are those of the workload chosen, for the server named."""

import shlex

from app import workbench
from tests.app.clicking import words

SCRIPT = """
from app import measuring_desk, state
state.begin()
measuring_desk.measure()
"""


def shown(app):
    return [each.value for each in app.get("code")]


def test_the_lines_follow_workload_server_and_model(desk):
    desk.run()
    assert list(desk.exception) == []
    demands = workbench.scenario_of(workbench.worked_example()).demands
    [_, vllm, _] = shown(desk)
    tokens = shlex.split(vllm.splitlines()[0])
    assert tokens[tokens.index("--random-input-len") + 1] == str(
        round(demands[0].workload.input_tok.mean_tok)
    )
    desk.selectbox[0].set_value(demands[1].workload.name).run()
    desk.text_input[0].set_value("http://gpu-1:9000").run()
    desk.text_input[1].set_value("a b; rm -rf ~").run()
    for lines in shown(desk):
        for line in lines.splitlines():
            assert "a b; rm -rf ~" in " ".join(shlex.split(line))
            assert "http://gpu-1:9000" in line
    [_, vllm, _] = shown(desk)
    tokens = shlex.split(vllm.splitlines()[0])
    assert tokens[tokens.index("--random-output-len") + 1] == str(
        round(demands[1].workload.output_tok.mean_tok)
    )
    assert tokens[tokens.index("--model") + 1] == "a b; rm -rf ~"


def test_the_ladder_stands_around_what_the_plan_has_in_flight(desk):
    desk.run()
    plan = workbench.view(workbench.worked_example()).plan
    name = workbench.scenario_of(workbench.worked_example()).demands[0].workload.name
    placed = next(each for each in plan.allocations if each.workload == name)
    latency_s = placed.e2e_s.mean or placed.e2e_s.p50
    planned = placed.offered_rate_req_per_s * latency_s / (placed.replica_count or 1)
    assert f"Around the {planned:.3g} requests" in words(desk)
    loads = [int(line.split("--max-concurrency ")[1].split()[0]) for line in shown(desk)[1].splitlines()]
    assert loads[0] == 1
    assert loads[-1] >= planned
