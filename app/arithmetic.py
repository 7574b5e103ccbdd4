"""The sums behind derived claims: numbers, + - * / and brackets, nothing else."""

import ast
import operator
from collections.abc import Callable

OPERATIONS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(expression: str) -> float:
    """The value of an expression such as `500 / (750 / 14)`; ValueError for anything but arithmetic."""
    return _value(ast.parse(expression, mode="eval").body, expression)


def _value(node: ast.expr, expression: str) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](_value(node.left, expression), _value(node.right, expression))
    raise ValueError(f"not plain arithmetic: {expression!r}")
