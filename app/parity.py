"""Parity of two tiers, worked out from a file of paired results."""

from dataclasses import dataclass

from data.parity_files import PairedResults, read_paired_results
from models.decisions.parity import Margin
from models.decisions.parity_verdicts import Parity, compare_all

SEED = 7
EXAMPLE = "item,tier,passed,latency_s,failed\n1,Standard,1,9.3,0\n1,Ultrafast,1,1.1,0\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParityFile:
    """A file's pairs and what they show."""

    results: PairedResults
    parity: Parity


def parity_of(name: str, raw: bytes, pass_margin: Margin, score_margin: Margin) -> ParityFile:
    """Compare the two tiers of a file; InputProblems where it cannot be read."""
    results = read_paired_results(name, raw)
    return ParityFile(results=results, parity=compare_all(results.values, pass_margin, score_margin, SEED))
