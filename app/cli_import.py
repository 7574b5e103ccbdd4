"""`python -m app import`: benchmark files into the store, each whole or not at all, and what was wrong."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli_arguments import LABELS, STANDARD_STREAM
from app.cli_files import IN_MEMORY, as_json, complain, open_store, read_input, unusable, write_output
from app.exit_codes import ALL_DONE, DONE_IN_PART, NOTHING_DONE
from app.progress_line import ProgressLine
from models.problems import InputProblems, Problem

if TYPE_CHECKING:
    from app.benchmarks import ColumnMapping, Upload
    from app.workbench import ImportedFile, Store

LARGEST_SCRAPE_BYTE = 5_000_000


def run(parsed: argparse.Namespace) -> int:
    """Take in every file; the exit code. One file's failure does not lose the others."""
    from app import benchmarks, workbench

    if parsed.tier and parsed.tier not in workbench.load_catalogue().tiers:
        near = workbench.close_names(parsed.tier, workbench.load_catalogue().tiers)
        print(f"warning: --tier: {parsed.tier!r} is no tier of the catalogue. {near}", file=sys.stderr)
    given = benchmarks.read_mappings(read_input(parsed.mapping), parsed.mapping) if parsed.mapping else ()
    store = open_store(parsed.db)
    _check_kept(store)
    mappings = (*given, *benchmarks.kept_mappings(store))
    documents, stored, clean = [], 0, True
    for file, upload in _uploads(parsed.files):
        try:
            imported = _taken_in(file, upload, parsed.format, mappings)
            imported = benchmarks.with_load(imported, parsed.concurrency, parsed.rate)
        except InputProblems as problems:
            imported = workbench.unreadable(file, problems.problems)
        if not imported.refused and (doubts := _label_doubts(store, imported, parsed)):
            complain(doubts, file)
            clean = False
            continue
        complain(imported.problems, file)
        clean = clean and not any(problem.severity == "error" for problem in imported.problems)
        documents.append(workbench.import_as_json(imported) | {"file": file})
        if not imported.refused and _save(store, imported, parsed, given):
            stored += 1
        else:
            clean = False
    if parsed.json:
        write_output(parsed.json, as_json({"files": documents}))
    if clean:
        return ALL_DONE
    return DONE_IN_PART if stored else NOTHING_DONE


def _uploads(files: Sequence[str]) -> "list[tuple[str, Upload | None]]":
    """What is imported one after another: each file by its name, or several scrapes as one upload."""
    from app import benchmarks

    small = [(file, raw) for file in files if (raw := _small(file)) is not None]
    joined = [upload for upload in benchmarks.together(small) if len(upload.names) > 1]
    in_one = {name: upload for upload in joined for name in upload.names}
    found: list[tuple[str, Upload | None]] = []
    for file in files:
        upload = in_one.get(file)
        if upload is None:
            found.append((file, None))
        elif file == upload.names[0]:
            found.append((upload.name, upload))
    return found


def _small(file: str) -> bytes | None:
    """The bytes of a file that may be a scrape; None of any other, which is read where uploads are."""
    path = Path(file)
    try:
        if file == STANDARD_STREAM or path.stat().st_size > LARGEST_SCRAPE_BYTE:
            return None
        return path.read_bytes()
    except OSError:
        return None


def _taken_in(
    file: str, upload: "Upload | None", format_key: str | None, mappings: Sequence["ColumnMapping"]
) -> "ImportedFile":
    """Read one file, or standard input; how far it is stands on a terminal's standard error."""
    from app import benchmarks, workbench

    with ProgressLine(Path(file).name) as progress:
        if upload is not None:
            read = workbench.import_contained(
                upload.name,
                upload.raw,
                format_key,
                size_limit_byte=None,
                mappings=mappings,
                progress=progress,
            )
            return benchmarks.said_together(read, upload)
        if file == STANDARD_STREAM:
            return workbench.import_contained(
                "standard input",
                read_input(file),
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
            raise unusable(file, f"cannot be read: {error.strerror}", "Check the path.") from error


def _label_doubts(
    store: "Store", imported: "ImportedFile", parsed: argparse.Namespace
) -> tuple[Problem, ...]:
    """What the file or the store says against the labels given; nothing with --relabel."""
    from app import workbench

    if parsed.relabel or (parsed.tier is None and parsed.model is None):
        return ()
    cure = "Give the tier that it measured, or --relabel to keep your label."
    tiers = workbench.load_catalogue().tiers
    found: list[str] = []
    if parsed.tier in tiers:
        found += workbench.contradictions(tiers[parsed.tier], parsed.model, imported.measurements)
    held = {
        each.measurement.tier
        for each in store.measurements()
        if each.source_id == imported.source_id and each.measurement.tier not in (None, parsed.tier)
    }
    if parsed.tier and held:
        found.append(f"it is in the store as {', '.join(sorted(filter(None, held)))}")
    return tuple(Problem(path="--tier", message=text, cure=cure) for text in found)


def _save(
    store: "Store",
    imported: "ImportedFile",
    parsed: argparse.Namespace,
    mappings: Sequence["ColumnMapping"],
) -> bool:
    """Store one file with its labels and say so; False after saying why it could not be."""
    from app import benchmarks, workbench

    labels = {name: getattr(parsed, name) for name in LABELS} | {"accelerator_count": parsed.accelerators}
    says_load = parsed.concurrency is not None or parsed.rate is not None
    try:
        saved = benchmarks.store_file(store, imported, said=bool(mappings) or says_load)
        if any(label is not None for label in labels.values()):
            store.label(saved.source_id, **labels)
    except workbench.StoreFault as fault:
        complain([Problem(path=str(fault.path), message=fault.message, cure=fault.cure)])
        return False
    except InputProblems as problems:
        complain(problems.problems, imported.file_name)
        return False
    if parsed.json != STANDARD_STREAM:
        note = "already in the store" if saved.already_there else "stored"
        days = sorted({f"{table.said_on:%Y-%m-%d}" for table in imported.tables if table.said_on})
        note += f"; columns read as you said on {', '.join(days)}" if days else ""
        if imported.demand is not None:
            found = f"{imported.rows_read} requests summarised"
        else:
            found = f"{len(imported.measurements)} of {imported.rows_read} rows read"
        print(f"{imported.file_name}: {imported.format_label}, {found}, {note}")
    return True


def _check_kept(store: "Store") -> None:
    """Refuse a store that would be gone when the command ends, however it was named."""
    if store.path == IN_MEMORY:
        cure = "Name a file with --db or PLIMSOLL_DB, or leave both out for your own store."
        raise unusable(IN_MEMORY, "what is imported there is gone when the command ends", cure)
