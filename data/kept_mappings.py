"""Mappings of columns that the store keeps: said once, used for every table with the same headings."""

from dataclasses import replace
from datetime import UTC

from data.column_mapping import ColumnMapping
from data.mapping_files import read_mappings, text_of
from data.migrations import utc_now
from data.runs import named_query
from data.store import Store


def kept_mappings(store: Store) -> tuple[ColumnMapping, ...]:
    """What was said and not forgotten, the latest first; StoreFault where the store cannot be read."""
    with store.cursor() as cursor:
        rows = cursor.execute(named_query("column_mappings")).fetchall()
    return tuple(
        replace(mapping, said_on=said_on.replace(tzinfo=UTC))
        for document, said_on in rows
        for mapping in read_mappings(document)
    )


def keep_mapping(store: Store, mapping: ColumnMapping, who: str = "") -> None:
    """Use this mapping for all tables with the same headings from now on."""
    _append(store, mapping.fingerprint, text_of(mapping), who)


def forget_mapping(store: Store, fingerprint: str, who: str = "") -> None:
    """Read tables with these headings by the headings alone again."""
    _append(store, fingerprint, "", who)


def _append(store: Store, fingerprint: str, document: str, who: str) -> None:
    with store.transaction() as cursor:
        cursor.execute(
            "INSERT INTO store.column_mappings "
            "SELECT ?, coalesce(max(mapping_number), 0) + 1, ?, ?, ? FROM store.column_mappings",
            [fingerprint, document, who, utc_now()],
        )
