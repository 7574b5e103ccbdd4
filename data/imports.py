"""The bytes of a benchmark file become checked measurements, or problems that say what to mend."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from data.completion import with_mean_tpot
from data.decoding import accepted_formats_cure, binary_kind, decode, markup_kind
from data.file_content import FileContent, Reading
from data.imported import ImportedFile
from data.importers import BY_KEY, IMPORTERS, Importer, best_importer, canonical_csv
from data.private_content import private_content
from data.sanity_checks import impossibilities, sanity_warnings
from models.measurements import Measurement
from models.problems import Problem, Severity

UPLOAD_LIMIT_BYTE = 50_000_000  # of the browser upload; a command line may set a higher one
MOST_PROBLEMS_SHOWN = 200


def import_file(
    name: str,
    raw: bytes,
    format_key: str | None = None,
    *,
    size_limit_byte: int | None = UPLOAD_LIMIT_BYTE,
) -> ImportedFile:
    """Read one file as the format that its content shows, or as the one named.

    Never raises for bad input: what is wrong stands in `problems`, and what was right in `measurements`.
    `name` is only shown. `size_limit_byte` None reads a file of any size.
    """
    sha256 = hashlib.sha256(raw).hexdigest()
    content = _content(name, raw, size_limit_byte)
    if isinstance(content, Problem):
        return ImportedFile(file_name=name, sha256=sha256, problems=(content,))
    importer = _importer(content, format_key)
    if isinstance(importer, Problem):
        found = shortened((importer, *content.document_problems))
        return ImportedFile(file_name=name, sha256=sha256, problems=found)
    reading = importer.read(content)
    accepted, problems = check_rows(reading)
    if not accepted and not problems:
        problems.append(_without_runs(name, importer))
    problems.extend(_without_model(name, importer, accepted))
    problems.extend(private_content(content.documents, name))
    return ImportedFile(
        file_name=name,
        sha256=sha256,
        format_key=importer.KEY,
        format_label=importer.LABEL,
        tool_version=reading.tool_version,
        rows_read=reading.rows_read,
        measurements=tuple(measurement for _, measurement in accepted),
        row_numbers=tuple(row for row, _ in accepted),
        problems=shortened(problems),
    )


def _without_runs(name: str, importer: Importer) -> Problem:
    return Problem(
        path=name,
        message=f"this looks like {importer.LABEL}, but it holds no run",
        cure="Export the file again, once the benchmark has finished.",
    )


def _without_model(name: str, importer: Importer, rows: Sequence[tuple[int, Measurement]]) -> list[Problem]:
    """A warning where a tool's file names no model; a table may well be of one that its owner knows."""
    if importer is canonical_csv or not rows or any(measurement.model for _, measurement in rows):
        return []
    return [
        Problem(
            path=name,
            message="the file does not name the model that was measured",
            cure="Label it with the model on import, so that plans can use it.",
            severity="warning",
        )
    ]


def check_rows(reading: Reading) -> tuple[list[tuple[int, Measurement]], list[Problem]]:
    """Rows that can be true, with what follows from their figures; and all problems, refusals first."""
    accepted: list[tuple[int, Measurement]] = []
    errors = [problem for problem in reading.problems if problem.severity == "error"]
    warnings = [problem for problem in reading.problems if problem.severity == "warning"]
    first_row: dict[Measurement, int] = {}
    for row, measurement in reading.measurements:
        path = f"row {row}"
        reasons = impossibilities(measurement)
        errors.extend(
            Problem(path=path, message=reason, cure="Check the columns and their units.")
            for reason in reasons
        )
        if reasons:
            continue
        completed, notes = with_mean_tpot(measurement, path)
        warnings.extend(notes)
        warnings.extend(sanity_warnings(measurement, path))
        if measurement in first_row:
            warnings.append(_repeated(path, first_row[measurement]))
        first_row.setdefault(measurement, row)
        accepted.append((row, completed))
    return accepted, errors + warnings


def _repeated(path: str, first_row: int) -> Problem:
    return Problem(
        path=path,
        message=f"it repeats row {first_row} in every figure and is kept",
        cure="Remove one of them if it is a copy.",
        severity="warning",
    )


def merged(problems: Sequence[Problem]) -> list[Problem]:
    """Warnings that say the same of several rows as one, at the first of them; errors as they are."""
    alike: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        if problem.severity == "warning":
            alike.setdefault((problem.message, problem.cure), []).append(problem)
    found = [problem for problem in problems if problem.severity == "error"]
    for group in alike.values():
        others = len(group) - 1
        path = f"{group[0].path}, and {others} more" if others else group[0].path
        found.append(replace(group[0], path=path))
    return found


def shortened(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """The first problems, alike warnings as one, and how many more there are."""
    problems = merged(problems)
    if len(problems) <= MOST_PROBLEMS_SHOWN:
        return tuple(problems)
    hidden = problems[MOST_PROBLEMS_SHOWN:]
    severity: Severity = "error" if any(problem.severity == "error" for problem in hidden) else "warning"
    rest = Problem(
        path="file",
        message=f"{len(hidden)} more problems are not listed",
        cure="Mend the first ones and import the file again.",
        severity=severity,
    )
    return (*problems[:MOST_PROBLEMS_SHOWN], rest)


def _content(name: str, raw: bytes, size_limit_byte: int | None) -> FileContent | Problem:
    labels = [importer.LABEL for importer in IMPORTERS]
    if not raw.strip():
        return Problem(path=name, message="the file is empty", cure=accepted_formats_cure(labels))
    if size_limit_byte is not None and len(raw) > size_limit_byte:
        return Problem(
            path=name,
            message=f"it has {len(raw) / 1e6:.1f} MB and an upload may have {size_limit_byte / 1e6:.0f} MB",
            cure="Import it with `python -m app import`, which takes files of any size.",
        )
    kind = binary_kind(raw)
    text = decode(name, raw) if kind is None else None
    if isinstance(text, str):
        kind = markup_kind(text)
    if kind is not None:
        message = f"this looks like {kind}, not a benchmark result"
        return Problem(path=name, message=message, cure=accepted_formats_cure(labels))
    return text if isinstance(text, Problem) else FileContent(name, text or "")


def _importer(content: FileContent, format_key: str | None) -> Importer | Problem:
    labels = [importer.LABEL for importer in IMPORTERS]
    if format_key is None:
        found = best_importer(content)
        kind = "JSON" if content.is_json else "text"
        return found or Problem(
            path=content.name,
            message=f"this looks like {kind}, but like no benchmark result known here",
            cure=accepted_formats_cure(labels),
        )
    chosen = BY_KEY.get(format_key)
    return chosen or Problem(
        path=content.name,
        message=f"no format has the key {format_key!r}",
        cure=f"Use one of {', '.join(BY_KEY)}, or leave it out.",
    )
