"""A label that the file itself contradicts is asked about, and told wherever the points are used."""

from dataclasses import replace
from datetime import date

import pytest

from app.cli import NOTHING_DONE, main
from data.catalogue_files import load_catalogue
from data.label_doubts import contradictions, label_notices
from data.store import open_store
from models.measurements import Measurement, SourcedMeasurement

CATALOGUE = load_catalogue()
H100_X4 = CATALOGUE.tiers["h100_sxm_x4_vllm"]
POINT = Measurement(model="gpt-oss-120b", accelerator="H100", accelerator_count=4)
FILE = b"model,accelerator,n_accelerators,concurrency,isl_tokens,osl_tokens,tpot_ms_p50,n_requests\n"
ROWS = b"gpt-oss-120b,H100,8,1,1000,500,5,200\ngpt-oss-120b,H100,8,16,1000,500,9,200\n"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ()),
        ({"accelerator": None, "accelerator_count": None, "model": None}, ()),
        ({"accelerator_count": 8}, ("8 x H100", "4 x h100_sxm")),
        ({"accelerator": "MI325X"}, ("MI325X", "h100_sxm")),
        ({"accelerator": "a board nobody knows"}, ()),
        ({"model": "mock-llama-8b"}, ("mock-llama-8b", "gpt-oss-120b")),
    ],
)
def test_what_the_points_say_against_a_tier_is_told(changes, words):
    said = " ".join(contradictions(H100_X4, "gpt-oss-120b", [replace(POINT, **changes)]))
    assert bool(said) == bool(words)
    assert all(word in said for word in words)


def test_points_labelled_against_their_own_words_say_so_in_every_plan():
    offer = CATALOGUE.offer("h100_sxm_x4_vllm", "gpt-oss-120b", date(2026, 11, 30))
    labelled = replace(POINT, tier=offer.tier.id, accelerator_count=8)
    told = [
        label_notices(
            offer,
            [SourcedMeasurement(measurement=each, source_id="s", source_label="f", row_number=1)],
        )
        for each in (labelled, replace(labelled, tier=None), replace(labelled, accelerator_count=4))
    ]
    assert "labelled as this tier by hand" in told[0][0]
    assert told[1:] == [(), ()]


def test_the_command_line_refuses_a_label_that_the_file_or_the_store_contradicts(tmp_path, capfd):
    path, database = tmp_path / "sweep.csv", str(tmp_path / "store.duckdb")
    path.write_bytes(FILE + ROWS)
    wrong = ["import", str(path), "--tier", "h100_sxm_x4_vllm", "--db", database]
    assert main(wrong) == NOTHING_DONE
    assert "8 x H100" in capfd.readouterr().err
    assert main([*wrong, "--relabel"]) == 0
    other = ["import", str(path), "--tier", "h100_sxm_x8_vllm", "--db", database]
    assert main(other) == NOTHING_DONE
    assert "in the store as h100_sxm_x4_vllm" in capfd.readouterr().err
    assert main([*other, "--relabel"]) == 0
    assert {each.measurement.tier for each in open_store(database).measurements()} == {"h100_sxm_x8_vllm"}


def test_a_tier_that_is_not_in_the_catalogue_is_spoken_of(tmp_path, capfd):
    path = tmp_path / "sweep.csv"
    path.write_bytes(FILE + ROWS)
    assert main(["import", str(path), "--tier", "h100_sxm_x8_vlm", "--db", str(tmp_path / "s.duckdb")]) == 0
    assert "Did you mean 'h100_sxm_x8_vllm'" in capfd.readouterr().err
