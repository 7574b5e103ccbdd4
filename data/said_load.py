"""The load of runs whose file does not name it, as the user says it."""

from dataclasses import replace

from data.imported import ImportedFile
from models.measurements import LoadKind, Measurement
from models.problems import InputProblems, Problem

SAY_LOAD = "Say it with --concurrency or --rate on import, or beside the file on the Benchmarks page."
SAY_MODEL = "Say it with --model on import, or beside the file on the Benchmarks page."


def lacks_load(measurement: Measurement) -> bool:
    """Whether the file says nothing of the load the run was measured at."""
    return measurement.load_kind is None


def with_load(
    imported: ImportedFile, concurrency_count: float | None, offered_rate_req_per_s: float | None
) -> ImportedFile:
    """The file with that load in the runs that name none; as it is where nothing is said.

    InputProblems where both are said, or where every run names its own load.
    """
    if concurrency_count is None and offered_rate_req_per_s is None:
        return imported
    if concurrency_count is not None and offered_rate_req_per_s is not None:
        raise _refused(imported, "a run has one load", "Give --concurrency or --rate, not both.")
    if imported.measurements and not any(map(lacks_load, imported.measurements)):
        raise _refused(imported, "every run of the file names its own load", "Leave the load out.")
    kind: LoadKind = "concurrency" if concurrency_count is not None else "rate"
    said = tuple(
        replace(
            each,
            load_kind=kind,
            concurrency_count=concurrency_count,
            offered_rate_req_per_s=offered_rate_req_per_s,
        )
        if lacks_load(each)
        else each
        for each in imported.measurements
    )
    return replace(imported, measurements=said)


def _refused(imported: ImportedFile, message: str, cure: str) -> InputProblems:
    return InputProblems([Problem(path=imported.file_name, message=message, cure=cure)])
