"""The command line: arguments in, workbench calls, text or a file out. No browser, the same numbers.

Exit codes: 0 all done; 1 bad input, nothing done; 2 usage; 3 done in part.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from app import cli_import
from app.cli_arguments import STANDARD_STREAM, Commands, parser
from app.cli_files import (
    as_json,
    complain,
    discard_outputs,
    read_input,
    reading_store,
    unusable,
    write_output,
)
from app.exit_codes import ALL_DONE, DONE_IN_PART, INTERRUPTED, NOTHING_DONE, USAGE
from models.problems import InputProblems

if TYPE_CHECKING:
    from app.workbench import View
    from models.measurements import SourcedMeasurement


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parsed = parser(COMMANDS).parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
    except InputProblems as problems:
        complain(problems.problems)
        code = NOTHING_DONE
        discard_outputs(parsed)
    except BrokenPipeError:
        # The reader (head, less) has had enough; that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ALL_DONE
    except KeyboardInterrupt:
        print("stopped; what was being done is undone", file=sys.stderr)
        code = INTERRUPTED
        discard_outputs(parsed)
    if code == USAGE:
        discard_outputs(parsed)
    return code


def _dashboard(parsed: argparse.Namespace) -> int:
    from app import dashboard_start

    return dashboard_start.run(parsed.db, parsed.address, parsed.port)


def _plan(parsed: argparse.Namespace) -> int:
    from app import gateway, shelf, workbench
    from app.plan_json import plan_as_json
    from app.report.audiences import AUDIENCES
    from app.report.writing import compose, suffix_of, suffixes, write
    from app.scenario_changes import bill_sentence

    suffix = suffix_of(parsed.report or "")
    if parsed.report and suffix is None:
        print(
            f"--report: no format for {parsed.report!r}; use one of {', '.join(suffixes())}", file=sys.stderr
        )
        return USAGE
    gateway_suffix = Path(parsed.gateway).suffix.lower() if parsed.gateway else ""
    if parsed.gateway and gateway_suffix not in gateway.suffixes():
        formats = ", ".join(gateway.suffixes())
        print(f"--gateway: no format {gateway_suffix!r}; use one of {formats}", file=sys.stderr)
        return USAGE
    draft = workbench.read_draft(read_input(parsed.scenario), parsed.scenario)
    workbench.scenario_of(draft)
    store = reading_store(parsed.db)
    own = store.measurements()
    seen = workbench.view(draft, own)
    missing = seen.missing_measurements()
    if missing:
        print(f"warning: not in this store: {', '.join(missing)}. Import the same files.", file=sys.stderr)
    other = _other_view(parsed.against, own) if parsed.against else None
    if parsed.json:
        write_output(parsed.json, as_json(plan_as_json(seen.plan)))
    if suffix is not None:
        written_on = parsed.date or datetime.now(UTC).date()
        sections, claims = AUDIENCES[parsed.audience], shelf.own_claims(store)
        document = compose(seen, written_on, None, sections, against=other, own_claims=claims)
        write_output(parsed.report, write(document, suffix))
    if parsed.gateway:
        write_output(parsed.gateway, gateway.written(seen, gateway_suffix))
    if parsed.json != STANDARD_STREAM:
        print(seen.plan.sentence)
        if other is not None:
            print(f"Against {other.scenario.name}: {bill_sentence(other, seen)}")
    for notice in seen.plan.notices:
        print(f"{notice.level}: {notice.text}", file=sys.stderr)
    for each in seen.plan.rejections:
        if each.workload in seen.plan.unplaced:
            why, cure = "; ".join(each.reasons), each.would_fit_if
            text = f"refused: {each.workload} on {each.tier_label}: {why}. It would fit if {cure}."
            print(text, file=sys.stderr)
    return DONE_IN_PART if seen.plan.unplaced else ALL_DONE


def _other_view(source: str, own: "Sequence[SourcedMeasurement]") -> "View":
    """The scenario to compare with, worked out on the same measurements."""
    from app import workbench

    draft = workbench.read_draft(read_input(source), source)
    return workbench.view(draft, own)


def _curves(parsed: argparse.Namespace) -> int:
    from app import workbench
    from app.curve_json import curves_as_json, curves_as_text

    found = workbench.catalogue_curves(reading_store(parsed.db).measurements(), parsed.tier)
    if parsed.json:
        write_output(parsed.json, as_json(curves_as_json(found)))
    if parsed.json != STANDARD_STREAM:
        print(curves_as_text(found))
    return ALL_DONE


def _operate(parsed: argparse.Namespace) -> int:
    from app import operate_json

    text = read_input(parsed.file).decode("utf-8-sig", "replace")
    write_output(parsed.json, operate_json.run(text, parsed.simulate, parsed.seed, parsed.requests))
    return ALL_DONE


def _simulate(parsed: argparse.Namespace) -> int:
    from app import plan_simulation, workbench

    draft = workbench.read_draft(read_input(parsed.scenario), parsed.scenario)
    seen = workbench.view(draft, reading_store(parsed.db).measurements())
    checked = plan_simulation.check_plan(seen, parsed.requests)
    if parsed.json:
        write_output(parsed.json, as_json(plan_simulation.as_json(checked)))
    if parsed.json != STANDARD_STREAM:
        rows = plan_simulation.as_rows(checked)
        table = workbench.write_csv(list(rows[0]), [tuple(row.values()) for row in rows])
        write_output(STANDARD_STREAM, table)
    return ALL_DONE


def _sql(parsed: argparse.Namespace) -> int:
    from app import workbench

    result = reading_store(parsed.db).query(parsed.query)
    write_output(STANDARD_STREAM, workbench.write_csv(result.columns, result.rows))
    if result.truncated:
        print("cut at the row limit", file=sys.stderr)
    return ALL_DONE


def _scenario(parsed: argparse.Namespace) -> int:
    from app import workbench

    if parsed.action == "new":
        if parsed.file != STANDARD_STREAM and Path(parsed.file).exists():
            raise unusable(parsed.file, "exists already", "Choose another name, or move it away.")
        write_output(parsed.file, workbench.write_draft(workbench.worked_example()))
        return ALL_DONE
    draft = workbench.read_draft(read_input(parsed.file), parsed.file)
    scenario = workbench.scenario_of(draft)
    print(
        f"{parsed.file}: {len(scenario.demands)} workloads, {len(scenario.offers)} offers, "
        f"id {scenario.id}; no problem found"
    )
    return ALL_DONE


COMMANDS: Commands = {
    "dashboard": _dashboard,
    "plan": _plan,
    "import": cli_import.run,
    "curves": _curves,
    "operate": _operate,
    "simulate": _simulate,
    "sql": _sql,
    "scenario": _scenario,
}
