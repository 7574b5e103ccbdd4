"""locust, k6, Prometheus and OpenTelemetry: tools that know requests, and tokens only now and then."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from data.imports import import_file

SAMPLES = Path(__file__).parent / "samples"


def imported(name):
    return import_file(name, (SAMPLES / name).read_bytes())


def words(found):
    return " | ".join(str(problem) for problem in found.problems)


def test_locust_counts_each_request_once_and_no_aggregate():
    found = imported("locust.csv")
    clean, failing = found.measurements
    assert (clean.request_count, clean.error_count, clean.duration_s) == (400, 4, 50)
    assert (clean.e2e_s.mean, clean.e2e_s.p50, clean.e2e_s.p99) == (1.3005, 1.2, 5.0)  # p99 above the maximum
    assert clean.request_rate_req_per_s == pytest.approx(7.92)
    assert clean.output_rate_tok_per_s is None
    assert (failing.request_count, failing.error_count) == (100, 60)
    assert not failing.e2e_s.known
    assert "60 of 100 requests failed (60%)" in words(found)
    assert "ttft_ms has a mean of 210.0" in words(found)


def test_the_aggregate_alone_is_used():
    header, *rows = (SAMPLES / "locust.csv").read_text("utf-8").splitlines()
    (row,) = import_file("stats.csv", "\n".join([header, rows[-1]]).encode()).measurements
    assert row.request_count == 896


def test_of_a_history_the_whole_run_counts_and_not_its_last_window():
    (row,) = imported("locust_history.csv").measurements
    assert (row.request_count, row.error_count, row.duration_s) == (200, 2, 50)
    assert (row.e2e_s.p50, row.e2e_s.mean, row.e2e_s.p99) == (0.85, 0.9, None)
    assert (row.load_kind, row.concurrency_count, row.notes) == ("users", None, "6 users")


def test_locusts_json_has_a_histogram():
    (row,) = imported("locust.json").measurements
    assert (row.e2e_s.mean, row.e2e_s.p50, row.e2e_s.p90) == pytest.approx((0.25, 0.25, 0.37))
    assert row.request_rate_req_per_s == pytest.approx(4 / 50)


def test_k6_passes_of_failed_are_the_failures():
    found = imported("k6_summary.json")
    (row,) = found.measurements
    assert (row.request_count, row.error_count) == (220, 20)
    assert row.duration_s == pytest.approx(50)
    assert (row.e2e_s.mean, row.e2e_s.p95, row.e2e_s.p99) == (2.0, 2.7, None)
    assert (row.ttft_s.mean, row.osl_tok, row.output_rate_tok_per_s) == (0.2, 101, 404)
    assert (row.load_kind, row.concurrency_count, row.request_rate_req_per_s) == (
        "users",
        8,
        pytest.approx(4),
    )


def test_k6_in_another_shape_and_unit():
    flat = json.loads((SAMPLES / "k6_summary.json").read_text("utf-8"))
    deep = {
        "root_group": {},
        "options": {"summaryTimeUnit": "s"},
        "state": {"testRunDurationMs": 50000.0},
        "metrics": {
            name: {
                "values": {
                    key: value / 1000 if "ttft" in name or "req_d" in name else value
                    for key, value in m.items()
                }
            }
            for name, m in flat["metrics"].items()
        },
    }
    (row,) = import_file("summary.json", json.dumps(deep).encode()).measurements
    flat_row = imported("k6_summary.json").measurements[0]
    assert (row.ttft_s, row.e2e_s, row.error_count) == (flat_row.ttft_s, flat_row.e2e_s, flat_row.error_count)
    assert row.duration_s == 50


@pytest.mark.parametrize("name", ["k6_points.ndjson", "k6_points.csv"])
def test_k6_samples_of_successes(name):
    (row,) = imported(name).measurements
    assert (row.request_count, row.error_count, row.duration_s) == (3, 1, 10)
    assert row.e2e_s.mean == pytest.approx(2.0)
    assert row.request_rate_req_per_s == pytest.approx(0.2)


def test_a_scrape_sums_replicas_and_counts_renamed_metrics_once():
    found = imported("prometheus.txt")
    (row,) = found.measurements
    assert (row.model, row.engine, row.request_count) == ("toy-3b", "vllm", 200)
    assert row.e2e_s.mean == pytest.approx(1.8)
    # Of each replica: rank 50 is 30 of the 60 between 1 and 2 s, rank 90 is 10 of the 16 between 2 and 5 s.
    assert row.e2e_s.p50 == pytest.approx(1.5)
    assert row.e2e_s.p90 == pytest.approx(2 + 3 * 10 / 16)
    assert row.e2e_s.p99 is None
    assert "p99 at or above 5 s" in words(found)
    assert row.itl_s.mean == pytest.approx(90 / 3000)
    assert (row.isl_tok, row.osl_tok, row.duration_s) == (300, 20, None)


def test_a_range_query_is_a_window_and_follows_a_restart():
    (row,) = imported("prometheus_range.json").measurements
    # Count rises by 40, then restarts and reaches 60; its sum by 80 and 120.
    assert row.request_count == 100
    assert row.e2e_s.mean == pytest.approx(2.0)
    assert row.duration_s == 100
    assert row.e2e_s.p50 == pytest.approx(1.0)  # 20 + 30 at or below 1 s
    assert row.output_rate_tok_per_s == pytest.approx(40)  # NaN is no sample


def test_other_metrics_are_named_as_such():
    found = import_file("metrics.txt", b"# TYPE go_goroutines gauge\ngo_goroutines 12\nprocess_open_fds 4\n")
    assert found.refused
    assert "no latency histogram" in words(found)


def test_otlp_leaves_failures_out_of_latencies_and_reads_units():
    (row,) = imported("otlp.json").measurements
    assert (row.model, row.request_count, row.error_count) == ("toy-3b", 44, 4)
    assert row.e2e_s.mean == pytest.approx(1.0)
    assert row.e2e_s.p50 == pytest.approx(1.0)
    assert (row.isl_tok, row.osl_tok) == (200, 100)


def test_the_sdks_own_words_are_read_like_otlp():
    otlp = (SAMPLES / "otlp.json").read_text("utf-8")
    for camel, snake in (
        ("resourceMetrics", "resource_metrics"),
        ("scopeMetrics", "scope_metrics"),
        ("dataPoints", "data_points"),
        ("bucketCounts", "bucket_counts"),
        ("explicitBounds", "explicit_bounds"),
        ('"histogram"', '"data"'),
    ):
        otlp = otlp.replace(camel, snake)
    assert import_file("sdk.json", otlp.encode()).measurements == imported("otlp.json").measurements


def scrape(count, total_s, moment=""):
    name = "vllm:e2e_request_latency_seconds"
    lines = [f'{name}_bucket{{le="1.0",model_name="toy"}} {count // 2} {moment}']
    lines += [f'{name}_bucket{{le="+Inf",model_name="toy"}} {count} {moment}']
    lines += [f'{name}_sum{{model_name="toy"}} {total_s} {moment}']
    lines += [f'{name}_count{{model_name="toy"}} {count} {moment}']
    lines += [f'vllm:generation_tokens_total{{model_name="toy"}} {count * 50} {moment}']
    return "\n".join(line.strip() for line in lines) + "\n"


def test_two_scrapes_with_timestamps_are_the_window_between_them():
    text = scrape(300, 500, 1_760_000_060_000) + scrape(100, 300, 1_760_000_000_000)
    found = import_file("both.txt", text.encode())
    (row,) = found.measurements
    assert (row.duration_s, row.request_count, row.e2e_s.mean, row.osl_tok) == (60, 200, 1.0, 50)
    assert row.request_rate_req_per_s == pytest.approx(200 / 60)
    assert any("of the window given" in problem.message for problem in found.problems)


def test_two_scrapes_below_each_other_are_a_window_of_unknown_length():
    (row,) = import_file("both.txt", (scrape(100, 300) + scrape(300, 500)).encode()).measurements
    assert (row.duration_s, row.request_count, row.e2e_s.mean) == (None, 200, 1.0)


def test_a_server_that_restarted_between_two_scrapes_counts_from_zero():
    (row,) = import_file("both.txt", (scrape(100, 300) + scrape(40, 20)).encode()).measurements
    assert (row.request_count, row.e2e_s.mean) == (40, 0.5)


def test_one_scrape_is_said_to_be_totals_since_the_start():
    found = import_file("one.txt", scrape(100, 300, 1_760_000_000_000).encode())
    assert (found.measurements[0].request_count, found.measurements[0].e2e_s.mean) == (100, 3.0)
    assert any("since the server started" in problem.message for problem in found.problems)


def test_scrapes_in_the_wrong_order_are_put_right_where_the_server_ran_through():
    started = "process_start_time_seconds 1.7e+09\n"
    text = scrape(300, 500) + started + scrape(100, 300) + started
    found = import_file("both.txt", text.encode())
    (row,) = found.measurements
    assert (row.request_count, row.e2e_s.mean) == (200, 1.0)
    assert "counters fall" not in words(found)


def test_counters_that_fall_without_timestamps_are_said_to_be_a_restart_or_the_wrong_order():
    found = import_file("both.txt", (scrape(300, 500) + scrape(100, 300)).encode())
    assert "5 of 5 counters fall from one scrape to the next: the server restarted" in words(found)
    assert "or the later scrape stands first. Put the earlier scrape first" in words(found)
    later, earlier = scrape(40, 20, 1_760_000_060_000), scrape(100, 300, 1_760_000_000_000)
    assert "followed from zero" in words(import_file("both.txt", (later + earlier).encode()))


def test_two_scrapes_in_one_archive_are_the_window_between_them():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("before.prom", scrape(100, 300))
        archive.writestr("after.prom", scrape(300, 500))
    found = import_file("scrapes.zip", out.getvalue())
    assert [row.request_count for row in found.measurements] == [200]
    assert "before.prom and after.prom: scrapes of one server were put together" in words(found)
