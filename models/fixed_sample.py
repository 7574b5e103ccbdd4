"""The same well-spread random numbers for every answer, so that curves are smooth and repeatable.

A shifted lattice (R. Cools, F. Y. Kuo and D. Nuyens 2006, SIAM J. Sci. Comput. 28, embedded rule of
order 2 in base 2; shift: R. Cranley and T. N. L. Patterson 1976) and fixed tables of Poisson gaps. Two
loads that differ a little use the same numbers and so differ only by the load.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

FloatArray = NDArray[np.float64]

SEED = 20250101
LATTICE = (1, 182667, 469891, 498753, 110745, 446247, 250185, 118627, 245333, 283199, 408519)
GAP_COUNT = 8  # prompts in one stretch that are drawn one by one; more are summed as a gamma
TABLE_COUNT = 5


@lru_cache(maxsize=16)
def uniforms(point_count: int) -> FloatArray:
    """Points in the open unit cube, shape (11, point_count); point_count a power of two up to 2^20."""
    shift = np.random.default_rng(SEED).random(len(LATTICE))
    steps = np.outer(LATTICE, np.arange(point_count)) % point_count
    points: FloatArray = (steps / point_count + shift[:, None]) % 1.0
    return np.clip(points, 0.5 / point_count**2, 1.0 - 0.5 / point_count**2)


@lru_cache(maxsize=16)
def normals(point_count: int, dimension: int) -> FloatArray:
    """The points of one dimension as standard normals."""
    values: FloatArray = ndtri(uniforms(point_count)[dimension])
    return values


@lru_cache(maxsize=64)
def _tables(point_count: int, table: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Arrival times of a unit-rate Poisson stream, uniforms that pick each size, and normals."""
    generator = np.random.default_rng((SEED, table))
    times = np.cumsum(generator.exponential(size=(GAP_COUNT, point_count)), axis=0)
    picks = generator.random((GAP_COUNT, point_count))
    strata = (generator.permutation(point_count) + 0.5) / point_count
    return times, picks, ndtri(strata)


@lru_cache(maxsize=64)
def _picked_bins(point_count: int, table: int, bin_count: int) -> NDArray[np.int64]:
    indices: NDArray[np.int64] = (_tables(point_count, table)[1] * bin_count).astype(np.int64)
    return indices


def compound_poisson(mean_count: FloatArray, size_bins: FloatArray, table: int) -> FloatArray:
    """Sum of a Poisson number of sizes for each point: shape of mean_count, in the sizes' unit.

    size_bins are ascending equal-probability bins. Few arrivals are drawn one by one; where more than
    half a table is expected the sum is a gamma with the same mean and variance (E. B. Wilson and
    M. M. Hilferty 1931).
    """
    times, _, normals = _tables(len(mean_count), table)
    sizes = size_bins[_picked_bins(len(mean_count), table, len(size_bins))]
    drawn: FloatArray = np.where(times < mean_count, sizes, 0.0).sum(axis=0)
    many = mean_count > GAP_COUNT / 2
    if many.any():
        drawn[many] = _gamma_sum(mean_count[many], size_bins, normals[many])
    return drawn


def _gamma_sum(mean_count: FloatArray, size_bins: FloatArray, normals: FloatArray) -> FloatArray:
    mean, square = float(size_bins.mean()), float((size_bins**2).mean())
    if mean <= 0.0:
        return np.zeros_like(mean_count)
    shape = mean_count * mean**2 / square
    cube_root = 1.0 - 1.0 / (9.0 * shape) + normals / (3.0 * np.sqrt(shape))
    total: FloatArray = mean_count * mean * np.maximum(cube_root, 0.0) ** 3
    return total


@lru_cache(maxsize=16)
def shuffles(point_count: int, shuffle_count: int) -> NDArray[np.int64]:
    """Fixed random orders, shape (shuffle_count, point_count)."""
    generator = np.random.default_rng((SEED, TABLE_COUNT))
    orders = np.array([generator.permutation(point_count) for _ in range(shuffle_count)], dtype=np.int64)
    return orders
