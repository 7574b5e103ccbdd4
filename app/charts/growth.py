"""What does the plan cost as demand grows? The bill month by month, and when today's machines run out."""

from app.charts.picture import Dots, Line, Picture
from app.formatting import show
from models.decisions.growth import GrowthPath

KEY = "growth"


def rows(path: GrowthPath) -> Picture:
    """The bill of the same placement, sized again each month; a diamond where today's machines run out."""
    known = [each for each in path.months if each.cost_usd_per_month is not None]
    x = tuple(float(each.month_count) for each in known)
    y = tuple(float(each.cost_usd_per_month or 0.0) for each in known)
    out = [each for each in known if each.month_count == path.run_out_month_count]
    return Picture(
        key=KEY,
        title="What does the plan cost as demand grows?",
        alt=_alt(path),
        x_name="month_count",
        y_name="cost_usd_per_month",
        lines=(Line(name="", group="plan", x=x, y=y, labelled=False),) if x else (),
        dots=tuple(
            Dots(
                name="today's machines run out",
                group="plan",
                x=(float(each.month_count),),
                y=(float(each.cost_usd_per_month or 0.0),),
                notes=(path.run_out_reason,),
                own=True,
                diamond=True,
            )
            for each in out
        ),
    )


def _alt(path: GrowthPath) -> str:
    if not path.months:
        return "No month is planned ahead."
    first, last = path.months[0], path.months[-1]
    ends = " to ".join(show("cost_usd_per_month", each.cost_usd_per_month) for each in (first, last))
    if path.run_out_month_count is None:
        return f"The bill goes from {ends}; what is deployed today is enough throughout."
    return f"The bill goes from {ends}; today's machines run out in month {path.run_out_month_count}."
