"""A report as one HTML file: no outside request, charts inside, prints on A4."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from app.charts.picture import Picture
from app.charts.svg_drawing import draw_svg
from app.report.blocks import Block, Document

SUFFIX = ".html"
MIME = "text/html"
LABEL = "HTML"


def render(document: Document) -> bytes:
    """The document as HTML in UTF-8; every text escaped, only our own drawings inserted as they are."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        document=document, kind_of=_kind_of, svg_of=_svg_of, anchors=document.anchors
    ).encode("utf-8", "replace")


def _kind_of(block: Block) -> str:
    return type(block).__name__


def _svg_of(picture: Picture) -> Markup:
    return Markup(draw_svg(picture))  # noqa: S704 -- drawn here, its texts escaped by the drawing library
