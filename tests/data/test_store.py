"""The store keeps a file once, whole, and gives back what was put in."""

import threading
from datetime import UTC, date, datetime, timedelta

import pytest

from data.columns import COUNTS, DATES, MEASUREMENT_COLUMNS, TEXTS, flat, measurement_of, sql_type
from data.imported import ImportedFile
from data.store import open_store
from data.store_faults import StoreFault
from models.measurements import Measurement, SourcedMeasurement
from models.percentiles import Percentiles
from models.problems import InputProblems

POINT = Measurement(
    model="toy-7b",
    accelerator="TOY-80",
    accelerator_count=2,
    load_kind="concurrency",
    concurrency_count=8,
    ttft_s=Percentiles(mean=0.2, p95=0.3),
    output_rate_tok_per_s=500.0,
    measured_on=date(2026, 3, 15),
)


def imported(digit: str = "a", *points: Measurement) -> ImportedFile:
    return ImportedFile(
        file_name=f"{digit}.csv",
        sha256=(digit * 64)[:64],
        format_key="csv",
        format_label="Benchmark table (CSV)",
        rows_read=max(len(points), 1),
        measurements=points or (POINT,),
    )


@pytest.fixture
def store():
    store = open_store(":memory:")
    yield store
    store.close()


def test_every_field_of_a_measurement_comes_back(store):
    store.save(imported())
    (kept,) = store.measurements()
    assert kept.measurement == POINT
    assert (kept.source_id, kept.source_label, kept.row_number, kept.built_in) == (
        "sha256:" + "a" * 64,
        "a.csv",
        1,
        False,
    )


def test_flat_and_back_is_the_same_measurement():
    assert measurement_of(flat(POINT)) == POINT
    assert len(flat(POINT)) == len(MEASUREMENT_COLUMNS)


def test_the_table_has_the_glossary_columns_with_their_types(store):
    described = dict(row[:2] for row in store.query("DESCRIBE store.measurements").rows)
    expected = {column: sql_type(column) for column in MEASUREMENT_COLUMNS}
    assert described == {"source_id": "VARCHAR", "row_number": "BIGINT"} | expected
    assert set(COUNTS + DATES + TEXTS) <= set(MEASUREMENT_COLUMNS)


def test_the_same_bytes_are_kept_once(store):
    first, second = store.save(imported(), "ann"), store.save(imported(), "bob")
    assert (first.already_there, second.already_there) == (False, True)
    assert len(store.runs()) == len(store.measurements()) == 1
    assert store.runs()[0].imported_by == "ann"


def test_a_run_row_says_when_in_utc(store):
    store.save(imported())
    assert abs(store.runs()[0].imported_at - datetime.now(UTC)) < timedelta(minutes=1)


def test_a_file_without_a_usable_row_is_refused(store):
    with pytest.raises(InputProblems):
        store.save(ImportedFile(file_name="x.csv", sha256="f" * 64))
    assert store.runs() == ()


def test_the_latest_label_wins_and_an_empty_one_gives_the_files_own_word_back(store):
    source_id = imported().source_id
    store.save(imported())
    store.label(source_id, tier="fast", model="other", accelerator_count=8)
    store.label(source_id, tier="faster")
    (kept,) = store.measurements()
    assert (kept.measurement.tier, kept.measurement.model) == ("faster", "other")
    assert kept.measurement.accelerator_count == store.runs()[0].labels.accelerator_count == 8
    store.label(source_id, model="")
    assert store.measurements()[0].measurement.model == "toy-7b"
    with pytest.raises(InputProblems):
        store.label("sha256:unknown", tier="x")


def test_a_removed_file_is_gone_from_every_view_until_restored(store):
    source_id = store.save(imported()).source_id
    store.delete(source_id)
    assert store.runs() == store.measurements() == ()
    assert store.query("SELECT * FROM all_measurements").rows == ()
    store.restore(source_id)
    assert len(store.measurements()) == 1


def test_a_removed_file_imported_anew_is_kept_as_read_now(store):
    store.delete(store.save(imported()).source_id)
    again = store.save(imported("a", POINT, POINT))
    assert (again.already_there, again.row_count, len(store.measurements())) == (False, 2, 2)


def test_measurements_of_named_files_only(store):
    store.save(imported("a"))
    wanted = store.save(imported("b")).source_id
    assert [kept.source_id for kept in store.measurements([wanted])] == [wanted]
    assert store.measurements([]) == ()


def test_builtin_measurements_stand_beside_the_users_and_not_in_their_file(tmp_path):
    published = SourcedMeasurement(
        measurement=POINT, source_id="published", source_label="A report", row_number=3, built_in=True
    )
    path = tmp_path / "kept.duckdb"
    store = open_store(path, builtin=lambda: (published,))
    store.save(imported())
    counted = "SELECT built_in, count(*) FROM all_measurements GROUP BY ALL ORDER BY ALL"
    assert store.query(counted).rows == ((False, 1), (True, 1))
    assert store.query("SELECT source_id FROM builtin_measurements").rows == (("published",),)
    assert all(not kept.built_in for kept in store.measurements())
    store.close()
    reopened = open_store(path)
    assert reopened.query(counted).rows == ((False, 1),)
    reopened.close()


def test_one_store_object_per_file(tmp_path, monkeypatch):
    path = tmp_path / "one.duckdb"
    link = tmp_path / "link.duckdb"
    store = open_store(path)
    link.symlink_to(path)
    monkeypatch.setenv("PLIMSOLL_DB", str(path))
    assert open_store(link) is store
    assert open_store() is store
    store.close()
    with pytest.raises(StoreFault, match="closed"):
        store.runs()
    again = open_store(path)
    assert again is not store
    again.close()


def test_eight_threads_write_and_read_at_once_and_nothing_is_lost(tmp_path):
    store = open_store(tmp_path / "busy.duckdb")
    failures: list[BaseException] = []

    def work(worker: int) -> None:
        try:
            for turn in range(4):
                saved = store.save(imported(f"{worker}{turn}" * 32))
                store.label(saved.source_id, tier=f"t{worker}")
                assert len(store.measurements([saved.source_id])) == 1
                store.query("SELECT count(*) FROM all_measurements")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(store.runs()) == len(store.measurements()) == 32
    assert all(run.labels.tier for run in store.runs())
    store.close()
