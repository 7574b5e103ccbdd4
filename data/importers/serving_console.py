"""The block that vLLM's and SGLang's benchmarks print at their end: often all that people kept."""

import re
from typing import Any

from data.document_reader import DocumentReader
from data.document_runs import read_each
from data.file_content import FileContent, Reading
from data.foreign_tables import plain_number
from data.importers import vllm_bench

KEY = "serving_console"
LABEL = "vLLM or SGLang benchmark, as printed"

TITLE = re.compile(r"=+ *Serving Benchmark Result *=+")
LINE = re.compile(r"^\W*([A-Za-z][^:\n]*?) *: +(\S[^\n]*?)\s*$", re.MULTILINE)
LATENCY = re.compile(r"(mean|median|p\d+(?:\.\d+)?) (ttft|tpot|itl|e2el|e2e latency) \(ms\)")
KEYS = {
    "successful requests": "completed",
    "failed requests": "failed",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "max concurrency": "max_concurrency",
    "request rate configured (rps)": "request_rate",
    "traffic request rate": "request_rate",
    "benchmark duration (s)": "duration",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "request throughput (req/s)": "request_throughput",
    "request goodput (req/s)": "request_goodput",
    "input token throughput (tok/s)": "input_throughput",
    "output token throughput (tok/s)": "output_throughput",
    "total token throughput (tok/s)": "total_token_throughput",
    "accept length": "accept_length",
}
LAST_LINE = re.compile(r"^\W*={20,}\W*$", re.MULTILINE)


def sniff(content: FileContent) -> float:
    """0.95 where the block's title stands anywhere in the text."""
    return 0.95 if not content.is_json and TITLE.search(content.text) else 0.0


def read(content: FileContent) -> Reading:
    """One measurement per block; what is printed around it is ignored."""
    readers = []
    for title in TITLE.finditer(content.text):
        line = content.text.count("\n", 0, title.start()) + 1
        following = LAST_LINE.search(content.text, title.end())
        block = content.text[title.end() : following.start() if following else None]
        readers.append(DocumentReader(_document(block), f"block at line {line}"))
    return read_each(readers, vllm_bench.run_of)


def _document(block: str) -> dict[str, Any]:
    """The block's lines under the keys of the result file."""
    document: dict[str, Any] = {}
    for label, value in LINE.findall(block):
        name = label.lower()
        latency = LATENCY.fullmatch(name)
        if latency:
            metric = "e2el" if latency[2] == "e2e latency" else latency[2]
            document[f"{latency[1]}_{metric}_ms"] = plain_number(value)
        elif name in KEYS:
            number = plain_number(value)
            document[KEYS[name]] = value if number is None else number
    if "max_concurrency" in document and not isinstance(document["max_concurrency"], float):
        del document["max_concurrency"]  # "not set"
        document.setdefault("request_rate", "inf")
    return document
