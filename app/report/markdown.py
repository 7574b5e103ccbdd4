"""A report as Markdown, for a wiki or a pull request; charts become the numbers behind them."""

from app.formatting import show
from app.report.blocks import Block, Bullets, Chart, Document, Facts, Listing, Paragraph, Table

SUFFIX = ".md"
MIME = "text/markdown"
LABEL = "Markdown"

SIGNS = "\\`*_[]!<>|#~$"


def render(document: Document) -> bytes:
    """The document as Markdown in UTF-8, user text escaped."""
    parts = [f"# {escaped(document.title)}", escaped(document.subtitle)]
    for section in document.sections:
        parts.append(f"## {escaped(section.title)}")
        parts += [_block(block) for block in section.blocks]
    parts.append(f"---\n\n{escaped(document.footer)}")
    return ("\n\n".join(parts) + "\n").encode("utf-8", "replace")


def escaped(text: str) -> str:
    """Text that Markdown shows letter for letter, on one line."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in SIGNS else sign for sign in flat)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return f"**{escaped(block.text)}**" if block.strong else escaped(block.text)
    if isinstance(block, Facts):
        return "\n".join(f"- {escaped(name)}: {escaped(value)}" for name, value in block.items)
    if isinstance(block, Bullets):
        return "\n".join(f"- {escaped(item)}" for item in block.items)
    if isinstance(block, Listing):
        return "\n".join(f"    {line}" for line in block.text.splitlines())
    if isinstance(block, Chart):
        return _chart(block)
    return _table(block)


def _table(block: Table) -> str:
    head = "| " + " | ".join(escaped(heading) for heading in block.headings) + " |"
    rule = "| " + " | ".join(
        "--:" if index in block.numeric else ":--" for index in range(len(block.headings))
    )
    rows = ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in block.rows]
    return "\n".join([f"*{escaped(block.caption)}*", "", head, f"{rule} |", *rows])


def _chart(block: Chart) -> str:
    picture = block.picture
    lines = [
        f"- {escaped(line.name)}: {escaped(show(picture.y_name, line.y[0]))} to "
        f"{escaped(show(picture.y_name, line.y[-1]))}"
        for line in picture.lines
        if line.y
    ]
    return "\n".join([f"*{escaped(picture.title)}* {escaped(picture.alt)}", "", *lines]).rstrip()
