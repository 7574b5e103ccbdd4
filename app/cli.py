"""The command line: arguments in, workbench calls, text or a file out. No browser, the same numbers.

Exit codes: 0 all done; 1 bad input, nothing done; 2 usage; 3 done in part.
"""

import argparse
import atexit
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli_arguments import STANDARD_STREAM, Commands, parser
from app.progress_line import ProgressLine
from models.problems import InputProblems, Problem

if TYPE_CHECKING:
    from app.benchmarks import ColumnMapping
    from app.workbench import ImportedFile, Store, View
    from models.measurements import SourcedMeasurement

ALL_DONE, NOTHING_DONE, USAGE, DONE_IN_PART = 0, 1, 2, 3
INTERRUPTED = 130  # as shells report Ctrl-C


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parsed = parser(COMMANDS).parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
    except InputProblems as problems:
        _complain(problems.problems)
        return NOTHING_DONE
    except BrokenPipeError:
        # The reader (head, less) has had enough; that is no failure of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ALL_DONE
    except KeyboardInterrupt:
        print("stopped; what was being done is undone", file=sys.stderr)
        return INTERRUPTED
    return code


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


def _reading_store(path: str | None) -> "Store":
    """The store for a command that only reads: a copy, and word of that, where the dashboard holds it."""
    from app import benchmarks, workbench

    try:
        return workbench.store_at(path)
    except benchmarks.StoreInUse as fault:
        held = fault
    except workbench.StoreFault as fault:
        raise _unusable(str(fault.path), fault.message, fault.cure) from fault
    try:
        store = benchmarks.store_copy_at(held.path)
    except workbench.StoreFault as fault:
        raise _unusable(held.path, f"{held.message}; {fault.message}", held.cure) from fault
    atexit.register(benchmarks.discard_copy, store)
    print(f"warning: {held.path}: {held.message}; read from a copy of how it is now", file=sys.stderr)
    return store


def _dashboard(parsed: argparse.Namespace) -> int:
    from app import dashboard_start

    return dashboard_start.run(parsed.db, parsed.address, parsed.port)


def _plan(parsed: argparse.Namespace) -> int:
    from app import gateway, workbench
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
    draft = workbench.read_draft(_read(parsed.scenario), parsed.scenario)
    workbench.scenario_of(draft)
    own = _reading_store(parsed.db).measurements()
    seen = workbench.view(draft, own)
    missing = seen.missing_measurements()
    if missing:
        print(f"warning: not in this store: {', '.join(missing)}. Import the same files.", file=sys.stderr)
    other = _other_view(parsed.against, own) if parsed.against else None
    if parsed.json:
        _write(parsed.json, _as_json(plan_as_json(seen.plan)))
    if suffix is not None:
        written_on = parsed.date or datetime.now(UTC).date()
        document = compose(seen, written_on, None, AUDIENCES[parsed.audience], against=other)
        _write(parsed.report, write(document, suffix))
    if parsed.gateway:
        _write(parsed.gateway, gateway.written(seen, gateway_suffix))
    if parsed.json != STANDARD_STREAM:
        print(seen.plan.sentence)
        if other is not None:
            print(f"Against {other.scenario.name}: {bill_sentence(other, seen)}")
    for notice in seen.plan.notices:
        print(f"{notice.level}: {notice.text}", file=sys.stderr)
    if not seen.plan.unplaced:
        return ALL_DONE
    return DONE_IN_PART


def _other_view(source: str, own: "Sequence[SourcedMeasurement]") -> "View":
    """The scenario to compare with, worked out on the same measurements."""
    from app import workbench

    draft = workbench.read_draft(_read(source), source)
    return workbench.view(draft, own)


def _import(parsed: argparse.Namespace) -> int:
    from app import benchmarks, workbench

    given = benchmarks.read_mappings(_read(parsed.mapping), parsed.mapping) if parsed.mapping else ()
    store = _open_store(parsed.db)
    mappings = (*given, *benchmarks.kept_mappings(store))
    documents, stored, clean = [], 0, True
    for file in parsed.files:
        try:
            imported = _taken_in(file, parsed.format, mappings)
        except InputProblems as problems:
            imported = workbench.unreadable(file, problems.problems)
        _complain(imported.problems, file)
        clean = clean and not any(problem.severity == "error" for problem in imported.problems)
        documents.append(workbench.import_as_json(imported) | {"file": file})
        if not imported.refused and _save(store, imported, given, parsed.json != STANDARD_STREAM):
            stored += 1
        else:
            clean = False
    if parsed.json:
        _write(parsed.json, _as_json({"files": documents}))
    if clean:
        return ALL_DONE
    return DONE_IN_PART if stored else NOTHING_DONE


def _taken_in(file: str, format_key: str | None, mappings: Sequence["ColumnMapping"]) -> "ImportedFile":
    """Read one file, or standard input; how far it is stands on a terminal's standard error."""
    from app import workbench

    with ProgressLine(Path(file).name) as progress:
        if file == STANDARD_STREAM:
            return workbench.import_contained(
                "standard input",
                _read(file),
                format_key,
                size_limit_byte=None,
                mappings=mappings,
                progress=progress,
            )
        try:
            return workbench.import_contained_file(
                Path(file), format_key, mappings=mappings, progress=progress
            )
        except OSError as error:
            raise _unusable(file, f"cannot be read: {error.strerror}", "Check the path.") from error


def _save(store: "Store", imported: "ImportedFile", mappings: Sequence["ColumnMapping"], talk: bool) -> bool:
    """Store one file and say so; False after saying why it could not be."""
    from app import benchmarks, workbench

    try:
        saved = benchmarks.store_file(store, imported, mappings)
    except workbench.StoreFault as fault:
        _complain([Problem(path=str(fault.path), message=fault.message, cure=fault.cure)])
        return False
    except InputProblems as problems:
        _complain(problems.problems, imported.file_name)
        return False
    if talk:
        note = "already in the store" if saved.already_there else "stored"
        days = sorted({f"{table.said_on:%Y-%m-%d}" for table in imported.tables if table.said_on})
        note += f"; columns read as you said on {', '.join(days)}" if days else ""
        if imported.demand is not None:
            found = f"{imported.rows_read} requests summarised"
        else:
            found = f"{len(imported.measurements)} of {imported.rows_read} rows read"
        print(f"{imported.file_name}: {imported.format_label}, {found}, {note}")
    return True


def _curves(parsed: argparse.Namespace) -> int:
    from app import workbench
    from app.curve_json import curves_as_json, curves_as_text

    found = workbench.catalogue_curves(_reading_store(parsed.db).measurements(), parsed.tier)
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
    seen = workbench.view(draft, _reading_store(parsed.db).measurements())
    checked = plan_simulation.check_plan(seen, parsed.requests)
    if parsed.json:
        _write(parsed.json, _as_json(plan_simulation.as_json(checked)))
    if parsed.json != STANDARD_STREAM:
        rows = plan_simulation.as_rows(checked)
        _write(STANDARD_STREAM, workbench.write_csv(list(rows[0]), [tuple(row.values()) for row in rows]))
    return ALL_DONE


def _sql(parsed: argparse.Namespace) -> int:
    from app import workbench

    result = _reading_store(parsed.db).query(parsed.query)
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


COMMANDS: Commands = {
    "dashboard": _dashboard,
    "plan": _plan,
    "import": _import,
    "curves": _curves,
    "operate": _operate,
    "simulate": _simulate,
    "sql": _sql,
    "scenario": _scenario,
}
