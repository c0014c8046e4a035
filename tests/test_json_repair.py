"""`repair_json` on the vectors of `data/json-repair.jsonl`: the value, its types and key order, marks, guesses."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import pytest
import toolparse
from _fixtures import HERE, canonical
from toolparse import MISSING, RepairedJSON, repair_json

VECTORS = {
    vector["id"]: vector
    for vector in map(json.loads, (HERE / "data" / "json-repair.jsonl").read_text(encoding="utf-8").splitlines())
}
every_vector = pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)


def strict(value: Any) -> str:
    """Tells 1 from 1.0 and true, and keeps the order of keys."""
    return "missing" if value is MISSING else canonical(value)


def test_all_are_there() -> None:
    assert len(VECTORS) == 203


@every_vector
def test_vector(vector: dict[str, Any]) -> None:
    got = repair_json(vector["input"])
    if vector["expected"] is None:
        assert got.value is MISSING
        assert (got.text, got.safe) == ("", False)
        return
    assert strict(got.value) == strict(vector["expected"])
    assert {repair.kind for repair in got.repairs} == set(vector["repairs"])
    assert all(repair.safe for repair in got.repairs) == vector["safe"] == got.safe


@every_vector
def test_the_text_is_strict_json_of_the_value(vector: dict[str, Any]) -> None:
    got = repair_json(vector["input"])
    if got.value is not MISSING and not any(repair.kind == "number_as_text" for repair in got.repairs):
        assert strict(json.loads(got.text)) == strict(got.value)


@every_vector
def test_what_was_repaired_needs_no_repair(vector: dict[str, Any]) -> None:
    once = repair_json(vector["input"])
    if once.value is not MISSING and not any(repair.kind == "number_as_text" for repair in once.repairs):
        again = repair_json(once.text)
        # A repeated key stays in the text, as it does in a stream's deltas; only its last value counts.
        left = tuple(repair for repair in again.repairs if repair.kind != "duplicate_key")
        assert (strict(again.value), left, again.text) == (strict(once.value), (), once.text)


@every_vector
def test_every_prefix_returns_and_is_marked(vector: dict[str, Any]) -> None:
    whole = vector["input"]
    for at in range(len(whole)):
        for ended in (False, True):
            got = repair_json(whole[:at], ended=ended)
            assert all(0 <= r.span[0] <= r.span[1] <= at for r in got.repairs)
            if not got.repairs and got.value is not MISSING:
                assert strict(json.loads(whole[:at])) == strict(got.value)


@every_vector
def test_bytes_are_the_same(vector: dict[str, Any]) -> None:
    text = vector["input"]
    if text.isprintable() or text.isascii():
        of_text, of_bytes = repair_json(text), repair_json(text.encode("utf-8"))
        assert (strict(of_text.value), of_text.text) == (strict(of_bytes.value), of_bytes.text)
        assert [(r.kind, r.safe) for r in of_text.repairs] == [(r.kind, r.safe) for r in of_bytes.repairs]


@pytest.mark.parametrize(
    "text", ['{"a": [1, 2.5, "x", null, true, {}]}', '"x"', "1", "null", "[]", "{}", "-0.0", "1e5"]
)
def test_strict_json_is_untouched(text: str) -> None:
    got = repair_json(text)
    assert (strict(got.value), got.repairs, got.safe) == (strict(json.loads(text)), (), True)


@pytest.mark.parametrize(
    ("text", "ended", "value", "kinds", "safe"),
    [
        ('{"n": 12', False, {}, {"dropped_partial_literal", "closed_object"}, False),
        ('{"n": 12', True, {"n": 12}, {"closed_object"}, True),
        ('{"n": 12 ', False, {"n": 12}, {"closed_object"}, False),
        ('{"n": [1, 2', True, {"n": [1, 2]}, {"closed_array", "closed_object"}, True),
        ('{"name":"f","arguments":{"x":1}', True, {"name": "f", "arguments": {"x": 1}}, {"closed_object"}, True),
        ('{"a": "he', True, {"a": "he"}, {"closed_string", "closed_object"}, False),
        ('{"a": tr', True, {}, {"dropped_partial_literal", "closed_object"}, False),
    ],
)
def test_an_ended_text_is_sure_of_its_end(text: str, ended: bool, value: Any, kinds: set[str], safe: bool) -> None:
    got = repair_json(text, ended=ended)
    assert (strict(got.value), {r.kind for r in got.repairs}, got.safe) == (strict(value), kinds, safe)


def test_missing_is_falsy_and_no_null() -> None:
    assert not MISSING
    assert MISSING is not None
    assert repair_json("null").value is None
    assert repr(MISSING) == "toolparse.MISSING"
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert copy.deepcopy(MISSING) is MISSING


def test_it_is_a_plain_value() -> None:
    got = repair_json("{'a': 1,}")
    assert got == repair_json("{'a': 1,}")
    assert got != repair_json('{"a": 1}')
    assert pickle.loads(pickle.dumps(got)) == got == copy.deepcopy(got)
    match got:
        case RepairedJSON(value={"a": 1}, repairs=(first, *_)):
            assert first.kind == "single_quotes"
            assert first.span == (1, 2)
        case _:
            pytest.fail(repr(got))


@pytest.mark.parametrize("wrong", [1, None, ["{}"], {"a": 1}])
def test_something_else_than_text_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="text"):
        toolparse.repair_json(wrong)


@pytest.mark.parametrize(
    "text", ["", " ", "\ud800", '{"a": "\ud800"}', "\0", "{" * 1000, '["' * 1000, "'" * 999, "9" * 5000]
)
def test_nothing_raises(text: str) -> None:
    assert isinstance(repair_json(text), RepairedJSON)
    assert isinstance(repair_json(text.encode("utf-8", "surrogatepass"), ended=True), RepairedJSON)


def test_what_lies_too_deep_is_refused_with_a_reason() -> None:
    found = toolparse.repair_json('{"a": ' + "[" * 300 + "1" + "]" * 300 + "}")
    assert (found.value, found.text) == (toolparse.MISSING, "")
    assert [(repair.kind, repair.safe) for repair in found.repairs] == [("too_deep", False)]
