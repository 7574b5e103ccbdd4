"""What waiting takes of the worth that workloads state: as the aim where it is one, with its sum on Cost."""

from app import figure_desk, presenters
from app.formatting import aim_sentence, value_sentence
from app.value_rows import value_rows
from app.workbench import View
from models.net_value import net_value_of, weighs_value


def aim(seen: View) -> None:
    """The net value that the plan was chosen for; nothing where it was chosen for least cost."""
    if weighs_value(seen.scenario.policy):
        presenters.plain(
            f"{aim_sentence(True)} {value_sentence(net_value_of(seen.scenario, seen.plan), True)}"
        )


def worth(seen: View) -> None:
    """What waiting takes, and the rows it is the sum of."""
    weighed = weighs_value(seen.scenario.policy)
    presenters.plain(value_sentence(net_value_of(seen.scenario, seen.plan), weighed))
    rows = value_rows(seen)
    if rows:
        figure_desk.table(rows, alt="What tasks are worth, and what waiting takes of it")
