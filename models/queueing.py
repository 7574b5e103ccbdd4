"""How long requests wait for a free server: the classical formulas, safe up to 100,000 servers.

Arrivals are Poisson and service is first come, first served unless a function says otherwise. A queue
whose load reaches its servers has no mean wait: the answer is None, never a negative number.
"""

import math

import numpy as np
from scipy.special import gammaln, logsumexp


def erlang_b(offered_load: float, server_count: int) -> float:
    """Probability that an arrival finds all servers busy and is lost (M/G/c/c), 0 to 1.

    offered_load is arrival rate times mean service time (>= 0); server_count 0 to about 1e6.
    Source: A. K. Erlang 1917; summed as 1/B = sum over k of c!/(c-k)! / a^k in log space.
    """
    if offered_load <= 0.0:
        return 0.0 if server_count > 0 else 1.0
    left = np.arange(server_count + 1)
    log_terms = gammaln(server_count + 1) - gammaln(left + 1) - (server_count - left) * math.log(offered_load)
    return math.exp(-float(logsumexp(log_terms)))


def erlang_c(offered_load: float, server_count: int) -> float:
    """Probability that an arrival has to wait (M/M/c), 0 to 1; 1 from offered_load >= server_count on.

    Source: A. K. Erlang 1917; C = B / (1 - rho (1 - B)).
    """
    utilisation = offered_load / server_count
    if utilisation >= 1.0:
        return 1.0
    blocking = erlang_b(offered_load, server_count)
    return blocking / (1.0 - utilisation * (1.0 - blocking))


def mmc_wait(arrival_rate_req_per_s: float, service_s: float, server_count: int) -> float | None:
    """Mean wait in seconds for one of c exponential servers (M/M/c); None when the load reaches them."""
    return mgc_wait(arrival_rate_req_per_s, service_s, server_count, service_scv_ratio=1.0)


def mgc_wait(
    arrival_rate_req_per_s: float, service_s: float, server_count: int, *, service_scv_ratio: float
) -> float | None:
    """Mean wait in seconds for one of c servers with general service times; None when overloaded.

    service_scv_ratio is the squared coefficient of variation of the service time. Exact for one server
    and for exponential service; otherwise within a few per cent up to a ratio of about 2, worse beyond:
    two moments do not determine it (Gupta, Harchol-Balter, Dai and Zwart 2010).
    Source: A. M. Lee and P. A. Longton 1959, E[W] = (1 + cs2)/2 * E[W of M/M/c].
    """
    offered_load = arrival_rate_req_per_s * service_s
    if offered_load >= server_count:
        return None
    markov_wait_s = erlang_c(offered_load, server_count) * service_s / (server_count - offered_load)
    return (1.0 + service_scv_ratio) / 2.0 * markov_wait_s


def mg1_wait(arrival_rate_req_per_s: float, service_s: float, service_scv_ratio: float) -> float | None:
    """Mean wait in seconds for a single server with general service times (M/G/1); None when overloaded.

    Source: F. Pollaczek 1930, A. Khinchine 1932.
    """
    return mgc_wait(arrival_rate_req_per_s, service_s, 1, service_scv_ratio=service_scv_ratio)


def md1_wait(arrival_rate_req_per_s: float, service_s: float) -> float | None:
    """Mean wait in seconds for a single server with fixed service time (M/D/1); None when overloaded."""
    return mg1_wait(arrival_rate_req_per_s, service_s, service_scv_ratio=0.0)


def mmc_wait_quantile(
    arrival_rate_req_per_s: float, service_s: float, server_count: int, quantile: float
) -> float | None:
    """Quantile (0 <= quantile < 1) of the wait in seconds for one of c exponential servers.

    Zero where enough requests do not wait at all; None when the load reaches the servers.
    Source: P(W > t) = C exp(-(c - a) t / service time).
    """
    offered_load = arrival_rate_req_per_s * service_s
    if offered_load >= server_count:
        return None
    waiting = erlang_c(offered_load, server_count)
    if waiting <= 1.0 - quantile:
        return 0.0
    return math.log(waiting / (1.0 - quantile)) * service_s / (server_count - offered_load)
