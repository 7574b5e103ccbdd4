"""How cells of the workbook look."""

from xlsxwriter.format import Format
from xlsxwriter.workbook import Workbook

INK, FAINT, INPUT, WASH = "#16202C", "#566373", "#1D4E89", "#F3F5F8"


class Styles:
    """The formats of one workbook; texts carry the mark that keeps them texts when edited or saved on."""

    def __init__(self, book: Workbook) -> None:
        text = {"font_color": INK, "valign": "top", "quote_prefix": True}
        self.text: Format = book.add_format(text)
        self.title: Format = book.add_format(text | {"bold": True, "font_size": 16})
        self.head: Format = book.add_format(text | {"bold": True, "bottom": 1})
        self.wrapped: Format = book.add_format(text | {"bold": True, "bottom": 1, "text_wrap": True})
        self.faint: Format = book.add_format(text | {"font_color": FAINT})
        self.number: Format = book.add_format({"num_format": "#,##0.######"})
        self.money: Format = book.add_format({"num_format": "$#,##0.00"})
        self.small_money: Format = book.add_format({"num_format": "$#,##0.00####"})
        self.asked: Format = book.add_format(
            {"num_format": "#,##0.####", "font_color": INPUT, "bg_color": WASH}
        )
