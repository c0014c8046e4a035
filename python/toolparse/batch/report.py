"""Counts as a page that stands alone: no script, nothing loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolparse.batch.svg import COLOURS, bars, escaped, lines

_BARS = 20
_SOURCES = 50
_STYLE = """
:root{color-scheme:light dark;--ink:#1d2430;--faint:#667085;--paper:#fff;--card:#f6f7f9;--line:#e1e5ea;
--c0:#2f6fdb;--c1:#d9602b;--c2:#2a9d6b;--c3:#8a5bd1;--c4:#b8860b;--c5:#c23b6e}
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ee;--faint:#98a2b3;--paper:#14171c;--card:#1d2128;--line:#323842;
--c0:#6ea0f5;--c1:#f08b5b;--c2:#57c795;--c3:#b392ec;--c4:#d9ab3a;--c5:#e8709d}}
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:760px;
margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem;margin:0 0 .2rem}h2{font-size:1.05rem;margin:2rem 0 .4rem}p{margin:.3rem 0;color:var(--faint)}
.tiles{display:flex;flex-wrap:wrap;gap:.6rem;margin:1rem 0}
.tiles div{background:var(--card);border-radius:8px;padding:.6rem .9rem}
.tiles b{display:block;font-size:1.25rem}.tiles span{color:var(--faint);font-size:.85rem}
svg{width:100%;height:auto;display:block}
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .faint{fill:var(--faint)}
svg .end{text-anchor:end}svg .grid{stroke:var(--line)}polyline{fill:none;stroke-width:2;stroke-linejoin:round}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:.2rem 0;padding:0;font-size:.85rem}
.legend i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.4rem;vertical-align:-1px}
table{border-collapse:collapse;width:100%;font-size:.85rem}
td,th{padding:.25rem .5rem;border-bottom:1px solid var(--line)}
td,th{text-align:right}td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}.warn{color:var(--c1)}
"""


def page(counts: Mapping[str, Any], title: str) -> str:
    """The HTML of a stats document."""
    parts = [
        f"<h1>{escaped(title)}</h1>",
        *[f'<p class="warn">{escaped(text)}</p>' for text in warnings(counts)],
        _tiles(counts),
        *_along(counts),
        _section("Formats", "What calls were read as; a share of all calls.", counts, "by_format", "calls", 0),
        _section("Tools", "A share of all calls.", counts, "by_tool", "calls", 2),
        _section("Repairs", "What was mended, for every hundred calls.", counts, "by_repair", "calls", 1),
        _section("Errors", "What wanted to be a call and is not one.", counts, "by_error", "errors", 5),
        _sources(counts),
    ]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escaped(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<style>{_STYLE}{_colours()}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def warnings(counts: Mapping[str, Any]) -> list[str]:
    """What a reader must know before trusting the counts."""
    told = [f"{each['source']}: {each['reason']}" for each in counts["damaged"]]
    if counts["bad_rows"]:
        told.append(f"{counts['bad_rows']:,} rows could not be read")
    return told


def share(part: int, whole: int) -> str:
    """A share for people; ``-`` of nothing."""
    return f"{part / whole:.1%}" if whole else "-"


def largest(table: Mapping[str, int]) -> list[tuple[str, int]]:
    """Names with their counts, the largest first."""
    return sorted(table.items(), key=lambda each: (-each[1], each[0]))


def _colours() -> str:
    rule = "rect.c{0},i.c{0}{{fill:var(--c{0});background:var(--c{0})}}polyline.c{0}{{stroke:var(--c{0})}}"
    return "".join(rule.format(at) for at in range(COLOURS))


def _tiles(counts: Mapping[str, Any]) -> str:
    calls = counts["calls"]
    tiles = [
        (f"{counts['rows']:,}", "replies"),
        (f"{calls:,}", "calls"),
        (share(counts["complete"], calls), "of calls complete"),
        (share(counts["repaired"], calls), "of calls repaired"),
        (f"{counts['errors']:,}", "errors"),
    ]
    if counts["bytes"]:
        tiles.append((f"{counts['bytes'] / 1e6:,.1f} MB", "of replies"))
    return '<div class="tiles">' + "".join(f"<div><b>{b}</b><span>{text}</span></div>" for b, text in tiles) + "</div>"


def _section(title: str, about: str, counts: Mapping[str, Any], table: str, whole: str, colour: int) -> str:
    found = largest(counts[table])
    if not found:
        return f"<h2>{title}</h2><p>None.</p>"
    rest = f"<p>and {len(found) - _BARS:,} more</p>" if len(found) > _BARS else ""
    return f"<h2>{title}</h2><p>{about}</p>{bars(found[:_BARS], counts[whole], colour)}{rest}"


def _along(counts: Mapping[str, Any]) -> list[str]:
    """Plots over the course of the log; none when there is only one point."""
    series = [each for each in counts["series"] if each["rows"]]
    if len(series) < 2:
        return []
    ends = ("start of the log", "end")
    rates = {
        "calls repaired": [_percent(each["repaired"], each["calls"]) for each in series],
        "calls not complete": [_percent(each["calls"] - each["complete"], each["calls"]) for each in series],
        "errors for a hundred replies": [_percent(each["errors"], each["rows"]) for each in series],
        "calls for a hundred replies": [_percent(each["calls"], each["rows"]) for each in series],
    }
    return [
        f"<h2>Along the log</h2><p>In percent.</p>{lines(rates, ends, percent=True)}",
        _table_along("Repairs along the log", "For a hundred calls.", counts, series, "by_repair", "calls"),
        _table_along("Formats along the log", "For a hundred calls.", counts, series, "by_format", "calls"),
    ]


def _table_along(title: str, about: str, counts: Mapping[str, Any], series: list[Any], table: str, whole: str) -> str:
    names = [name for name, _ in largest(counts[table])[:COLOURS]]
    if not names:
        return ""
    points = {name: [_percent(each[table].get(name, 0), each[whole]) for each in series] for name in names}
    return f"<h2>{title}</h2><p>{about}</p>{lines(points, ('start of the log', 'end'))}"


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _sources(counts: Mapping[str, Any]) -> str:
    if len(counts["sources"]) < 2:
        return ""
    ordered = sorted(counts["sources"].items(), key=lambda each: (-each[1]["rows"], each[0]))
    rows = "".join(
        f"<tr><td>{escaped(name)}</td><td>{own['rows']:,}</td><td>{own['calls']:,}</td>"
        f"<td>{share(own['repaired'], own['calls'])}</td><td>{own['errors']:,}</td><td>{own['bad_rows']:,}</td></tr>"
        for name, own in ordered[:_SOURCES]
    )
    head = "".join(f"<th>{name}</th>" for name in ("source", "replies", "calls", "repaired", "errors", "bad rows"))
    rest = f"<p>and {len(ordered) - _SOURCES:,} more</p>" if len(ordered) > _SOURCES else ""
    return f"<h2>Sources</h2><table><tr>{head}</tr>{rows}</table>{rest}"
