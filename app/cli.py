"""The command line: arguments in, workbench calls, text or a file out. No browser, the same numbers.

Exit codes: 0 all done; 1 bad input, nothing done; 2 usage; 3 done in part.
"""

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from models.problems import InputProblems, Problem

if TYPE_CHECKING:
    from app.workbench import ImportedFile, Store

ALL_DONE, NOTHING_DONE, USAGE, DONE_IN_PART = 0, 1, 2, 3
STANDARD_STREAM = "-"


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parsed = _parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
    except InputProblems as problems:
        _complain(problems.problems)
        return NOTHING_DONE
    except BrokenPipeError:
        # The reader (head, less) has had enough; that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ALL_DONE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m app", description="Plimsoll: capacity and cost planning for LLM inference."
    )
    parser.add_argument("--port", type=int, default=None, help="port of the dashboard (8501)")
    parser.add_argument("--address", default=None, help="address to listen on (127.0.0.1: this machine only)")
    parser.add_argument("--db", default=None, metavar="PATH", help="benchmark store; :memory: for none")
    parser.set_defaults(run=_dashboard)
    commands = parser.add_subparsers(metavar="COMMAND")

    plan = commands.add_parser("plan", help="plan a scenario file")
    plan.add_argument("scenario", help="scenario file (YAML or JSON); - for standard input")
    plan.add_argument("--json", metavar="OUT", help="write the plan as JSON; - for standard output")
    plan.add_argument("--report", metavar="OUT", help="write a report: .html or .md")
    plan.add_argument("--date", metavar="YYYY-MM-DD", type=_day, help="date on the report (today)")
    _store_option(plan)
    plan.set_defaults(run=_plan)

    importing = commands.add_parser("import", help="take benchmark files into the store")
    importing.add_argument("files", nargs="+", metavar="FILE")
    importing.add_argument("--format", metavar="KEY", help="read as this format instead of recognising it")
    importing.add_argument("--json", metavar="OUT", help="write what was read as JSON; - for standard output")
    _store_option(importing)
    importing.set_defaults(run=_import)

    curves = commands.add_parser("curves", help="measured points and fitted curve of each tier")
    curves.add_argument("--tier", metavar="ID", help="only this tier")
    curves.add_argument("--json", metavar="OUT", help="write as JSON; - for standard output")
    _store_option(curves)
    curves.set_defaults(run=_curves)

    operate = commands.add_parser("operate", help="one operating point from plain inputs")
    operate.add_argument("file", metavar="FILE.json", help="- for standard input")
    operate.add_argument("--json", metavar="OUT", default=STANDARD_STREAM, help="where to write the answer")
    operate.add_argument("--simulate", action="store_true", help="by discrete-event simulation")
    operate.add_argument("--seed", type=int, default=1, help="of the simulation")
    operate.add_argument(
        "--requests", type=_count, default=200_000, metavar="N", help="calls to simulate (200,000)"
    )
    operate.set_defaults(run=_operate)

    simulate = commands.add_parser("simulate", help="the plan beside its discrete-event simulation")
    simulate.add_argument("scenario", help="scenario file; - for standard input")
    simulate.add_argument("--json", metavar="OUT", help="write as JSON; - for standard output")
    simulate.add_argument(
        "--requests", type=_count, default=100_000, metavar="N", help="calls a pool (100,000)"
    )
    _store_option(simulate)
    simulate.set_defaults(run=_simulate)

    sql = commands.add_parser("sql", help="ask the benchmark tables; reads only")
    sql.add_argument("query", metavar="SELECT")
    _store_option(sql)
    sql.set_defaults(run=_sql)

    scenario = commands.add_parser("scenario", help="write the worked example, or check a file")
    scenario.add_argument("action", choices=("new", "check"))
    scenario.add_argument("file", metavar="FILE", help="- for standard output or input")
    scenario.set_defaults(run=_scenario)
    return parser


def _store_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--db", default=None, metavar="PATH", help="benchmark store; :memory: for none")


def _day(text: str) -> Any:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).date()


def _count(text: str) -> int:
    count = int(text)
    if not 1_000 <= count <= 50_000_000:
        raise argparse.ArgumentTypeError("between 1,000 and 50,000,000")
    return count


def _complain(problems: Sequence[Problem], file: str = "") -> None:
    """Each problem on its own line of standard error: address, what, cure."""
    prefix = f"{file}: " if file else ""
    for problem in problems:
        print(f"{prefix}{problem.severity}: {problem}", file=sys.stderr)


def _write(target: str, content: str | bytes) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    raw = content.encode() if isinstance(content, str) else content
    if target == STANDARD_STREAM:
        sys.stdout.buffer.write(raw)
        sys.stdout.flush()
        return
    path = Path(target)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(raw)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise _unusable(
            target, f"cannot be written: {error.strerror}", "Choose a folder you may write to."
        ) from error


def _read(source: str) -> bytes:
    if source == STANDARD_STREAM:
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise _unusable(source, f"cannot be read: {error.strerror}", "Check the path.") from error


def _unusable(path: str, message: str, cure: str) -> InputProblems:
    return InputProblems([Problem(path=path, message=message, cure=cure)])


def _as_json(document: Any) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _open_store(path: str | None) -> "Store":
    """The store, or its fault as a problem with address and cure."""
    from app import workbench

    try:
        return workbench.store_at(path)
    except workbench.StoreFault as fault:
        raise _unusable(str(fault.path), fault.message, fault.cure) from fault


def _dashboard(parsed: argparse.Namespace) -> int:
    """Start Streamlit on this machine; open a browser where there is a screen."""
    from streamlit.web import cli as streamlit_cli

    if parsed.db is not None:
        os.environ["PLIMSOLL_DB"] = parsed.db
    main_file = Path(__file__).resolve().parent / "main.py"
    has_screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )
    options = ["--server.headless", "false" if has_screen else "true"]
    if parsed.port is not None:
        options += ["--server.port", str(parsed.port)]
    if parsed.address is not None:
        options += ["--server.address", parsed.address]
    threading.Thread(target=_warm_up, daemon=True).start()
    sys.argv = ["streamlit", "run", str(main_file), *options]
    result: Any = streamlit_cli.main(standalone_mode=False)
    return int(result or ALL_DONE)


def _warm_up() -> None:
    """Load the libraries and plan the worked example while the browser still loads the page."""
    from app import workbench

    workbench.view(workbench.worked_example()).plan  # noqa: B018 -- kept by value for the first visitor


def _plan(parsed: argparse.Namespace) -> int:
    from app import workbench
    from app.plan_json import plan_as_json
    from app.report.writing import compose, suffixes, write

    suffix = Path(parsed.report).suffix.lower() if parsed.report else ""
    if parsed.report and suffix not in suffixes():
        print(f"--report: no format {suffix!r}; use one of {', '.join(suffixes())}", file=sys.stderr)
        return USAGE
    draft = workbench.read_draft(_read(parsed.scenario), parsed.scenario)
    workbench.scenario_of(draft)
    seen = workbench.view(draft, _open_store(parsed.db).measurements())
    if parsed.json:
        _write(parsed.json, _as_json(plan_as_json(seen.plan)))
    if parsed.report:
        written_on = parsed.date or datetime.now(UTC).date()
        _write(parsed.report, write(compose(seen, written_on), suffix))
    if parsed.json != STANDARD_STREAM:
        print(seen.plan.sentence)
    for notice in seen.plan.notices:
        print(f"{notice.level}: {notice.text}", file=sys.stderr)
    if not seen.plan.unplaced:
        return ALL_DONE
    return DONE_IN_PART


def _import(parsed: argparse.Namespace) -> int:
    from app import workbench

    store = _open_store(parsed.db)
    documents, stored, clean = [], 0, True
    for file in parsed.files:
        try:
            imported = workbench.import_file(Path(file).name, _read(file), parsed.format)
        except InputProblems as problems:
            imported = workbench.unreadable(file, problems.problems)
        _complain(imported.problems, file)
        clean = clean and not any(problem.severity == "error" for problem in imported.problems)
        documents.append(workbench.import_as_json(imported) | {"file": file})
        if not imported.refused and _save(store, imported, parsed.json != STANDARD_STREAM):
            stored += 1
        else:
            clean = False
    if parsed.json:
        _write(parsed.json, _as_json({"files": documents}))
    if clean:
        return ALL_DONE
    return DONE_IN_PART if stored else NOTHING_DONE


def _save(store: "Store", imported: "ImportedFile", talk: bool) -> bool:
    """Store one file and say so; False after saying why it could not be."""
    from app import workbench

    try:
        saved = store.save(imported)
    except workbench.StoreFault as fault:
        _complain([Problem(path=str(fault.path), message=fault.message, cure=fault.cure)])
        return False
    except InputProblems as problems:
        _complain(problems.problems, imported.file_name)
        return False
    if talk:
        note = "was stored before" if saved.already_there else "stored"
        print(
            f"{imported.file_name}: {imported.format_label}, {len(imported.measurements)} of "
            f"{imported.rows_read} rows {note}"
        )
    return True


def _curves(parsed: argparse.Namespace) -> int:
    from app import workbench
    from app.curve_json import curves_as_json, curves_as_text

    found = workbench.catalogue_curves(_open_store(parsed.db).measurements(), parsed.tier)
    if parsed.json:
        _write(parsed.json, _as_json(curves_as_json(found)))
    if parsed.json != STANDARD_STREAM:
        print(curves_as_text(found))
    return ALL_DONE


def _operate(parsed: argparse.Namespace) -> int:
    from app import operate_json

    text = _read(parsed.file).decode("utf-8-sig", "replace")
    _write(parsed.json, operate_json.run(text, parsed.simulate, parsed.seed, parsed.requests))
    return ALL_DONE


def _simulate(parsed: argparse.Namespace) -> int:
    from app import plan_simulation, workbench

    draft = workbench.read_draft(_read(parsed.scenario), parsed.scenario)
    seen = workbench.view(draft, _open_store(parsed.db).measurements())
    checked = plan_simulation.check_plan(seen, parsed.requests)
    if parsed.json:
        _write(parsed.json, _as_json(plan_simulation.as_json(checked)))
    if parsed.json != STANDARD_STREAM:
        rows = plan_simulation.as_rows(checked)
        _write(STANDARD_STREAM, workbench.write_csv(list(rows[0]), [tuple(row.values()) for row in rows]))
    return ALL_DONE


def _sql(parsed: argparse.Namespace) -> int:
    from app import workbench

    result = _open_store(parsed.db).query(parsed.query)
    _write(STANDARD_STREAM, workbench.write_csv(result.columns, result.rows))
    if result.truncated:
        print("cut at the row limit", file=sys.stderr)
    return ALL_DONE


def _scenario(parsed: argparse.Namespace) -> int:
    from app import workbench

    if parsed.action == "new":
        if parsed.file != STANDARD_STREAM and Path(parsed.file).exists():
            raise _unusable(parsed.file, "exists already", "Choose another name, or move it away.")
        _write(parsed.file, workbench.write_draft(workbench.worked_example()))
        return ALL_DONE
    draft = workbench.read_draft(_read(parsed.file), parsed.file)
    scenario = workbench.scenario_of(draft)
    print(
        f"{parsed.file}: {len(scenario.demands)} workloads, {len(scenario.offers)} offers, "
        f"id {scenario.id}; no problem found"
    )
    return ALL_DONE
