"""Table of vLLM results: `bench sweep serve` writes one row per run, with the keys of its JSON as headings.

The first heading is an unnamed index, lists are quoted text, an unlimited rate is the word inf. Rows with
equal settings are repeats and stay rows of their own: percentiles of repeats cannot be averaged.
"""

import json
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import blocks, headings, plain_number
from data.importers import vllm_bench
from data.serving_runs import same_seeds
from models.problems import Problem

KEY = "vllm_csv"
LABEL = "vLLM sweep (CSV)"

OWN_HEADINGS = frozenset(("request_throughput", "duration", "total_output_tokens", "completed"))
WORDS = frozenset(("", "nan", "none", "null"))


def sniff(content: FileContent) -> float:
    """0.9 where the header holds the keys of vLLM's result file."""
    return 0.9 if not content.is_json and headings(content.text) >= OWN_HEADINGS else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per row."""
    found = blocks(content.name, content.text)
    if isinstance(found, Problem):
        return Reading(rows_read=0, problems=(found,))
    header, *rows = [row for block in found for row in block]
    problems = [
        Problem(
            path=f"row {row.line}",
            message=f"it has {len(row.cells)} cells and the header has {len(header.cells)}",
            cure="Export the file again.",
        )
        for row in rows
        if len(row.cells) != len(header.cells)
    ]
    readers = [
        DocumentReader(
            {name: _typed(cell) for name, cell in zip(header.cells, row.cells, strict=True) if name},
            f"row {row.line}",
        )
        for row in rows
        if len(row.cells) == len(header.cells)
    ]
    return read_each(readers, vllm_bench.run_of, (*problems, *same_seeds(readers)))


def _typed(cell: str) -> Any:
    """The cell as its JSON value: nothing, a number, a list or words."""
    if cell.lower() in WORDS:
        return None
    if cell.startswith("["):
        try:
            return json.loads(cell)
        except ValueError:
            return None
    number = plain_number(cell) if "," not in cell else None
    return cell if number is None or cell.lower() == "inf" else number
