"""What came out of one benchmark file: its measurements, and all that was wrong with it."""

from dataclasses import dataclass
from typing import Any

from data.column_mapping import RecognisedTable
from data.columns import LATENCIES
from data.request_demand import RequestDemand, demand_as_json
from models.measurements import Measurement
from models.problems import Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedFile:
    """One file, read and checked.

    file_name     as the user called it; never used as a path
    sha256        hash of the file's bytes, 64 hexadecimal digits
    format_key, format_label   what it was read as; "" where it was not recognised
    tool_version  as the file states it, or None
    rows_read     rows found, refused ones included
    measurements  the rows that may be used
    row_numbers   for each measurement, its line (CSV) or its number in the file (JSON), from 1
    demand        of a log of requests, what it says about rate, lengths and hours; None of all else
    problems      errors: the row or file was refused; warnings: used, with this caveat
    tables        for each table whose headings are anybody's own: what its columns were read as
    """

    file_name: str
    sha256: str
    format_key: str = ""
    format_label: str = ""
    tool_version: str | None = None
    rows_read: int = 0
    measurements: tuple[Measurement, ...] = ()
    row_numbers: tuple[int, ...] = ()
    problems: tuple[Problem, ...] = ()
    tables: tuple[RecognisedTable, ...] = ()
    demand: RequestDemand | None = None

    @property
    def source_id(self) -> str:
        """The name the store and a scenario know this file by."""
        return f"sha256:{self.sha256}"

    @property
    def refused(self) -> bool:
        """Whether nothing of the file can be used."""
        return not self.measurements and self.demand is None


def measurement_as_json(measurement: Measurement) -> dict[str, Any]:
    """Glossary names with statistics nested; missing ones None; a day as its ISO text."""
    document: dict[str, Any] = {}
    for name in Measurement.__dataclass_fields__:
        value = getattr(measurement, name)
        if name in LATENCIES:
            document[name] = value.as_dict()
        else:
            document[name] = value.isoformat() if name == "measured_on" and value else value
    return document


def as_json(imported: ImportedFile) -> dict[str, Any]:
    """One entry of `import --json`; a log of requests has its demand as well."""
    demand = {} if imported.demand is None else {"demand": demand_as_json(imported.demand)}
    return demand | {
        "file": imported.file_name,
        "format": imported.format_key or None,
        "format_label": imported.format_label or None,
        "rows_read": imported.rows_read,
        "measurements": [measurement_as_json(measurement) for measurement in imported.measurements],
        "problems": [
            {
                "path": problem.path,
                "message": problem.message,
                "cure": problem.cure,
                "severity": problem.severity,
            }
            for problem in imported.problems
        ],
    }
