"""A report as one HTML file with live charts: hover for values, no network, nothing that sends data away."""

import base64
import hashlib
import json

from markupsafe import Markup

from app.charts.picture import Picture
from app.charts.plotly_drawing import CONFIG, draw, library
from app.charts.theme import LIGHT
from app.report import html
from app.report.blocks import Document

SUFFIX = ".interactive.html"
MIME = "text/html"
LABEL = "interactive HTML"

# Draws every chart from the data beside it; the page allows this script and the library's, and no other.
DRAWER = """
document.querySelectorAll("script.picture").forEach(function (element) {
  var picture = JSON.parse(element.textContent);
  Plotly.newPlot(element.previousElementSibling, picture.data, picture.layout, picture.config);
});
"""


def render(document: Document) -> bytes:
    """The document as HTML in UTF-8 with the chart library inside."""
    scripts = (library(), DRAWER)
    allowed = " ".join(f"'sha256-{_hash(script)}'" for script in scripts)
    return html.page(document, _chart, policy=f"; script-src {allowed}; img-src data: blob:", scripts=scripts)


def _chart(picture: Picture) -> Markup:
    figure = json.loads(draw(picture, LIGHT).to_json()) | {"config": CONFIG | {"responsive": True}}
    text = json.dumps(figure, ensure_ascii=True).replace("<", "\\u003c")
    data = Markup(text)  # noqa: S704 -- JSON without a "<": nothing in it can end the element
    return Markup(
        '<div class="live" role="img" aria-label="{alt}"></div>'
        '<script type="application/json" class="picture">{data}</script>'
    ).format(alt=picture.alt, data=data)


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
