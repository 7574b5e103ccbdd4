"""How tests read and drive the app: pages by name, texts as a user sees them, files as bytes."""

import csv
import io

HEADINGS = (
    *("tier", "model", "isl_tokens", "osl_tokens", "concurrency", "ttft_ms_p50", "ttft_ms_p95"),
    *("tpot_ms_p50", "tpot_ms_p95", "output_tps", "n_requests", "n_errors", "measured_by"),
)
MEASURED_TIER, MEASURED_MODEL = "b200_sxm_x1_trt", "gpt-oss-120b"


def open_page(app, name):
    """Go to a page as the sidebar does, and let it run."""
    app.switch_page(f"../pages/{name}.py")
    return app.run()


def texts(app):
    """Everything the page says outside tables and charts, as one text."""
    kinds = ("title", "subheader", "caption", "markdown", "error", "warning", "info", "success")
    return "\n".join(str(each.value) for kind in kinds for each in app.get(kind))


def words(app):
    """The same with Markdown's escapes taken away."""
    return texts(app).replace("\\", "")


def metrics(app):
    """The headline numbers by name."""
    return {each.label: each.value for each in app.metric}


def tables(app):
    """Every table's cells, as one text."""
    return "\n".join(each.value.to_csv(index=False) for each in app.dataframe)


def number_input(app, ending):
    """The number field whose key ends in an address of the draft."""
    return next(each for each in app.number_input if each.key and each.key.endswith(ending))


def button(app, label):
    """The button of that label."""
    return next(each for each in app.button if each.label == label)


def uploader(app, label):
    """The upload field of that label."""
    return next(each for each in app.file_uploader if each.label == label)


def sweep(tier=MEASURED_TIER, model=MEASURED_MODEL, base_tpot_ms=4.0):
    """A made-up sweep of one replica: time per token grows by an eighth of a millisecond a stream."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(HEADINGS)
    for count in (1, 4, 16, 64, 128):
        tpot_ms = base_tpot_ms + 0.125 * count
        ttft_ms = 40 + 2 * count
        e2e_s = (ttft_ms + 999 * tpot_ms) / 1e3
        rate = count * 1000 / e2e_s
        writer.writerow(
            [
                *(tier, model, 1000, 1000, count, ttft_ms, 2 * ttft_ms, tpot_ms, 1.2 * tpot_ms),
                *(round(rate, 2), 10 * count, 0, "our lab"),
            ]
        )
    return buffer.getvalue().encode()
