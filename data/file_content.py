"""A decoded file as importers see it, and what an importer gives back."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from data.column_mapping import ColumnMapping, RecognisedTable
from data.json_documents import JsonDocument, json_documents, looks_like_json
from data.request_demand import RequestDemand
from data.yaml_documents import looks_like_yaml, yaml_documents
from models.measurements import Measurement
from models.problems import Problem


class FileContent:
    """The text of one file; its JSON documents are read once, when first asked for.

    mappings   what the owner of the file, or of earlier ones, says its columns mean
    """

    def __init__(self, name: str, text: str, mappings: tuple[ColumnMapping, ...] = ()) -> None:
        self.name = name
        self.text = text
        self.mappings = mappings

    @property
    def is_json(self) -> bool:
        """Whether the text opens like JSON, whatever the file's name ends in."""
        return looks_like_json(self.text)

    @cached_property
    def _parsed(self) -> tuple[tuple[JsonDocument, ...], tuple[Problem, ...]]:
        if self.is_json:
            return json_documents(self.name, self.text)
        return yaml_documents(self.name, self.text) if looks_like_yaml(self.text) else ((), ())

    @property
    def first(self) -> dict[str, Any]:
        """The first object of the file; empty where it is neither JSON nor YAML."""
        return self.documents[0].value if self.documents else {}

    @property
    def documents(self) -> tuple[JsonDocument, ...]:
        """The JSON or YAML objects of the file, in order; empty where it is neither."""
        return self._parsed[0]

    @property
    def document_problems(self) -> tuple[Problem, ...]:
        """What was wrong with the file's JSON or YAML."""
        return self._parsed[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What an importer found: rows by their number in the file, all problems, how columns were read, and the
    demand in a log."""

    rows_read: int
    measurements: tuple[tuple[int, Measurement], ...] = ()
    problems: tuple[Problem, ...] = ()
    tool_version: str | None = None
    tables: tuple[RecognisedTable, ...] = ()
    demand: RequestDemand | None = None
