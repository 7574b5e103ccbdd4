"""A scenario file as text: read YAML or JSON without surprises, write YAML that reads back the same.

YAML is read by the 1.2 core rules: `no` is a word, `010` and `1:30` are not numbers, `1e3` is one. Tags,
repeated keys, more than 100 aliases, more than 30 levels and more than 1 MB are refused before
anything is built.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

import yaml

from models.problems import InputProblems, Problem

MAX_BYTES = 1_000_000
MAX_DEPTH = 30
MAX_ALIASES = 100
MAX_VALUES = 100_000  # in the file, and after its aliases are unfolded
MAX_DIGITS = 18
ID_LENGTH = 12

_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})\Z")
_FLOAT = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?\Z")
_BOOLEAN = re.compile(r"(true|false)\Z")
_NULL = re.compile(r"(null|~|)\Z")
_BOOLEANS = {"true": True, "false": False}

# The order in which a file's keys are written: what a person looks for first comes first.
KEY_ORDER = """
schema name id as_of seed label kind workloads models offers tier model measurements fleet policy demand
architecture supplier accelerator accelerator_count_per_replica engine precision slot_count failure_unit
availability available_from available_until region request_limit_per_min token_limit_per_min price prices
valid_from speed fallback probability_fraction speculation acceptance_fraction draft_token_count
draft_cost_ratio distilled_weight_fraction parity
split tensor_parallel_count pipeline_parallel_count expert_parallel_count
pipeline_stage_count prefill_rate_tok_per_s prefill link step basis
bandwidth_byte_per_s one_way_gbyte_per_s two_way_gbyte_per_s one_way_gbit_per_s base_s overlap_fraction
alpha_s beta_s_per_seq exponent gamma_s_per_context_tok delta_s_per_input_tok accelerator_count_per_worker
usd_per_accelerator_h term purchase_usd_per_accelerator life_years resale_value_fraction accelerator_power_w
pue_ratio energy_usd_per_kwh colocation_usd_per_kw_month upkeep_usd_per_accelerator_year
input_usd_per_mtok cached_input_usd_per_mtok cache_write_usd_per_mtok output_usd_per_mtok
long_context above_tok off_peak from_h to_h price_ratio minimum_usd_per_month
peak_rate_req_per_s arrival hourly_fraction input_tok output_tok cached_input_fraction task
sequential_call_count pause_s fan_out_count attempt_count resolved_fraction human_usd_per_task targets value
metric quantile limit_s mean p50 p95 cv values clip from_trace
grade sense source stated_by measured_by checked_on
"""
_RANK = {key: rank for rank, key in enumerate(KEY_ORDER.split())}


def read_draft(raw: bytes | str, name: str = "scenario") -> dict[str, Any]:
    """The plain dictionary a scenario file holds; `InputProblems` where it cannot be read.

    name  what the file is called in messages
    """
    text = _decoded(raw, name)
    draft = _from_json(text, name) if text.lstrip().startswith("{") else _from_yaml(text, name)
    if draft is None:
        raise _refusal(name, "the file is empty", "Start from the worked example: `scenario new`.")
    if not isinstance(draft, dict):
        raise _refusal(name, "the file is not a group of named values", "Begin with `schema: plimsoll/1`.")
    problems: list[Problem] = []
    plain = _plain(draft, "", 1, [0], problems)
    if problems:
        raise InputProblems(problems)
    return dict(plain)


def write_draft(draft: Mapping[str, Any]) -> str:
    """The draft as YAML, keys in a stable order; `read_draft` gives it back."""
    text: str = yaml.dump(
        _ordered(draft),
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=100,
        default_flow_style=None,
    )
    return text


def draft_id(draft: Mapping[str, Any]) -> str:
    """Twelve hexadecimal digits that change with any value of the draft, not with its order or layout."""
    canonical = json.dumps(_canonical(draft), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:ID_LENGTH]


def _refusal(path: str, message: str, cure: str) -> InputProblems:
    return InputProblems([Problem(path=path, message=message, cure=cure)])


def _decoded(raw: bytes | str, name: str) -> str:
    size = len(raw)
    if size > MAX_BYTES:
        raise _refusal(name, f"the file has {size:,} bytes, more than {MAX_BYTES:,}", "Is it a scenario?")
    if isinstance(raw, str):
        return raw.removeprefix("\ufeff")
    encoding = "utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise _refusal(f"{name}, line {line}", "is not UTF-8 text", "Save the file as UTF-8.") from None


def _from_json(text: str, name: str) -> Any:
    try:
        return json.loads(
            text,
            object_pairs_hook=_without_repeats,
            parse_constant=_refuse_constant,
            parse_int=_short_integer,
        )
    except json.JSONDecodeError:
        return _from_yaml(text, name)  # a mapping in YAML's flow style, or JSON with a fault to name
    except RecursionError:
        raise _refusal(name, f"is nested deeper than {MAX_DEPTH} levels", "Flatten it.") from None
    except ValueError as error:
        raise _refusal(name, str(error), "Mend or leave out that value.") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise ValueError(f"the key {key!r} stands twice in one group")
        mapping[key] = value
    return mapping


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number a scenario can use")


def _short_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits")
    return int(digits)


def _from_yaml(text: str, name: str) -> Any:
    try:
        _check_events(text, name)
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a safe loader: no tags, no objects)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = name if mark is None else f"{name}, line {mark.line + 1}"
        raise _refusal(
            place, f"is not readable: {error.problem}", "Mend the indentation or the quotes."
        ) from None
    except yaml.YAMLError:
        raise _refusal(
            name, "holds characters that no text has", "Save the file as plain UTF-8 text."
        ) from None


def _check_events(text: str, name: str) -> None:
    """Refuse tags, depth, aliases and sheer number while the text is still a stream of events."""
    depth = aliases = 0
    for count, event in enumerate(yaml.parse(text, Loader=_Loader)):
        place = name if event.start_mark is None else f"{name}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        aliases += isinstance(event, yaml.AliasEvent)
        tag = getattr(event, "tag", None)
        if tag is not None:
            raise _refusal(place, f"has a tag, {tag}", "Write the value without a tag.")
        if depth > MAX_DEPTH:
            raise _refusal(place, f"is nested deeper than {MAX_DEPTH} levels", "Flatten it.")
        if count > MAX_VALUES:
            raise _refusal(place, f"has more than {MAX_VALUES:,} values", "Is it a scenario?")
        if aliases > MAX_ALIASES:
            raise _refusal(place, f"has more than {MAX_ALIASES} aliases", "Write the values out.")


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Safe, with the scalars of YAML 1.2 and no repeated keys."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  (PyYAML's own class attribute)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(None, None, "a key is not a word", key.start_mark)
            if key.value in seen:
                message = f"the key {key.value!r} stands twice in one group"
                raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", _BOOLEAN, list("tf"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", _INTEGER, list("-+0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))
_Loader.add_implicit_resolver("tag:yaml.org,2002:null", _NULL, ["~", "n", ""])
_Loader.add_constructor("tag:yaml.org,2002:bool", lambda loader, node: _BOOLEANS[node.value])
_Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
_Loader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


class _Dumper(yaml.SafeDumper):
    """Quotes whatever any YAML reader, old or new, would not take for text; days stay bare."""

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [(tag, rule) for tag, rule in rules if not tag.endswith(":timestamp")]
        for first, rules in yaml.SafeDumper.yaml_implicit_resolvers.items()
    }

    def ignore_aliases(self, data: object) -> bool:
        return True


_Dumper.add_implicit_resolver("tag:yaml.org,2002:float", _FLOAT, list("-+.0123456789"))


def _plain(value: Any, path: str, depth: int, count: list[int], problems: list[Problem]) -> Any:
    """The value with every mapping, list and number checked; faults go to `problems`."""
    count[0] += 1
    if depth > MAX_DEPTH or count[0] > MAX_VALUES:
        if not problems or problems[-1].path != "file":
            problems.append(
                Problem(
                    path="file", message="unfolds to far too many values", cure="Write fewer, flatter values."
                )
            )
        return None
    if isinstance(value, dict):
        pairs = ((str(key), each) for key, each in value.items())
        return {
            key: _plain(each, f"{path}.{key}".lstrip("."), depth + 1, count, problems) for key, each in pairs
        }
    if isinstance(value, list):
        return [_plain(each, f"{path}[{i}]", depth + 1, count, problems) for i, each in enumerate(value)]
    fault = _fault(value)
    if fault:
        problems.append(Problem(path=path, message=fault, cure="Mend the value or leave it out."))
        return None
    return value


def _fault(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "is not a finite number"
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        return f"is a number with more than {MAX_DIGITS} digits"
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        return "holds half of a letter (a lone surrogate)"
    return ""


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        keys = sorted(value, key=lambda key: (_RANK.get(key, len(_RANK)), key))
        return {key: _ordered(value[key]) for key in keys}
    if isinstance(value, list | tuple):
        return [_ordered(each) for each in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _canonical(value: Any) -> Any:
    """The value with whole floats as integers and days as text, so that 1 and 1.0 are one scenario."""
    if isinstance(value, Mapping):
        return {key: _canonical(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def same_value(one: Any, other: Any) -> bool:
    """Whether two parts of a draft say the same, whatever their key order and number types."""
    return bool(_canonical(one) == _canonical(other))
