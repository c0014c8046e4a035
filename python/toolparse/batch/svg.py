"""Two kinds of plots as SVG text: bars, and lines over the course of a log. Colours come from the page's style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

COLOURS = 6  # classes c0 … c5 of the page's style
_ROW, _LABEL, _BAR, _NUMBER = 22, 190, 380, 110  # pixels
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 680, 220, 52, 12, 26
_ESCAPES = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;", ord('"'): "&quot;", ord("'"): "&#39;"}
_ESCAPES |= dict.fromkeys([*range(32), *range(127, 160)], "�")


def escaped(text: str) -> str:
    """``text`` as it can stand anywhere in a page."""
    return text.translate(_ESCAPES)


def bars(counts: Sequence[tuple[str, int]], whole: int, colour: int = 0) -> str:
    """A horizontal bar for each, with its number and its share of ``whole``."""
    most = max((count for _, count in counts), default=0) or 1
    height = _ROW * len(counts)
    parts = [_open(_LABEL + _BAR + _NUMBER, height, "bars")]
    for at, (name, count) in enumerate(counts):
        y = at * _ROW
        width = max(1, round(_BAR * count / most))
        share = f" ({count / whole:.1%})" if whole else ""
        label = escaped(name if len(name) <= 26 else name[:25] + "…")
        parts.append(
            f"<g><title>{escaped(name)}: {count:,}{share}</title>"
            f'<text class="end" x="{_LABEL - 8}" y="{y + 15}">{label}</text>'
            f'<rect class="c{colour % COLOURS}" x="{_LABEL}" y="{y + 4}" width="{width}" height="{_ROW - 8}" rx="2"/>'
            f'<text class="faint" x="{_LABEL + width + 6}" y="{y + 15}">{count:,}{share}</text></g>'
        )
    return "".join([*parts, "</svg>"])


def lines(series: Mapping[str, Sequence[float]], ends: tuple[str, str], *, percent: bool = False) -> str:
    """A line for each name, all of as many points, from ``ends[0]`` on the left to ``ends[1]``, with a legend below."""
    top = nice(max((value for points in series.values() for value in points), default=0.0))
    parts = [_open(_WIDTH, _HEIGHT, "lines")]
    for step in range(5):
        y = _y(top * step / 4, top)
        number = f"{top * step / 4:.3g}{'%' if percent else ''}"
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - 8}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="faint end" x="{_LEFT - 6}" y="{y + 4:.1f}">{number}</text>')
    for at, (name, points) in enumerate(series.items()):
        spots = " ".join(f"{_x(index, len(points)):.1f},{_y(value, top):.1f}" for index, value in enumerate(points))
        parts.append(f'<polyline class="c{at % COLOURS}" points="{spots}"><title>{escaped(name)}</title></polyline>')
    parts.append(f'<text class="faint" x="{_LEFT}" y="{_HEIGHT - 6}">{escaped(ends[0])}</text>')
    parts.append(f'<text class="faint end" x="{_WIDTH - 8}" y="{_HEIGHT - 6}">{escaped(ends[1])}</text></svg>')
    keys = "".join(f'<li><i class="c{at % COLOURS}"></i>{escaped(name)}</li>' for at, name in enumerate(series))
    return "".join(parts) + f'<ul class="legend">{keys}</ul>'


def nice(value: float) -> float:
    """The next number above that reads well on an axis of four steps."""
    if value <= 0:
        return 1.0
    power = 1.0
    while power < value:
        power *= 10
    while power / 10 >= value:
        power /= 10
    return next(power * share for share in (0.2, 0.4, 0.6, 0.8, 1.0) if power * share >= value)


def _x(index: int, points: int) -> float:
    return _LEFT + (_WIDTH - 8 - _LEFT) * index / max(points - 1, 1)


def _y(value: float, top: float) -> float:
    return _TOP + (_HEIGHT - _BOTTOM - _TOP) * (1 - value / top)


def _open(width: int, height: int, kind: str) -> str:
    return f'<svg class="{kind}" viewBox="0 0 {width} {height}" role="img" xmlns="http://www.w3.org/2000/svg">'
