"""One vocabulary: every number that leaves models/ has a row in the glossary and ends in that row's unit."""

import ast
import dataclasses
import importlib
import re

import pytest

from data.columns import DATES, MEASUREMENT_COLUMNS, STATISTICS, TEXTS
from models.decisions.parity import Comparison, Margin, QuantileShift
from models.decisions.parity_verdicts import Parity
from models.percentiles import Percentiles
from models.quantities import BY_NAME, QUANTITIES
from models.simulation import Estimate
from models.units import UNIT_BY_SUFFIX, unit_of
from tests.house.sources import python_files, text_of

# Records that travel: into the store, the plan, the report. What other modules keep to themselves is theirs.
RECORD_MODULES = (
    "models.curves",
    "models.evidence",
    "models.lengths",
    "models.measurements",
    "models.performance",
    "models.plans",
    "models.scenario",
    "models.tiers",
    "models.workloads",
)
# Numbers that are no quantity: names of days, rows and draws, and figures in another number's own unit.
NOT_A_QUANTITY = {
    ("Desk", "plan_pool"),
    ("Desk", "pools"),
    ("Desk", "sets"),
    ("Group", "workload_set"),
    ("Routed", "pool_index"),
    ("Accelerator", "year"),
    ("Evidence", "low"),
    ("Evidence", "high"),
    ("RegretTable", "least_expected_index"),
    ("RegretTable", "least_regret_index"),
    ("Scenario", "seed"),
    ("SourcedMeasurement", "row_number"),
    ("Target", "quantile"),
}
NUMBER = re.compile(r"\b(int|float|Percentiles)\b")


def record_classes():
    """Every public dataclass of the record modules, and those of models/ that app/ and data/ import."""
    found = set()
    for name in RECORD_MODULES:
        module = importlib.import_module(name)
        found |= {each for each in vars(module).values() if is_record(each) and each.__module__ == name}
    for path in [*python_files("data"), *python_files("app")]:
        if path != "app/workbench.py":  # it composes the planner and knows its inner records
            found |= set(imported_records(text_of(path)))
    return sorted(found, key=lambda each: (each.__module__, each.__name__))


def is_record(value):
    return isinstance(value, type) and dataclasses.is_dataclass(value) and not value.__name__.startswith("_")


def imported_records(source):
    """The dataclasses that a source text imports from models/."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("models."):
            module = importlib.import_module(node.module)
            yield from (
                each
                for each in (getattr(module, alias.name, None) for alias in node.names)
                if is_record(each)
            )


def unknown_fields(record):
    """Numeric fields of a record that the glossary does not know."""
    # They hold figures of any quantity, named where they stand.
    if record in (Percentiles, Estimate, Comparison, Margin, Parity, QuantileShift):
        return []
    return [
        field.name
        for field in dataclasses.fields(record)
        if NUMBER.search(annotation(field))
        and field.name not in BY_NAME
        and (record.__name__, field.name) not in NOT_A_QUANTITY
    ]


def annotation(field):
    """The field's type as text; names of classes that contain others' names do not count as numbers."""
    return field.type.__name__ if isinstance(field.type, type) else str(field.type)


@pytest.mark.parametrize("record", record_classes(), ids=lambda each: each.__name__)
def test_every_number_of_a_record_is_in_the_glossary(record):
    assert unknown_fields(record) == []


def test_every_measurement_column_is_in_the_glossary():
    numeric = [name for name in MEASUREMENT_COLUMNS if name not in (*TEXTS, *DATES)]
    ending = re.compile(rf"_({'|'.join(STATISTICS)})$")
    assert [name for name in numeric if ending.sub("", name) not in BY_NAME] == []


@pytest.mark.parametrize("quantity", QUANTITIES, ids=lambda each: each.name)
def test_a_quantity_ends_in_its_unit_and_explains_itself(quantity):
    assert quantity.unit == unit_of(quantity.name)
    assert quantity.label
    assert quantity.help.endswith(".")


def test_names_and_labels_are_unique():
    assert len(BY_NAME) == len(QUANTITIES)
    labels = [quantity.label.lower() for quantity in QUANTITIES]
    assert sorted({label for label in labels if labels.count(label) > 1}) == []


def test_the_longest_ending_decides_the_unit():
    assert unit_of("cost_usd_per_mtok_output") == "USD/Mtok"
    assert unit_of("ttft_s") == "s"
    assert unit_of("stream_rate_tok_per_s") == "tokens/s"
    assert set(UNIT_BY_SUFFIX) == {suffix for suffix in UNIT_BY_SUFFIX if suffix.startswith("_")}


def test_a_name_without_a_unit_is_refused():
    with pytest.raises(ValueError, match="does not end in a known unit"):
        unit_of("latency")


def test_the_guard_sees_a_number_that_the_glossary_does_not_know():
    @dataclasses.dataclass
    class Record:
        speed: float
        ttft_s: float
        name: str
        delay: Percentiles

    assert unknown_fields(Record) == ["speed", "delay"]


def test_the_guard_sees_records_that_another_folder_imports():
    source = "from models.plans import Plan, NoticeLevel"
    assert [each.__name__ for each in imported_records(source)] == ["Plan"]
