"""Colours and dashes of every chart, light and dark.

Six hues keep a contrast of at least 3 to the background and stay apart for readers with deuteranopia,
protanopia and tritanopia; a test recomputes both.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One set of colours for everything a chart draws."""

    name: str
    background: str
    text: str
    faint_text: str
    grid: str
    limit: str
    series: tuple[str, ...]

    def colour(self, position: int) -> str:
        """The colour of the n-th group; after six the hues come again, with another dash."""
        return self.series[position % len(self.series)]


LIGHT = Theme(
    name="light",
    background="#FFFFFF",
    text="#16202C",
    faint_text="#566373",
    grid="#E3E8EE",
    limit="#A8201A",
    series=("#3741C4", "#C27C0E", "#1897C0", "#F11364", "#393F01", "#6D125B"),
)
DARK = Theme(
    name="dark",
    background="#0F1722",
    text="#E7ECF3",
    faint_text="#9AA8B8",
    grid="#263244",
    limit="#FF8A80",
    series=("#67CDF8", "#F0D82B", "#F04436", "#7971FD", "#CDF3B5", "#BC6B85"),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK)}
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


def translucent(colour: str, opacity: float) -> str:
    """A hex colour with an opacity, as CSS wants it."""
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return f"rgba({red},{green},{blue},{opacity:g})"
