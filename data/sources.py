"""Where the catalogue's figures come from, and under which licence."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from data.reading import Reader


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A page, package or data set that figures were taken from; `licence` only where its data are shipped."""

    id: str
    title: str
    url: str = ""
    licence: str = ""

    @property
    def name(self) -> str:
        """The source as an evidence entry names it: title and address."""
        return f"{self.title} ({self.url})" if self.url else self.title


def read_source(source_id: str, raw: Any, path: str, problems: list[Any]) -> Source:
    """One entry of `sources.toml`."""
    reader = Reader(raw, path, problems)
    source = Source(
        id=source_id,
        title=reader.text("title", required=True),
        url=reader.text("url") or "",
        licence=reader.text("licence") or "",
    )
    reader.close()
    return source


def source_names(sources: Mapping[str, Source]) -> dict[str, str]:
    """Full names by id, for evidence entries."""
    return {source.id: source.name for source in sources.values()}
