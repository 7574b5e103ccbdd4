"""What the benchmarks of vLLM and SGLang, and their kin, say in the same words: load, seeds, speculation."""

from collections import Counter
from collections.abc import Sequence

from data.document_reader import DocumentReader
from data.said_load import SAY_LOAD
from models.measurements import LoadKind
from models.problems import Problem

COUNT_KEYS = ("n_accelerators", "accelerator_count", "num_gpus", "n_gpus", "tp", "tensor_parallel_size")


def same_seeds(readers: Sequence[DocumentReader]) -> tuple[Problem, ...]:
    """A warning for runs of one seed: the prompts of the first may have answered the later ones."""
    seeds = Counter(str(reader.document["seed"]) for reader in readers if "seed" in reader.document)
    return tuple(
        Problem(
            path="file",
            message=f"{count} runs used the seed {seed[:20]}, so all had the same prompts and later runs may "
            "have been served from the prefix cache, up to twice as fast",
            cure="Give each run its own seed, or clear the cache between runs.",
            severity="warning",
        )
        for seed, count in seeds.items()
        if count > 1
    )


def goodput_note(reader: DocumentReader) -> str | None:
    """The requests per second that met the goals; an old release wrote a colon into the key."""
    for key in ("request_goodput", "request_goodput:"):
        goodput = reader.number(key)
        if goodput is not None:
            return f"goodput {goodput:.4g} requests/s"
    return None


def warn_of_speculation(reader: DocumentReader) -> None:
    """Say that a step gave several tokens, with the figure."""
    for key in ("spec_decode_acceptance_length", "accept_length"):
        length = reader.number(key)
        if length is not None and length > 1:
            reader.warn(
                key,
                f"each step gave {length:.3g} tokens (speculative decoding): ITL is no time per token",
                "TPOT is used for decode speed; it holds for prompts that are as easy to foretell.",
            )


def load_of(reader: DocumentReader) -> tuple[LoadKind | None, float | None, float | None]:
    """Kind of load, concurrency and offered rate: a finite rate is an open loop, whatever caps it."""
    if "max_concurrency" not in reader.document and "request_rate" not in reader.document:
        reader.warn("", "it does not say at which load it was measured", SAY_LOAD)
        return None, None, None
    concurrency = reader.number("max_concurrency")
    stated = reader.document.get("request_rate")
    if stated == "trace":
        return "trace", None, None
    if stated is None or str(stated).lower() in ("inf", "infinity"):
        return ("unbounded" if concurrency is None else "concurrency"), concurrency, None
    offered = reader.number("request_rate")
    if concurrency is not None and "mean_e2el_including_client_queue_ms" not in reader.document:
        reader.warn(
            "max_concurrency",
            f"at most {concurrency:g} requests were in flight; waiting in the client is in no latency",
            "Plan with runs whose cap was never reached.",
        )
    return "rate", None, offered


def accelerator_count_of(reader: DocumentReader) -> int | None:
    """From --metadata, where values are words: "tp" counts the accelerators of a system without replicas."""
    for key in COUNT_KEYS:
        word = str(reader.document.get(key, "")).strip()
        if word.isascii() and word.isdigit() and 0 < int(word[:9]) == int(word):
            if key in ("tp", "tensor_parallel_size"):
                reader.warn(
                    key, f"read as {word} accelerators", "Add --metadata n_accelerators=... with replicas."
                )
            return int(word)
    return None
