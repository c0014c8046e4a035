"""Thrift's compact encoding, as far as a Parquet footer needs it: read into plain lists, changed, written again.

A struct is ``{field id: (type, value)}`` in the order of the file, a list ``(element type, [value, ...])``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
Struct: TypeAlias = dict[int, tuple[int, Any]]


def decode(data: bytes) -> Struct:
    """The struct that ``data`` begins with."""
    return _decode_struct(data, 0)[0]


def encode(value: Struct) -> bytes:
    """The struct as bytes."""
    out = bytearray()
    _encode_struct(out, value)
    return bytes(out)


def _decode_struct(data: bytes, at: int) -> tuple[Struct, int]:
    fields: Struct = {}
    field = 0
    while head := data[at]:
        at += 1
        if head >> 4:
            field += head >> 4
        else:
            field, at = _signed(data, at)
        value, at = _decode_value(data, at, head & 15)
        fields[field] = (head & 15, value)
    return fields, at + 1


def _decode_value(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE):  # as a field: the type is the value
        return kind == TRUE, at
    if kind == BYTE:
        return data[at], at + 1
    if kind in (I16, I32, I64):
        return _signed(data, at)
    if kind == DOUBLE:
        return data[at : at + 8], at + 8
    if kind == BINARY:
        length, at = _unsigned(data, at)
        return data[at : at + length], at + length
    if kind in (LIST, SET):
        return _decode_list(data, at)
    if kind == STRUCT:
        return _decode_struct(data, at)
    raise ValueError(f"a Thrift type that Parquet footers do not use: {kind}")


def _decode_list(data: bytes, at: int) -> tuple[Any, int]:
    kind, length = data[at] & 15, data[at] >> 4
    at += 1
    if length == 15:
        length, at = _unsigned(data, at)
    values = []
    for _ in range(length):
        value, at = _decode_value(data, at, BYTE if kind in (TRUE, FALSE) else kind)
        values.append(value)
    return (kind, values), at


def _unsigned(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 0x80:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
    return value | data[at] << shift, at + 1


def _signed(data: bytes, at: int) -> tuple[int, int]:
    value, at = _unsigned(data, at)
    return (value >> 1) ^ -(value & 1), at


def _encode_struct(out: bytearray, fields: Struct) -> None:
    before = 0
    for field, (kind, value) in fields.items():
        tag = (TRUE if value else FALSE) if kind in (TRUE, FALSE) else kind
        if 0 < field - before < 16:
            out.append((field - before) << 4 | tag)
        else:
            out.append(tag)
            _put_signed(out, field)
        before = field
        if kind not in (TRUE, FALSE):
            _encode_value(out, kind, value)
    out.append(0)


def _encode_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in (BYTE, TRUE, FALSE):
        out.append(value)
    elif kind in (I16, I32, I64):
        _put_signed(out, value)
    elif kind == STRUCT:
        _encode_struct(out, value)
    elif kind in (LIST, SET):
        _encode_list(out, *value)
    else:
        if kind == BINARY:
            _put_unsigned(out, len(value))
        out += value


def _encode_list(out: bytearray, kind: int, values: list[Any]) -> None:
    if len(values) < 15:
        out.append(len(values) << 4 | kind)
    else:
        out.append(0xF0 | kind)
        _put_unsigned(out, len(values))
    for value in values:
        _encode_value(out, kind, value)


def _put_unsigned(out: bytearray, value: int) -> None:
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)


def _put_signed(out: bytearray, value: int) -> None:
    _put_unsigned(out, value << 1 if value >= 0 else (-value << 1) - 1)
