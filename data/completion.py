"""Figures a file does not state but that follow from those it does, each derivation said."""

from dataclasses import replace

from models.measurements import Measurement
from models.problems import Problem


def with_mean_tpot(measurement: Measurement, path: str) -> tuple[Measurement, tuple[Problem, ...]]:
    """Mean TPOT from mean E2E, mean TTFT and mean output length where the file has no TPOT.

    (E2E - TTFT) / (output tokens - 1); exact where all outputs are equally long. Percentiles cannot be had
    this way and stay missing.
    """
    ttft, e2e, osl = measurement.ttft_s.mean, measurement.e2e_s.mean, measurement.osl_tok
    if measurement.tpot_s.known or ttft is None or e2e is None or osl is None or osl <= 1 or e2e <= ttft:
        return measurement, ()
    tpot = (e2e - ttft) / (osl - 1)
    note = Problem(
        path=path,
        message=f"TPOT is not in the file; its mean of {tpot * 1e3:.4g} ms is (E2E - TTFT) / (output - 1)",
        cure="Have the tool write TPOT to get percentiles.",
        severity="warning",
    )
    return replace(measurement, tpot_s=replace(measurement.tpot_s, mean=tpot)), (note,)
