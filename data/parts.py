"""Parts of one upload, the sheets of a workbook or the files of an archive: each read, and the best chosen.

A run that lies in an archive several times is taken once: the file of the best standing in its folder wins.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from data.column_mapping import RecognisedTable
from data.file_content import FileContent, Reading
from data.importers import BY_KEY, Importer, best_importer, canonical_csv, neighbours
from data.private_content import private_content
from data.request_demand import RequestDemand
from data.row_checks import check_rows
from data.said_load import SAY_MODEL
from models.measurements import Measurement
from models.problems import Problem

# Formats that hold the same runs, the best first: only the first found in a folder is used.
SAME_RUNS = (
    ("guidellm", "guidellm_csv"),
    ("aiperf", "genai_perf", "aiperf_csv", "aiperf_requests"),
    ("vllm", "vllm_csv", "serving_console"),
    ("k6", "k6_points"),
    ("locust", "locust_json"),
)
SAME_FOLDER_RANKS = {key: (group[0], rank) for group in SAME_RUNS for rank, key in enumerate(group)}
WARM_UP = "warmup"
SUMMARIES = ("summary_lifecycle", "per_request_lifecycle")  # of inference-perf, beside its stages
STAGE = "stage_"
AGGREGATES = ("sweep_aggregate", "aggregate")  # AIPerf's folders of what its runs say already
MODEL_KEYS = ("server", "model_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartReading:
    """One part, read and checked; `importer` None where nothing known could be made of it."""

    label: str
    importer: Importer | None
    rows_read: int = 0
    rows: tuple[tuple[int, Measurement], ...] = ()
    problems: tuple[Problem, ...] = ()
    tool_version: str | None = None
    model: str | None = None
    tables: tuple[RecognisedTable, ...] = ()
    demand: RequestDemand | None = None


def read_part(content: FileContent, format_key: str | None = None) -> PartReading:
    """The content read as the format it shows, or as the one named, with all that was wrong with it."""
    importer = _importer_of(content, format_key)
    if importer is None:
        problems = (_unknown(content, format_key), *content.document_problems)
        return PartReading(label=content.name, importer=None, problems=problems)
    return part_of(content, importer, importer.read(content))


def part_of(content: FileContent, importer: Importer, reading: Reading) -> PartReading:
    """What an importer found, checked row by row."""
    accepted, problems_found = check_rows(reading)
    has_error = any(problem.severity == "error" for problem in problems_found)
    if not accepted and reading.demand is None and not has_error:
        problems_found.append(_without_runs(content.name, importer))
    problems_found.extend(_without_model(content.name, importer, accepted))
    problems_found.extend(private_content(content.documents, content.name))
    return PartReading(
        label=content.name,
        importer=importer,
        rows_read=reading.rows_read,
        rows=tuple(accepted),
        problems=tuple(problems_found),
        tool_version=reading.tool_version,
        model=_model_of_settings(content) if importer is neighbours else None,
        tables=reading.tables,
        demand=reading.demand,
    )


def _importer_of(content: FileContent, format_key: str | None) -> Importer | None:
    """The format named; else a table whose columns its owner explained; else what the content shows."""
    if format_key is not None:
        return BY_KEY.get(format_key)
    if canonical_csv.is_explained(content):
        return canonical_csv
    importer = best_importer(content)
    if importer is None and not content.is_json and any(each.said_on is None for each in content.mappings):
        return canonical_csv  # its refusal can name the columns that the mapping lacks
    return importer


def _unknown(content: FileContent, format_key: str | None) -> Problem:
    if format_key is not None:
        return Problem(
            path=content.name,
            message=f"no format has the key {format_key!r}",
            cure=f"Use one of {', '.join(BY_KEY)}, or leave it out.",
        )
    kind = "JSON" if content.is_json else "text"
    return Problem(
        path=content.name,
        message=f"this looks like {kind}, but like no benchmark result known here",
        cure=formats_cure(),
    )


def formats_cure() -> str:
    """What may be uploaded, by the names of the formats."""
    labels = [importer.LABEL for importer in BY_KEY.values() if importer is not neighbours]
    more = "a Parquet table or log; an Excel or OpenDocument workbook; or a zip or gzip of them"
    return f"Upload one of: {'; '.join(labels)}; {more}."


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
            cure=SAY_MODEL,
            severity="warning",
        )
    ]


def _model_of_settings(content: FileContent) -> str | None:
    server = content.first.get(MODEL_KEYS[0])
    model = server.get(MODEL_KEYS[1]) if isinstance(server, dict) else None
    return model if isinstance(model, str) and model else None


def chosen(parts: Sequence[PartReading]) -> tuple[list[PartReading], list[Problem]]:
    """The parts to use, each run once; and warnings that name those left out and why."""
    left_out: dict[str, list[str]] = {}
    used: list[PartReading] = []
    best = _best_ranks(parts)
    has_stages = any(STAGE in part.label and part.rows for part in parts)
    has_single_runs = any(part.rows and not _is_aggregate(part) for part in parts)
    for part in parts:
        reason = None
        if part.importer is None:
            reason = "is no benchmark result known here"
        elif WARM_UP in part.label.lower():
            reason = "is of a warm-up phase"
        elif part.importer is neighbours:
            reason = "lies beside a result"
        elif has_stages and any(word in part.label for word in SUMMARIES):
            reason = "mixes the stages that are there too"
        elif has_single_runs and _is_aggregate(part):
            reason = "repeats the single runs that are there too"
        elif part.rows and _rank(part)[1] > best.get(_rank(part)[0], 0):
            reason = "holds the same run as a better file of its folder"
        if reason is None:
            used.append(part)
        else:
            left_out.setdefault(reason, []).append(part.label)
    return _with_model(used, parts), [_left_out(labels, reason) for reason, labels in left_out.items()]


def _is_aggregate(part: PartReading) -> bool:
    return any(folder in AGGREGATES for folder in part.label.split("/")[:-1])


def _rank(part: PartReading) -> tuple[tuple[str, str], int]:
    """The folder and family of the part's runs, and its standing among the files that hold them."""
    key = part.importer.KEY if part.importer is not None else ""
    family, rank = SAME_FOLDER_RANKS.get(key, (part.label, 0))
    return (part.label.rpartition("/")[0], family), rank


def _best_ranks(parts: Sequence[PartReading]) -> dict[tuple[str, str], int]:
    best: dict[tuple[str, str], int] = {}
    for part in parts:
        if part.rows:
            place, rank = _rank(part)
            best[place] = min(rank, best.get(place, rank))
    return best


def _with_model(used: Sequence[PartReading], parts: Sequence[PartReading]) -> list[PartReading]:
    """The parts with the one model that settings beside them name, where their runs name none."""
    models = {part.model for part in parts if part.model is not None}
    if len(models) != 1:
        return list(used)
    (model,) = models
    return [
        replace(
            part,
            rows=tuple((number, replace(row, model=row.model or model)) for number, row in part.rows),
            problems=tuple(each for each in part.problems if "does not name the model" not in each.message),
        )
        for part in used
    ]


def _left_out(labels: Sequence[str], reason: str) -> Problem:
    shown = ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
    return Problem(
        path=shown,
        message=f"left out, because it {reason}" if len(labels) == 1 else f"left out, because each {reason}",
        cure="Import it alone if you need it.",
        severity="warning",
    )
