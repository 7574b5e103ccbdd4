"""What every importer keeps: its own sample is its own, and its measurements survive the store."""

import copy
import json
import random
from pathlib import Path

import pytest

from data import importers
from data.decoding import decode
from data.file_content import FileContent
from data.importers import IMPORTERS, best_importer
from data.imports import import_file
from data.store import open_store

SAMPLES = Path(__file__).parent / "samples"
OWNER_BY_SAMPLE = {
    "points.csv": "csv",
    "german.csv": "csv",
    "guidellm.json": "guidellm",
    "guidellm_three_rows.csv": "guidellm_csv",
    "guidellm_one_row.csv": "guidellm_csv",
    "sglang.jsonl": "sglang",
    "vllm_seconds.json": "vllm",
    "vllm_console.txt": "serving_console",
    "vllm_sweep.csv": "vllm_csv",
    "inferencex.json": "inferencex",
    "inferencex_export.csv": "inferencex_csv",
    "aiperf.json": "aiperf",
    "aiperf_sweep.json": "aiperf",
    "aiperf.csv": "aiperf_csv",
    "aiperf_sweep.csv": "aiperf_csv",
    "aiperf_requests.jsonl": "aiperf_requests",
    "genai_perf.json": "genai_perf",
    "genai_perf.csv": "aiperf_csv",
    "genai_perf_raw.json": "genai_perf",
    "genai_bench.json": "genai_bench",
    "evalscope.json": "evalscope",
    "evalscope_ms.json": "evalscope",
    "llmperf_summary.json": "llmperf",
    "llmperf_individual.json": "llmperf",
    "inference_perf_stage.json": "inference_perf",
    "inference_perf_requests.json": "inference_perf",
    "trtllm_bench.json": "trtllm_bench",
    "llmd_old.yaml": "llmd",
    "llmd_new.json": "llmd",
    "fmperf.json": "fmperf",
    "requests.csv": "requests",
    "requests.jsonl": "requests",
    "neighbour_llama_bench.json": "neighbours",
    "locust.csv": "locust",
    "locust_history.csv": "locust",
    "locust.json": "locust",
    "k6_summary.json": "k6",
    "k6_points.ndjson": "k6_points",
    "k6_points.csv": "k6_points",
    "prometheus.txt": "prometheus",
    "prometheus_range.json": "prometheus",
    "otlp.json": "otlp",
    "vllm_plain.json": "vllm",
    "vllm_append.json": "vllm",
    "vllm_detailed.json": "vllm",
}


def content(name: str) -> FileContent:
    text = decode(name, (SAMPLES / name).read_bytes())
    assert isinstance(text, str)
    return FileContent(name, text)


@pytest.mark.parametrize(("name", "owner"), OWNER_BY_SAMPLE.items())
def test_the_owner_sniffs_highest_and_the_name_does_not_matter(name, owner):
    found = best_importer(FileContent("upload.bin", content(name).text))
    assert found is not None
    assert owner == found.KEY
    scores = {importer.KEY: importer.sniff(content(name)) for importer in IMPORTERS}
    assert all(0 <= score <= 1 for score in scores.values())
    assert all(score < scores[owner] for key, score in scores.items() if key != owner)


def test_every_importer_file_is_in_the_tuple_with_a_key_of_its_own():
    folder = Path(importers.__file__).parent
    files = {file.stem for file in folder.glob("*.py")} - {"__init__"}
    assert files == {importer.__name__.rpartition(".")[2] for importer in IMPORTERS}
    assert len({importer.KEY for importer in IMPORTERS}) == len(IMPORTERS)
    assert all(importer.KEY in OWNER_BY_SAMPLE.values() for importer in IMPORTERS)


@pytest.mark.parametrize("name", [name for name, key in OWNER_BY_SAMPLE.items() if key != "neighbours"])
def test_what_is_read_comes_back_from_the_store(name):
    imported = import_file(name, (SAMPLES / name).read_bytes())
    store = open_store(":memory:")
    store.save(imported)
    assert tuple(kept.measurement for kept in store.measurements()) == imported.measurements
    assert tuple(kept.row_number for kept in store.measurements()) == imported.row_numbers
    store.close()


WRONG_KINDS = (
    None,
    True,
    -1,
    1e308,
    float("nan"),
    float("-inf"),
    "",
    "x",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
    10**17,
)


def places(value, path=()):
    """The address of every value in a document, of the first few in a list."""
    yield path
    children = (
        value.items() if isinstance(value, dict) else enumerate(value[:4]) if isinstance(value, list) else ()
    )
    for key, child in children:
        yield from places(child, (*path, key))


@pytest.mark.parametrize(
    "name", [name for name in OWNER_BY_SAMPLE if name.endswith((".json", ".jsonl", ".ndjson"))]
)
def test_a_value_of_the_wrong_kind_anywhere_is_no_crash(name):
    originals = [document.value for document in content(name).documents]
    dice = random.Random(5)
    for _ in range(40):
        documents = copy.deepcopy(originals)
        document = dice.choice(documents)
        *way, last = dice.choice([path for path in places(document) if path])
        for key in way:
            document = document[key]
        document[last] = copy.deepcopy(dice.choice(WRONG_KINDS))
        imported = import_file(name, "\n".join(map(json.dumps, documents)).encode())
        assert imported.measurements or imported.problems


@pytest.mark.parametrize("name", OWNER_BY_SAMPLE)
def test_damaged_bytes_give_measurements_or_problems_and_never_a_crash(name):
    raw = (SAMPLES / name).read_bytes()
    dice = random.Random(11)
    for _ in range(150):
        damaged = bytearray(raw)
        for _ in range(dice.randint(1, 4)):
            place = dice.randrange(len(damaged))
            damaged[place : place + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        imported = import_file(name, bytes(damaged))
        assert imported.measurements or imported.problems
