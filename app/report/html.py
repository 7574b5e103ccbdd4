"""A report as one HTML file: no outside request, charts inside, prints on A4."""

from collections.abc import Callable, Sequence
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
    """The document as HTML in UTF-8, its charts drawn; a browser is told to run and fetch nothing."""
    return page(document, _svg_of, policy="; img-src data:", scripts=())


def page(
    document: Document, drawn: Callable[[Picture], Markup], policy: str, scripts: Sequence[str]
) -> bytes:
    """The page with its charts as `drawn` makes them; every text escaped, `scripts` put in as they are.

    policy  what a browser may do beyond nothing at all, in the words of a content security policy
    """
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        document=document,
        anchors=document.anchors,
        kind_of=_kind_of,
        drawn=drawn,
        policy=policy,
        scripts=[Markup(script) for script in scripts],  # noqa: S704 -- the project's and the library's own
    ).encode("utf-8", "replace")


def _kind_of(block: Block) -> str:
    return type(block).__name__


def _svg_of(picture: Picture) -> Markup:
    return Markup(draw_svg(picture))  # noqa: S704 -- drawn here, its texts escaped by the drawing library
