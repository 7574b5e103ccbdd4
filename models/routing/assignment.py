"""The cheapest mix of tiers, found exactly: a mixed-integer program over what each tier could take.

A pool of machines is a whole choice with a price of its own (replicas and spares do not split), so it is a
column: which shares of which pieces it takes, and its bill. A tier paid per token whose latency does not
depend on our load takes any share at a price per share, within its rate limits.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from models.routing.pieces import Piece

MOST_POOLS_ALIKE = 4  # as many as there are steps of a share
TIGHT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a supplier asks of an offer whatever is routed to it; None where there is no limit.

    one_pool  at most one pool: a rate limit is not had twice, nor a commitment used twice
    """

    supplier: str
    one_pool: bool = False
    request_limit_per_min: float | None = None
    token_limit_per_min: float | None = None
    minimum_usd_per_month: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One pool that could be run: shares (0 to 1) of pieces, by piece index, and what it adds to the bill.

    lost_usd  value that the pieces lose to its latencies, where value is weighed
    """

    offer_id: str
    shares: tuple[tuple[int, float], ...]
    cost_usd: float
    lost_usd: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """All of one piece on a tier paid per token; any share of it costs, uses and loses that share."""

    offer_id: str
    piece: int
    cost_usd: float
    lost_usd: float = 0.0
    requests_per_min: float = 0.0
    tokens_per_min: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """All that may be chosen from. max_supplier_share_fraction is a share of all calls asked for."""

    workload_count: int
    pieces: tuple[Piece, ...]
    columns: tuple[Column, ...]
    streams: tuple[Stream, ...]
    terms: Mapping[str, Terms]
    max_supplier_share_fraction: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """The mix chosen: columns with how many of each, streams with their shares, and the bill.

    cost_usd           at the prices asked for; spent_usd: by offer, at the prices of the choices
    weighed_usd        what was kept least: cost and value lost
    """

    cost_usd: float
    columns: tuple[tuple[Column, int], ...]
    streams: tuple[tuple[Stream, float], ...]
    served: tuple[int, ...]
    spent_usd: Mapping[str, float]
    weighed_usd: float

    @property
    def lost_usd(self) -> float:
        """Value lost to latency, where it was weighed."""
        return self.weighed_usd - self.cost_usd


def cheapest_mix(choices: Choices, price_ratio: Mapping[str, float] | None = None) -> Mix:
    """Most workloads served, then least cost, value lost added where the choices carry any.

    price_ratio  by offer id, what its price is multiplied with; offers not named keep theirs
    """
    model = _Model(choices, price_ratio or {})
    most = model.solve(-model.served_row, [])
    enough = (model.served_row, round(float(model.served_row @ most)), np.inf)
    return model.mix(model.solve(model.cost_row + model.lost_row, [enough]))


Row = tuple[np.ndarray, float, float]


class _Model:
    """The program's variables in order: columns, streams, served workloads, cuts, minimum bills."""

    def __init__(self, choices: Choices, price_ratio: Mapping[str, float]) -> None:
        self.choices = choices
        self.cuts = sorted(
            {(each.workload_index, each.above_tok) for each in choices.pieces if each.above_tok is not None}
        )
        self.minimums = sorted(each for each, terms in choices.terms.items() if terms.minimum_usd_per_month)
        sizes = [
            len(choices.columns),
            len(choices.streams),
            choices.workload_count,
            len(self.cuts),
            2 * len(self.minimums),
        ]
        self.starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        self.count = int(self.starts[-1])
        self.served_row = np.zeros(self.count)
        self.served_row[self.starts[2] : self.starts[3]] = 1.0
        self.cost_row = self._cost_row(price_ratio)
        self.lost_row = self._lost_row()
        self.rows = [*self._coverage(), *self._limits(), *self._minimum_bills()]

    def _cost_row(self, price_ratio: Mapping[str, float]) -> np.ndarray:
        row = np.zeros(self.count)
        for at, column in enumerate(self.choices.columns):
            row[at] = column.cost_usd * price_ratio.get(column.offer_id, 1.0)
        for at, stream in enumerate(self.choices.streams, self.starts[1]):
            if stream.offer_id not in self.minimums:
                row[at] = stream.cost_usd * price_ratio.get(stream.offer_id, 1.0)
        for at, offer_id in enumerate(self.minimums):
            row[self.starts[4] + 2 * at] = price_ratio.get(offer_id, 1.0)
        return row

    def _lost_row(self) -> np.ndarray:
        row = np.zeros(self.count)
        for at, column in enumerate(self.choices.columns):
            row[at] = column.lost_usd
        for at, stream in enumerate(self.choices.streams, self.starts[1]):
            row[at] = stream.lost_usd
        return row

    def _coverage(self) -> list[Row]:
        """Each workload's mixed share and its cut shares make it whole; each cut takes both its sides."""
        pieces = self.choices.pieces
        rows = [np.zeros(self.count) for _ in pieces]
        for at, column in enumerate(self.choices.columns):
            for covered, share in column.shares:
                rows[covered][at] += share
        for at, stream in enumerate(self.choices.streams, self.starts[1]):
            rows[stream.piece][at] = 1.0
        for row, piece in zip(rows, pieces, strict=True):
            if piece.above_tok is not None:
                row[self.starts[3] + self.cuts.index((piece.workload_index, piece.above_tok))] = -1.0
                continue
            row[self.starts[2] + piece.workload_index] = -1.0
            for at, (workload, _) in enumerate(self.cuts, self.starts[3]):
                row[at] += workload == piece.workload_index
        return [(row, 0.0, 0.0) for row in rows]

    def _limits(self) -> list[Row]:
        found = []
        for offer_id, terms in self.choices.terms.items():
            for limit, used in (
                (terms.request_limit_per_min, "requests_per_min"),
                (terms.token_limit_per_min, "tokens_per_min"),
            ):
                if limit is not None:
                    row = self._stream_row(offer_id, used)
                    found.append((row, -np.inf, limit))
            if terms.one_pool:
                row = np.zeros(self.count)
                for at, column in enumerate(self.choices.columns):
                    row[at] = column.offer_id == offer_id
                found.append((row, -np.inf, 1.0))
        if self.choices.max_supplier_share_fraction < 1.0:
            found.extend(self._supplier_rows())
        return [each for each in found if each[0].any()]

    def _stream_row(self, offer_id: str, quantity: str) -> np.ndarray:
        row = np.zeros(self.count)
        for at, stream in enumerate(self.choices.streams, self.starts[1]):
            if stream.offer_id == offer_id:
                row[at] = getattr(stream, quantity)
        return row

    def _supplier_rows(self) -> list[Row]:
        pieces, terms = self.choices.pieces, self.choices.terms
        rates = [each.rate_req_per_s for each in pieces]
        asked = sum(each.rate_req_per_s for each in pieces if each.above_tok is None)
        limit = self.choices.max_supplier_share_fraction * asked * (1 + TIGHT)
        rows: dict[str, np.ndarray] = {each.supplier: np.zeros(self.count) for each in terms.values()}
        for at, column in enumerate(self.choices.columns):
            rows[terms[column.offer_id].supplier][at] = sum(
                rates[piece] * share for piece, share in column.shares
            )
        for at, stream in enumerate(self.choices.streams, self.starts[1]):
            rows[terms[stream.offer_id].supplier][at] = rates[stream.piece]
        return [(row, -np.inf, limit) for row in rows.values()]

    def _minimum_bills(self) -> list[Row]:
        """The larger of what is used and what is committed, where anything is routed there at all."""
        rows: list[Row] = []
        for position, offer_id in enumerate(self.minimums):
            bill, used = self.starts[4] + 2 * position, self.starts[4] + 2 * position + 1
            spent = -self._stream_row(offer_id, "cost_usd")
            spent[bill] = 1.0
            floor = np.zeros(self.count)
            floor[bill], floor[used] = 1.0, -self.choices.terms[offer_id].minimum_usd_per_month
            rows += [(spent, 0.0, np.inf), (floor, 0.0, np.inf)]
            for at, stream in enumerate(self.choices.streams, self.starts[1]):
                if stream.offer_id == offer_id:
                    on = np.zeros(self.count)
                    on[at], on[used] = -1.0, 1.0
                    rows.append((on, 0.0, np.inf))
        return rows

    def solve(self, objective: np.ndarray, more: Sequence[Row]) -> np.ndarray:
        """The best point; there always is one, for nothing has to be served."""
        rows = [*self.rows, *more]
        matrix = csr_array(np.array([row for row, _, _ in rows]))
        low, high = [low for _, low, _ in rows], [high for _, _, high in rows]
        integral, upper = np.zeros(self.count), np.ones(self.count)
        integral[: self.starts[1]] = integral[self.starts[2] : self.starts[3]] = 1
        upper[: self.starts[1]] = MOST_POOLS_ALIKE
        for position in range(len(self.minimums)):
            upper[self.starts[4] + 2 * position] = np.inf
            integral[self.starts[4] + 2 * position + 1] = 1
        found = milp(
            objective,
            integrality=integral,
            bounds=Bounds(0.0, upper),
            constraints=LinearConstraint(matrix, low, high),
            options={"mip_rel_gap": TIGHT},
        )
        if found.x is None:
            raise RuntimeError(f"the solver gave up: {found.message}")
        return np.asarray(found.x)

    def mix(self, point: np.ndarray) -> Mix:
        """A point in words."""
        columns = [(each, round(point[at])) for at, each in enumerate(self.choices.columns)]
        streams = [
            (each, float(point[at])) for at, each in enumerate(self.choices.streams, int(self.starts[1]))
        ]
        spent = dict.fromkeys(self.choices.terms, 0.0)
        for column, how_many in columns:
            spent[column.offer_id] += column.cost_usd * how_many
        for stream, share in streams:
            spent[stream.offer_id] += stream.cost_usd * share
        for position, offer_id in enumerate(self.minimums):
            spent[offer_id] = float(point[self.starts[4] + 2 * position])
        return Mix(
            cost_usd=float(self.cost_row @ point),
            columns=tuple((each, how_many) for each, how_many in columns if how_many),
            streams=tuple((each, share) for each, share in streams if share > 1e-6),
            served=tuple(
                index for index in range(self.choices.workload_count) if point[self.starts[2] + index] > 0.5
            ),
            spent_usd=spent,
            weighed_usd=float((self.cost_row + self.lost_row) @ point),
        )
