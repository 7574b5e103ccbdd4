"""Every result format that can be read, in sniffing order; a new one is one file and one line here."""

from typing import Protocol

from data.file_content import FileContent, Reading
from data.importers import (
    aiperf,
    aiperf_csv,
    aiperf_requests,
    canonical_csv,
    evalscope,
    fmperf,
    genai_bench,
    genai_perf,
    guidellm,
    guidellm_csv,
    inference_perf,
    inferencex,
    inferencex_csv,
    k6,
    k6_points,
    llmd_report,
    llmperf,
    locust,
    neighbours,
    otlp,
    prometheus,
    request_log,
    serving_console,
    sglang,
    trtllm_bench,
    vllm_bench,
    vllm_csv,
)


class Importer(Protocol):
    """What a format's module offers.

    KEY, LABEL   the name in commands and the name on screen
    sniff        0 (not mine) to 1 (certainly mine); looks at the content, never at the file's name
    read         all its rows, with a problem for each that is refused
    """

    KEY: str
    LABEL: str

    def sniff(self, content: FileContent) -> float:
        """How surely the content is of this format, 0 to 1."""

    def read(self, content: FileContent) -> Reading:
        """All rows of the content."""


IMPORTERS: tuple[Importer, ...] = (
    guidellm,
    guidellm_csv,
    sglang,
    vllm_bench,
    vllm_csv,
    serving_console,
    aiperf,
    aiperf_csv,
    aiperf_requests,
    genai_perf,
    genai_bench,
    evalscope,
    inferencex,
    inferencex_csv,
    llmperf,
    inference_perf,
    trtllm_bench,
    llmd_report,
    fmperf,
    locust,
    k6,
    k6_points,
    prometheus,
    otlp,
    request_log,
    neighbours,
    canonical_csv,
)
BY_KEY = {importer.KEY: importer for importer in IMPORTERS}


def best_importer(content: FileContent) -> Importer | None:
    """The importer that is surest of the content, the first of equals; None where none knows it."""
    scores = [(importer.sniff(content), importer) for importer in IMPORTERS]
    score, importer = max(scores, key=lambda scored: scored[0])
    return importer if score > 0 else None
