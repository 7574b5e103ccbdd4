"""The sections of a report, in reading order. Each module: KEY, TITLE, blocks(context)."""

from app.report.sections import (
    capacity,
    comparison,
    cost,
    curves,
    decision,
    evidence,
    inputs,
    method,
    origins,
    rejected,
    reproducibility,
)

SECTIONS = (
    decision,
    comparison,
    capacity,
    origins,
    cost,
    curves,
    rejected,
    inputs,
    evidence,
    method,
    reproducibility,
)
