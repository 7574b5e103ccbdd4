"""The words of the command line: every command with its options and their bounds."""

import argparse
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from app.report.audiences import AUDIENCES

Commands = Mapping[str, Callable[[argparse.Namespace], int]]
STANDARD_STREAM = "-"
LABELS = {
    "tier": "the tier",
    "model": "the model",
    "accelerator": "the accelerator",
    "precision": "the precision",
    "engine": "the engine",
}


def parser(commands: Commands) -> argparse.ArgumentParser:
    """Every command with its options; `commands` holds what each of them runs."""
    top = argparse.ArgumentParser(
        prog="python -m app", description="Plimsoll: capacity and cost planning for LLM inference."
    )
    top.add_argument("--port", type=_port, default=None, help="port of the dashboard (8501)")
    top.add_argument("--address", default=None, help="address to listen on (127.0.0.1: this machine only)")
    top.add_argument("--db", default=None, metavar="PATH", help="benchmark store; :memory: for none")
    top.set_defaults(run=commands["dashboard"])
    listed = top.add_subparsers(metavar="COMMAND")

    plan = listed.add_parser("plan", help="plan a scenario file")
    plan.add_argument("scenario", help="scenario file (YAML or JSON); - for standard input")
    plan.add_argument("--json", metavar="OUT", help="write the plan as JSON; - for standard output")
    plan.add_argument(
        "--report", metavar="OUT", help="write a report: .pdf, .xlsx, .html, .interactive.html, .md or .json"
    )
    plan.add_argument("--audience", choices=tuple(AUDIENCES), default="everybody", help="whose sections")
    plan.add_argument(
        "--against", metavar="OTHER.yaml", help="another scenario, compared with in the answer and the report"
    )
    plan.add_argument(
        "--gateway", metavar="OUT", help="write the routing for a gateway: .yaml (LiteLLM proxy) or .json"
    )
    plan.add_argument("--date", metavar="YYYY-MM-DD", type=_day, help="date on the report (today)")
    _store_option(plan)
    plan.set_defaults(run=commands["plan"])

    importing = listed.add_parser("import", help="take benchmark files into the store")
    importing.add_argument("files", nargs="+", metavar="FILE")
    importing.add_argument("--format", metavar="KEY", help="read as this format instead of recognising it")
    importing.add_argument(
        "--mapping", metavar="MAP", help="what the columns mean: a file exported from the Benchmarks page"
    )
    importing.add_argument("--json", metavar="OUT", help="write what was read as JSON; - for standard output")
    for name, what in LABELS.items():
        importing.add_argument(f"--{name}", metavar="NAME", help=f"{what} that the files measured")
    importing.add_argument(
        "--relabel", action="store_true", help="keep a label that the file itself, or the store, contradicts"
    )
    importing.add_argument("--accelerators", type=_whole, metavar="N", help="how many of them served")
    load = importing.add_mutually_exclusive_group()
    unnamed = "of runs that name no load"
    load.add_argument("--concurrency", type=_positive, metavar="N", help=f"requests in flight, {unnamed}")
    load.add_argument("--rate", type=_positive, metavar="R", help=f"requests/s offered, {unnamed}")
    _store_option(importing)
    importing.set_defaults(run=commands["import"])

    curves = listed.add_parser("curves", help="measured points and fitted curve of each tier")
    curves.add_argument("--tier", metavar="ID", help="only this tier")
    curves.add_argument("--json", metavar="OUT", help="write as JSON; - for standard output")
    _store_option(curves)
    curves.set_defaults(run=commands["curves"])

    operate = listed.add_parser("operate", help="one operating point from plain inputs")
    operate.add_argument("file", metavar="FILE.json", help="- for standard input")
    operate.add_argument("--json", metavar="OUT", default=STANDARD_STREAM, help="where to write the answer")
    operate.add_argument("--simulate", action="store_true", help="by discrete-event simulation")
    operate.add_argument("--seed", type=int, default=1, help="of the simulation")
    operate.add_argument(
        "--requests", type=_count, default=200_000, metavar="N", help="calls to simulate (200,000)"
    )
    operate.set_defaults(run=commands["operate"])

    simulate = listed.add_parser("simulate", help="the plan beside its discrete-event simulation")
    simulate.add_argument("scenario", help="scenario file; - for standard input")
    simulate.add_argument("--json", metavar="OUT", help="write as JSON; - for standard output")
    simulate.add_argument(
        "--requests", type=_count, default=100_000, metavar="N", help="calls a pool (100,000)"
    )
    _store_option(simulate)
    simulate.set_defaults(run=commands["simulate"])

    sql = listed.add_parser("sql", help="ask the benchmark tables; reads only")
    sql.add_argument("query", metavar="SELECT")
    _store_option(sql)
    sql.set_defaults(run=commands["sql"])

    scenario = listed.add_parser("scenario", help="write the worked example, or check a file")
    scenario.add_argument("action", choices=("new", "check"))
    scenario.add_argument("file", metavar="FILE", help="- for standard output or input")
    scenario.set_defaults(run=commands["scenario"])
    return top


def _store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--db", default=None, metavar="PATH", help="benchmark store; :memory: for none")


def _whole(text: str) -> int:
    count = int(text)
    if not 1 <= count <= 100_000:
        raise argparse.ArgumentTypeError("between 1 and 100,000")
    return count


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < 1e6:
        raise argparse.ArgumentTypeError("above 0 and below 1,000,000")
    return value


def _day(text: str) -> Any:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65_535:
        raise argparse.ArgumentTypeError("a port is between 1 and 65,535")
    return port


def _count(text: str) -> int:
    count = int(text)
    if not 1_000 <= count <= 50_000_000:
        raise argparse.ArgumentTypeError("between 1,000 and 50,000,000")
    return count
