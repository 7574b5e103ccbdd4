"""The Benchmarks page shows how columns were read, takes corrections, keeps them, and exports them."""

from app import benchmarks, mapping_desk, session
from app.cli import main
from data.kept_mappings import kept_mappings
from data.store import open_store
from tests.app.clicking import button, open_page, sweep, tables, uploader, words

SECONDS_AS_MS = (
    b"concurrency,isl_tokens,osl_tokens,ttft_ms_mean,tpot_ms_mean,e2e_ms_mean\n"
    b"1,1000,101,200,0.02,2200\n2,1000,101,400,0.02,2400\n4,1000,101,800,0.02,2800\n"
)
UNKNOWN_HEADINGS = b"a,b,c\n1,200,20\n4,300,25\n"


def drop(app, name, raw):
    open_page(app, "benchmarks")
    return uploader(app, "Benchmark files").set_value([(name, raw, "text/csv")]).run()


def choose(app, label, value):
    next(each for each in app.selectbox if each.label == label).set_value(value).run()


def correct(app, column, meaning, unit=None):
    choose(app, "Column", column)
    choose(app, "Meaning", meaning)
    if unit is not None:
        choose(app, "Unit", unit)
    button(app, "Apply").click().run()
    assert list(app.exception) == []


def stored():
    return [each.measurement for each in session.store().measurements()]


def test_every_column_is_shown_with_meaning_unit_and_one_cell_converted(app):
    app.run()
    drop(app, "ours.csv", sweep())
    shown = tables(app)
    assert 'ttft_ms_p50,"Time to first token, p50",ms,42 ms → 0.042 s' in shown
    assert "concurrency,Concurrent requests,,1 → 1" in shown
    assert list(app.exception) == []


def test_a_table_nobody_knows_is_read_once_its_columns_are_explained(app):
    app.run()
    drop(app, "ours.csv", UNKNOWN_HEADINGS)
    button(app, "It is a table: let me say what its columns mean").click().run()
    correct(app, 0, "concurrency_count")
    correct(app, 1, "ttft_s_p50", "ms")
    correct(app, 2, "tpot_s_p50", "ms")
    assert "2 of 2 rows usable" in words(app)
    button(app, "Use these measurements").click().run()
    assert [(each.concurrency_count, each.ttft_s.p50, each.tpot_s.p50) for each in stored()] == [
        (1, 0.2, 0.02),
        (4, 0.3, 0.025),
    ]


def test_a_unit_is_corrected_only_with_a_yes(app):
    app.run()
    drop(app, "ours.csv", SECONDS_AS_MS)
    assert "Which unit is it?" in words(app)
    assert 'tpot_ms_mean,"Time per output token, mean",ms,0.02 ms → 2e-05 s' in tables(app)
    button(app, "Read them as s").click().run()
    assert "Which unit is it?" not in words(app)
    button(app, "Use these measurements").click().run()
    assert {each.tpot_s.mean for each in stored()} == {0.02}
    assert [each.e2e_s.mean for each in stored()] == [2.2, 2.4, 2.8]


def test_what_was_said_is_used_for_the_next_file_said_so_and_can_be_forgotten(app):
    app.run()
    drop(app, "ours.csv", SECONDS_AS_MS)
    button(app, "Read them as s").click().run()
    button(app, "Use these measurements").click().run()
    later = SECONDS_AS_MS + b"8,1000,101,1600,0.02,3600\n"
    drop(app, "later.csv", later)
    assert "Columns read as you said on 20" in words(app)
    assert 'tpot_ms_mean,"Time per output token, mean",s,0.02 s → 0.02 s' in tables(app)
    button(app, "Forget").click().run()
    assert "Columns read as you said" not in words(app)
    assert 'tpot_ms_mean,"Time per output token, mean",ms' in tables(app)
    assert kept_mappings(session.store()) == ()


def test_a_corrected_file_that_was_stored_before_is_read_anew(app):
    app.run()
    drop(app, "ours.csv", SECONDS_AS_MS)
    button(app, "Use these measurements").click().run()
    assert {each.tpot_s.mean for each in stored()} == {0.00002}
    button(app, "Read them as s").click().run()
    button(app, "Use these measurements").click().run()
    assert {each.tpot_s.mean for each in stored()} == {0.02}


def test_a_pasted_block_or_table_goes_the_same_way(app):
    app.run()
    open_page(app, "benchmarks")
    pasted = next(each for each in app.text_area if each.label == "Table or printed result")
    pasted.set_value(
        "| concurrency | ttft_ms_p50 | tpot_ms_p50 |\n|---|---|---|\n| 1 | 200 | 20 |\n| 4 | 300 | 25 |\n"
    ).run()
    assert "2 of 2 rows usable" in words(app)
    assert "200 ms → 0.2 s" in tables(app)
    button(app, "Use these measurements").click().run()
    assert [each.tpot_s.p50 for each in stored()] == [0.02, 0.025]


def test_the_exported_mapping_gives_the_command_line_the_same_measurements(app, tmp_path):
    app.run()
    drop(app, "ours.csv", UNKNOWN_HEADINGS)
    button(app, "It is a table: let me say what its columns mean").click().run()
    correct(app, 0, "concurrency_count")
    correct(app, 1, "tpot_s_p95", "ms")
    correct(app, 2, "ttft_s_p50", "s")
    button(app, "Use these measurements").click().run()

    [place] = app.session_state[mapping_desk.SAID_KEY]
    said = list(app.session_state[mapping_desk.SAID_KEY][place].values())
    (tmp_path / "map.yaml").write_text(benchmarks.write_mappings(said), "utf-8")
    (tmp_path / "ours.csv").write_bytes(UNKNOWN_HEADINGS)
    database = tmp_path / "store.duckdb"
    code = main(
        ["import", str(tmp_path / "ours.csv"), "--mapping", str(tmp_path / "map.yaml"), "--db", str(database)]
    )
    store = open_store(database)
    assert code == 0
    assert [each.measurement for each in store.measurements()] == stored()
    assert len(stored()) == 2
    store.close()


def test_a_mapping_that_does_not_fit_refuses_the_file_and_not_its_neighbours(tmp_path, capsys):
    mapping = (
        "schema: plimsoll-columns/1\ntables:\n- columns:\n"
        "  - {heading: a, meaning: concurrency_count}\n  - {heading: z, meaning: ttft_s_p50, unit: ms}\n"
        "  - {heading: b, meaning: tpot_s_p50, unit: ms}\n"
    )
    (tmp_path / "map.yaml").write_text(mapping, "utf-8")
    (tmp_path / "lacks.csv").write_bytes(UNKNOWN_HEADINGS)
    (tmp_path / "fits.csv").write_bytes(b"a,z,b\n1,200,20\n2,300,20\n")
    database = str(tmp_path / "store.duckdb")
    files = [str(tmp_path / "lacks.csv"), str(tmp_path / "fits.csv")]
    assert main(["import", *files, "--mapping", str(tmp_path / "map.yaml"), "--db", database]) == 3
    assert "columns that the table does not have: z" in capsys.readouterr().err
    (tmp_path / "map.yaml").write_text(mapping + "colour: red\n", "utf-8")
    assert main(["import", *files, "--mapping", str(tmp_path / "map.yaml"), "--db", database]) == 1
    assert "colour" in capsys.readouterr().err
