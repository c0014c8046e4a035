"""Hostile text: generators that take a size in characters and return a text of exactly that size, the same every time.

Each says what this very text allows when OFFERED are the tools:

    no_call        no call of any kind
    no_clean_call  a call only with a mark
    one_call       exactly one call, without marks
    many_calls     `count(size)` calls, without marks
    any            nothing beyond what holds for every text

BYTES holds the same for `bytes`, which need not be UTF-8. Run as a program, this file reads the depth cases on a small
stack.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass

OFFERED = ("get_weather", "f")
SMALLEST = 256

OPEN = '<tool_call>{"name":"f","arguments":{"a":'
SHUT = "}}</tool_call>"
CALL = '<tool_call>{"name":"f","arguments":{}}</tool_call>'


@dataclass(frozen=True)
class Hostile:
    """`why` names the fault that this text brings out in parsers."""

    name: str
    expect: str
    why: str
    make: Callable[[int], str]
    count: Callable[[int], int] = lambda size: 1
    deep: bool = False


def repeated(head: str, unit: str, tail: str = "", pad: str = " ") -> Callable[[int], str]:
    """head, as many whole units as fit, tail; padded in front to the size."""

    def make(size: int) -> str:
        body = head + unit * units(head, unit, tail, size) + tail
        return pad * (size - len(body)) + body

    return make


def units(head: str, unit: str, tail: str, size: int) -> int:
    return max(0, (size - len(head) - len(tail)) // len(unit))


def nested(head: str, opener: str, middle: str, closer: str, tail: str) -> Callable[[int], str]:
    """As many openers and closers as fit."""

    def make(size: int) -> str:
        depth = (size - len(head) - len(middle) - len(tail)) // (len(opener) + len(closer))
        body = head + opener * depth + middle + closer * depth + tail
        return " " * (size - len(body)) + body

    return make


def open_token(size: int) -> str:
    return ("<|" + "prose " * (size // 6)).ljust(size, "x")[:size]


def many_keys(size: int) -> str:
    room = size - len(OPEN) - len(SHUT) - 2
    members: list[str] = []
    while (len(members) + 1) * 14 - 1 <= room:
        members.append(f'"k{len(members):08d}":0')
    body = OPEN + "{" + ",".join(members) + "}" + SHUT
    return " " * (size - len(body)) + body


def encoded_again(size: int) -> str:
    """Arguments as a JSON string of a JSON string and so on, as deep as fits: the escapes double at each level."""
    head, tail = '<tool_call>{"name":"f","arguments":"', '"}</tool_call>'
    inner = '{\\"a\\":1}'
    while True:
        deeper = '\\"' + inner.replace("\\", "\\\\").replace('"', '\\"') + '\\"'
        if len(head) + len(deeper) + len(tail) > size:
            break
        inner = deeper
    body = head + inner + tail
    return " " * (size - len(body)) + body


FULLWIDTH_SEP = "<｜tool▁sep｜>"
DEEPSEEK_HEAD = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function"
HEADER = "<|channel|>commentary to=functions.f "
NAME, NAME_END = '<tool_call>{"name":"', '","arguments":{}}</tool_call>'
INNER_CALL = '<tool_call>{\\"name\\":\\"get_weather\\",\\"arguments\\":{}}</tool_call>'

ALL = [
    # Markers that open and never close, and near misses
    Hostile("open_tag_flood", "no_call", "a search for the closer from every opener", repeated("", "<tool_call>")),
    Hostile("open_tag_near_miss", "no_call", "held text that is read again", repeated("", "<tool_cal")),
    Hostile("angle_flood", "no_call", "every character may start a marker", repeated("", "<")),
    Hostile("overlapping_prefixes", "no_call", "a matcher that steps back", repeated("", "<tool_<|tool_call_")),
    Hostile("close_tag_flood", "no_call", "closers without an opener", repeated("", "</tool_call>")),
    Hostile("think_open_flood", "no_call", "reasoning that never closes", repeated("", "<think>")),
    Hostile("think_pair_flood", "no_call", "thousands of empty spans", repeated("", "<think></think>")),
    Hostile("fence_open_flood", "no_call", "fences that never balance", repeated("", "```json\n")),
    Hostile("backtick_flood", "no_call", "fences of every length", repeated("", "`")),
    Hostile("control_token_flood", "no_call", "a copy of the text per token", repeated("", "<|tool_call_end|>")),
    Hostile("control_token_unclosed", "no_call", "text held without end", open_token),
    Hostile("bullet_flood", "no_call", "the trigger again and again", repeated("", "●")),
    Hostile("bullet_name_unclosed", "no_call", "a name without end", repeated("● <function=", "a", pad="p")),
    Hostile("bullet_function_flood", "no_call", "names that restart", repeated("", "● <function=")),
    Hostile("bullet_parameters", "no_clean_call", "no end", repeated("● <function=f>", "<parameter=k>v")),
    Hostile("xml_parameters", "no_clean_call", "the same", repeated("<tool_call><function=f>", "<parameter=k>v")),
    Hostile("arg_key_flood", "no_clean_call", "keys that never close", repeated("", "<tool_call>f<arg_key>")),
    Hostile("separator_flood", "no_call", "nested wildcards", repeated(DEEPSEEK_HEAD, FULLWIDTH_SEP)),
    Hostile("keyword_flood", "no_clean_call", "an exponential pattern", repeated("[f(", "a=1, ")),
    Hostile("call_opener_flood", "no_clean_call", "calls inside calls", repeated("", "[f(a="), deep=True),
    Hostile("header_flood", "no_clean_call", "headers that restart", repeated("", HEADER)),
    Hostile("array_marker_flood", "no_call", "a marker without a body", repeated("", "[TOOL_CALLS]")),
    Hostile("brace_flood", "no_call", "a try from every brace", repeated("", "{"), deep=True),
    Hostile("bare_name_flood", "no_call", "each looks like the whole reply", repeated("", '{"name":'), deep=True),
    # Depth
    Hostile("array_depth_open", "no_clean_call", "recursion when it is closed", repeated(OPEN, "["), deep=True),
    Hostile("array_depth_closed", "any", "recursion on strict JSON", nested(OPEN, "[", "", "]", SHUT), deep=True),
    Hostile("object_depth_open", "no_clean_call", "recursion through objects", repeated(OPEN, '{"a":'), deep=True),
    Hostile("object_depth_closed", "any", "the same, closed", nested(OPEN, '{"a":', "1", "}", SHUT), deep=True),
    Hostile("parentheses", "any", "an expression parser's stack", nested("[f(a=", "(", "1", ")", ")]"), deep=True),
    Hostile("unary_chain", "any", "a deep tree of flat text", repeated("[f(a=", "-", "1)]"), deep=True),
    Hostile("binary_chain", "any", "an expression is no literal", repeated("[f(a=1", "+1", ")]"), deep=True),
    # Size and Unicode
    Hostile("long_string", "one_call", "a copy of the value per piece", repeated(OPEN + '"', "x", '"' + SHUT)),
    Hostile("escaped_quotes", "one_call", "escapes at every split", repeated(OPEN + '"', '\\"', '"' + SHUT)),
    Hostile("backslash_flood", "no_clean_call", "backslashes counted backwards", repeated(OPEN + '"', "\\")),
    Hostile("unicode_escapes", "one_call", "splits inside an escape", repeated(OPEN + '"', "\\u0041", '"' + SHUT)),
    Hostile("lone_escapes", "any", "text without a UTF-8 form", repeated(OPEN + '"', "\\ud800", '"' + SHUT)),
    Hostile("lone_surrogates", "no_call", "a str without a UTF-8 form", repeated("", "\ud800")),
    Hostile("lone_surrogates_in_call", "any", "places behind one", repeated(OPEN + '"', "a\udc00", '"' + SHUT)),
    Hostile("astral_string", "one_call", "bytes, units and characters", repeated(OPEN + '"', "😀", '"' + SHUT)),
    Hostile("wide_tail", "no_call", "one wide character at the end", repeated("", "a", "😀")),
    Hostile("fullwidth_near_miss", "no_call", "a cut inside a character", repeated("", "<｜")),
    Hostile("nul_flood", "no_call", "strings that end at NUL", repeated("", "\0")),
    Hostile("huge_integer", "any", "a digit limit that raises", repeated(OPEN, "7", SHUT)),
    Hostile("huge_exponent", "any", "a number that is built", repeated(OPEN + "1e", "9", SHUT)),
    Hostile("many_keys", "one_call", "a search among the keys", many_keys),
    Hostile("duplicate_keys", "any", "one rule, always the same", repeated(OPEN + '{"k":1', ',"k":0', "}" + SHUT)),
    Hostile(
        "many_calls", "many_calls", "a cost per earlier call", repeated("", CALL), lambda n: units("", CALL, "", n)
    ),
    Hostile("unknown_tools", "no_call", "messages that outgrow the text", repeated("", CALL.replace('"f"', '"zz"'))),
    Hostile("long_name", "no_call", "a name quoted whole", repeated(NAME, "n", NAME_END)),
    Hostile("control_name", "no_call", "a message with escapes", repeated(NAME + "f", "\\u001b[31m\\n", NAME_END)),
    # Markers where they do not count
    Hostile("closer_in_string", "one_call", "the string owns it", repeated(OPEN + '"', "</tool_call>", '"' + SHUT)),
    Hostile("call_in_string", "one_call", "one call, not many", repeated(OPEN + '"', INNER_CALL, '"' + SHUT)),
    Hostile("call_in_think", "no_call", "a draft", repeated("<think>", CALL, "</think>ok")),
    Hostile("stray_closers", "any", "depth below zero", repeated(OPEN[:-5] + '{"a":1}', "]}", "</tool_call>")),
    # Text that a repair reads again and again
    Hostile("quote_flood", "any", "the role of a quote", repeated(OPEN, '"', SHUT)),
    Hostile("apostrophe_flood", "any", "the same", repeated(OPEN, "'", SHUT)),
    Hostile("comma_flood", "any", "one comma at a time", repeated(OPEN + "[1", ",", "]" + SHUT)),
    Hostile("fragment_flood", "no_clean_call", "each quote may end it", repeated(OPEN + '"start, ', 'word", ')),
    Hostile("comment_flood", "any", "comments without end", repeated(OPEN, "/*", SHUT)),
    Hostile("blank_flood", "one_call", "blanks skipped again", repeated(OPEN, " ", "1" + SHUT)),
    Hostile("newline_flood", "no_call", "trimmed piece by piece", repeated("", "\n")),
    Hostile("leading_blanks", "no_call", "a form may begin at each", repeated("", " ", "text")),
    Hostile("encoded_again", "any", "one level and no more", encoded_again),
    Hostile("cut_number", "no_clean_call", "25 of 250", repeated(OPEN[:-4] + '"s":"', "y", '","a":25')),
    Hostile("cut_string", "no_clean_call", "half a path", repeated(OPEN + '"rm -rf /tmp/', "y")),
    Hostile("marker_prefix_tail", "no_call", "held at the end", repeated("", "word ", "<tool_")),
]

CASES = {case.name: case for case in ALL}


def repeated_bytes(head: bytes, unit: bytes, tail: bytes = b"") -> Callable[[int], bytes]:
    def make(size: int) -> bytes:
        body = head + unit * max(0, (size - len(head) - len(tail)) // len(unit)) + tail
        return b" " * (size - len(body)) + body

    return make


BYTES: dict[str, Callable[[int], bytes]] = {
    "continuations": repeated_bytes(b"", b"\x80"),
    "lead_bytes": repeated_bytes(b"", b"\xe2"),
    "overlong_angle": repeated_bytes(b"", b"\xc0\xbctool_call>"),
    "encoded_surrogates": repeated_bytes(b"", b"\xed\xa0\x80"),
    "bad_byte_in_call": repeated_bytes(OPEN.encode() + b'"', b"a\xff", b'"' + SHUT.encode()),
    "cut_character": repeated_bytes(b"", b"word ", b"\xf0\x9f\x98"),
    "mark_then_calls": lambda size: b"\xef\xbb\xbf" + repeated_bytes(b"", CALL.encode())(size - 3),
}


def on_a_small_stack(work: Callable[[], None], size: int = 256 * 1024) -> None:
    """Runs `work` in a thread with this many bytes of stack, and raises what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as problem:
            raised.append(problem)

    old = threading.stack_size(size)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    if raised:
        raise raised[0]


def read_deep_cases(size: int) -> None:
    from _reading import facts, streamed, whole

    for case in ALL:
        if case.deep:
            text = case.make(size)
            result = whole(text, OFFERED)
            assert repr(result)
            assert facts(streamed([text[at : at + 4096] for at in range(0, size, 4096)], OFFERED)) == facts(result)


if __name__ == "__main__":
    on_a_small_stack(lambda: read_deep_cases(int(sys.argv[1])))
    print("read")
