"""The bytes of a benchmark file become checked measurements, or problems that say what to mend."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from data.archives import ZIP_MAGIC, is_workbook, members, size_problem
from data.column_mapping import ColumnMapping, RecognisedTable, misfits
from data.compressed import is_compressed, unpacked
from data.decoding import binary_kind, decode, markup_kind
from data.file_content import FileContent
from data.imported import ImportedFile
from data.parts import PartReading, chosen, formats_cure, read_part
from data.row_checks import shortened
from data.sanity_checks import warm_caches
from data.scrapes import together, word_of
from data.workbooks import OLD_WORKBOOK, sheets_of
from models.measurements import Measurement
from models.problems import Problem

UPLOAD_LIMIT_BYTE = 50_000_000  # of the browser upload; a command line may set a higher one
WORKBOOK_KEY, WORKBOOK_LABEL = "workbook", "Workbook"
ARCHIVE_KEY, ARCHIVE_LABEL = "archive", "Archive"
PartReader = Callable[[FileContent], PartReading]


def import_file(
    name: str,
    raw: bytes,
    format_key: str | None = None,
    *,
    size_limit_byte: int | None = UPLOAD_LIMIT_BYTE,
    mappings: Sequence[ColumnMapping] = (),
    sha256: str | None = None,
) -> ImportedFile:
    """Read one file as the format that its content shows, or as the one named.

    A workbook is read sheet by sheet, an archive file by file. Never raises for bad input: what is wrong
    stands in `problems`, and what was right in `measurements`. `name` is only shown. `size_limit_byte` None
    reads a file of any size. `mappings` say what the columns of tables mean, before their headings do; one
    that comes with this file and fits no table of it refuses the file. `sha256` is the hash of the bytes
    where the caller knows it already.
    """
    blank = ImportedFile(file_name=name, sha256=sha256 or hashlib.sha256(raw).hexdigest())
    return without_misfits(_read(blank, raw, format_key, size_limit_byte, tuple(mappings)), mappings)


def without_misfits(imported: ImportedFile, mappings: Sequence[ColumnMapping]) -> ImportedFile:
    """The file as it is, or refused because a mapping that came with it fits no table of it."""
    misfit = misfits(imported.file_name, mappings, imported.tables)
    if not misfit:
        return imported
    problems = (*misfit, *imported.problems)
    return replace(imported, measurements=(), row_numbers=(), demand=None, problems=problems)


def _read(
    blank: ImportedFile,
    raw: bytes,
    format_key: str | None,
    size_limit_byte: int | None,
    mappings: tuple[ColumnMapping, ...],
) -> ImportedFile:
    name = blank.file_name
    problem = unreadable(name, raw, size_limit_byte)
    if problem is not None:
        return replace(blank, problems=(problem,))
    part_of = partial(read_part, format_key=format_key)
    if is_compressed(raw):
        inside = unpacked(name, raw)
        if isinstance(inside, Problem):
            return replace(blank, problems=(inside,))
        if is_compressed(inside):
            cure = "Unpack it, and import what is inside."
            problem = Problem(path=name, message="it is compressed twice", cure=cure)
            return replace(blank, problems=(problem,))
        return _read(blank, inside, format_key, None, mappings)
    if raw.startswith(OLD_WORKBOOK) or (raw.startswith(ZIP_MAGIC) and is_workbook(raw)):
        return _from_workbook(blank, raw, mappings, part_of)
    if raw.startswith(ZIP_MAGIC):
        return _from_archive(blank, raw, mappings, part_of)
    content = _content(name, raw, mappings)
    if isinstance(content, Problem):
        return replace(blank, problems=(content,))
    return of_part(blank, part_of(content))


def unreadable(name: str, raw: bytes, size_limit_byte: int | None) -> Problem | None:
    """Why the bytes are not even opened: none, or too many, also unpacked; None where they may be."""
    if not raw.strip():
        return Problem(path=name, message="the file is empty", cure=formats_cure())
    if size_limit_byte is not None and len(raw) > size_limit_byte:
        return Problem(
            path=name,
            message=f"it has {len(raw) / 1e6:.1f} MB and an upload may have {size_limit_byte / 1e6:.0f} MB",
            cure="Import it with `python -m app import`, which takes larger ones.",
        )
    return size_problem(name, raw) if raw.startswith(ZIP_MAGIC) else None


def _content(name: str, raw: bytes, mappings: tuple[ColumnMapping, ...]) -> FileContent | Problem:
    kind = binary_kind(raw)
    text = decode(name, raw) if kind is None else None
    if isinstance(text, str):
        kind = markup_kind(text)
    if kind is not None:
        message = f"this looks like {kind}, not a benchmark result"
        return Problem(path=name, message=message, cure=formats_cure())
    return text if isinstance(text, Problem) else FileContent(name, text or "", mappings)


def of_part(blank: ImportedFile, part: PartReading) -> ImportedFile:
    """A file that is one part: what was read of it under its own name and hash."""
    return replace(
        blank,
        format_key=part.importer.KEY if part.importer else "",
        format_label=part.importer.LABEL if part.importer else "",
        tool_version=part.tool_version,
        rows_read=part.rows_read,
        measurements=tuple(measurement for _, measurement in part.rows),
        row_numbers=tuple(row for row, _ in part.rows),
        problems=shortened(part.problems),
        tables=part.tables,
        demand=part.demand,
    )


def _sheets(
    name: str, raw: bytes, mappings: tuple[ColumnMapping, ...], part_of: PartReader
) -> tuple[list[PartReading], tuple[Problem, ...]] | Problem:
    """Every sheet that is shown, read; and what is said of those that are hidden."""
    found = sheets_of(name, raw)
    if isinstance(found, Problem):
        return found
    sheets, hidden = found
    parts = []
    for sheet in sheets:
        part = part_of(FileContent(f"sheet {sheet.name!r}", sheet.text, mappings))
        parts.append(replace(part, problems=(*part.problems, *sheet.problems)))
    return parts, hidden


def _from_workbook(
    blank: ImportedFile, raw: bytes, mappings: tuple[ColumnMapping, ...], part_of: PartReader
) -> ImportedFile:
    found = _sheets(blank.file_name, raw, mappings, part_of)
    if isinstance(found, Problem):
        return replace(blank, problems=(found,))
    parts, hidden = found
    return _together(blank, parts, list(hidden), WORKBOOK_KEY, WORKBOOK_LABEL)


def _from_archive(
    blank: ImportedFile, raw: bytes, mappings: tuple[ColumnMapping, ...], part_of: PartReader
) -> ImportedFile:
    found, problems = members(blank.file_name, raw)
    parts: list[PartReading] = []
    for upload in together([(member.label, member.raw) for member in found]):
        problems = (*problems, *word_of(upload))
        if upload.raw.startswith((ZIP_MAGIC, OLD_WORKBOOK)):
            book = _sheets(upload.name, upload.raw, mappings, part_of)
            if isinstance(book, Problem):
                parts.append(_unread(upload.name, book))
                continue
            sheets, hidden = book
            parts.extend(replace(sheet, label=f"{upload.name}, {sheet.label}") for sheet in sheets)
            problems = (*problems, *(_at(upload.name, problem) for problem in hidden))
            continue
        content = _content(upload.name, upload.raw, mappings) if upload.raw.strip() else None
        if isinstance(content, FileContent):
            parts.append(part_of(content))
        else:
            parts.append(_unread(upload.name, content))
    return _together(blank, parts, list(problems), ARCHIVE_KEY, ARCHIVE_LABEL)


def _unread(label: str, problem: Problem | None) -> PartReading:
    return PartReading(label=label, importer=None, problems=(problem,) if problem else ())


def _together(
    blank: ImportedFile, parts: Sequence[PartReading], problems: list[Problem], key: str, label: str
) -> ImportedFile:
    """All parts as one file: runs numbered through, each problem at its part, the same run once."""
    used, left_out = chosen(parts)
    if not used:
        problems = [problem for part in parts for problem in part.problems] + problems
        if not any(problem.severity == "error" for problem in problems):
            problems.insert(0, _without_results(blank, label))
        tables = _tables_of(parts)
        return replace(blank, format_key=key, format_label=label, problems=shortened(problems), tables=tables)
    rows: list[Measurement] = []
    seen: dict[Measurement, str] = {}
    for part in used:
        problems.extend(_at(part.label, problem) for problem in part.problems)
        for _, measurement in part.rows:
            first = seen.setdefault(measurement, part.label)
            if first == part.label:
                rows.append(measurement)
            else:
                problems.append(_copied(part.label, first))
    problems.extend(warm_caches(tuple(enumerate(rows, start=1))))
    errors = [problem for problem in problems if problem.severity == "error"]
    caveats = [problem for problem in problems if problem.severity == "warning"]
    demands = [part.demand for part in used if part.demand is not None]
    names = sorted({part.importer.LABEL for part in used if part.importer is not None})
    return replace(
        blank,
        format_key=key,
        format_label=f"{label}: {', '.join(names)}"[:200],
        tool_version=next((part.tool_version for part in used if part.tool_version), None),
        rows_read=sum(part.rows_read for part in used),
        measurements=tuple(rows),
        row_numbers=tuple(range(1, len(rows) + 1)),
        problems=shortened([*errors, *caveats, *left_out]),
        tables=_tables_of(used),
        demand=demands[0] if len(demands) == 1 else None,
    )


def _tables_of(parts: Sequence[PartReading]) -> tuple[RecognisedTable, ...]:
    return tuple(replace(table, label=part.label) for part in parts for table in part.tables)


def _at(label: str, problem: Problem) -> Problem:
    return problem if problem.path.startswith(label) else replace(problem, path=f"{label}, {problem.path}")


def _copied(label: str, first: str) -> Problem:
    return Problem(
        path=label,
        message=f"a run of it stands in {first} too and was taken once",
        cure="Nothing to do.",
        severity="warning",
    )


def _without_results(blank: ImportedFile, label: str) -> Problem:
    return Problem(
        path=blank.file_name, message=f"the {label.lower()} holds no benchmark result", cure=formats_cure()
    )
