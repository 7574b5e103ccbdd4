"""A report as JSON: its blocks, the whole plan in glossary names and the scenario file."""

import json
from typing import Any

from app.plan_json import plain, plan_as_json
from app.report.blocks import Document, Section
from app.workbench import View

SUFFIX = ".json"
MIME = "application/json"
LABEL = "JSON"


def render(document: Document) -> bytes:
    """The document as JSON in UTF-8, in base units; keys keep their order."""
    content: dict[str, Any] = {
        "title": document.title,
        "subtitle": document.subtitle,
        "footer": document.footer,
        "sections": [_section(section) for section in document.sections],
    }
    if document.view is not None:
        content |= _of_view(document.view)
    if document.against is not None:
        content["against"] = _of_view(document.against)
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode("utf-8", "replace")


def _of_view(view: View) -> dict[str, Any]:
    """A plan and its scenario, whose keys are put in order: the same scenario, the same bytes."""
    scenario = json.loads(json.dumps(plain(view.draft), sort_keys=True))
    return {"plan": plan_as_json(view.plan), "scenario": scenario}


def _section(section: Section) -> dict[str, Any]:
    blocks = [{"kind": type(block).__name__.lower()} | plain(block) for block in section.blocks]
    return {"key": section.key, "title": section.title, "blocks": blocks}
