"""Runs of a result file read one by one: a run with a wrong value is refused and the others stay."""

from collections.abc import Callable, Iterable

from data.document_reader import DocumentReader
from data.file_content import FileContent, Reading
from models.measurements import Measurement
from models.problems import Problem


def document_readers(content: FileContent) -> list[DocumentReader]:
    """One reader for each document of the file."""
    return [
        DocumentReader(document.value, f"run {number} (line {document.line})")
        for number, document in enumerate(content.documents, start=1)
    ]


def read_each(
    readers: Iterable[DocumentReader],
    run_of: Callable[[DocumentReader], Measurement],
    problems: Iterable[Problem] = (),
    tool_version: str | None = None,
) -> Reading:
    """One measurement for each reader, numbered from 1; an error among `problems` is a broken run."""
    found = list(problems)
    rows_read = sum(problem.severity == "error" for problem in found)
    measurements: list[tuple[int, Measurement]] = []
    for number, reader in enumerate(readers, start=1):
        measurement = run_of(reader)
        found.extend(reader.problems)
        rows_read += 1
        if not reader.refused:
            measurements.append((number, measurement))
    return Reading(
        rows_read=rows_read,
        measurements=tuple(measurements),
        problems=tuple(found),
        tool_version=tool_version,
    )
