"""toolparse over Ray Data: replies in a column of a dataset, read on all machines of a cluster.

::

    import ray
    from toolparse.integrations.ray import parse

    ds = parse(ray.data.read_parquet("s3://logs/"), column="response", tools=tools)
    ds.write_parquet("s3://calls/")

Rows keep their columns, so a row id stays what it was and Ray's own checkpoints go on where a run was stopped
(:func:`checkpoint`). One machine does not need Ray: ``toolparse batch`` uses all its processors.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from toolparse._core import Tools, parse_arrow
from toolparse._types import _plain
from toolparse.integrations import find

if TYPE_CHECKING:
    from toolparse._core import Cut, FormatLike, Limits, ToolsLike

TESTED = "2.60"
_BATCH = 4096  # rows


def parse(
    ds: Any,
    *,
    column: str,
    tools: ToolsLike = None,
    format: FormatLike = "auto",
    prompt: str = "",
    max_bytes: int | None = None,
    cut: Cut = "keep",
    limits: Limits | None = None,
    keep: Sequence[str] | None = None,
    batch_size: int = _BATCH,
    **map_options: Any,
) -> Any:
    """The dataset with what was read out of ``column`` beside it: ``content``, ``reasoning``, ``format``, ``calls``,
    ``errors``, ``repairs``, ``truncated`` and ``n_calls``, one row for each row; null where the reply is null.

    ``keep`` names the columns that stay (default: all but ``column``). ``tools`` are definitions or names; ``Tools``
    are built once in each process. ``map_options`` go to ``Dataset.map_batches``. Raises ``ImportError`` when Ray is
    not installed.
    """
    find("ray[data]", TESTED, "Dataset", "ray.data")
    if isinstance(tools, Tools):
        raise TypeError("tools: definitions or names are wanted, which Ray can send to other machines, not Tools(...)")
    options = {"format": format, "prompt": prompt, "max_bytes": max_bytes, "cut": cut, "limits": limits}
    kwargs = {
        "column": column,
        "tools": None if tools is None else json.dumps(_listed(tools), default=_plain),
        "options": options,
        "keep": None if keep is None else list(keep),
    }
    return ds.map_batches(
        parse_table,
        fn_kwargs=kwargs,
        batch_format="pyarrow",
        zero_copy_batch=True,
        batch_size=batch_size,
        **map_options,
    )


def parse_table(table: Any, column: str, tools: str | None, options: dict[str, Any], keep: list[str] | None) -> Any:
    """What Ray runs on each batch, a ``pyarrow.Table``. Raises ``ValueError`` when two columns would have one name."""
    arrow_table = find("pyarrow", "26", "table", "pyarrow")
    parsed = arrow_table(parse_arrow(table, compiled(tools), column=column, **options))
    kept = [name for name in table.column_names if name != column] if keep is None else keep
    twice = sorted(set(kept) & set(parsed.column_names))
    if twice:
        raise ValueError(f"keep: the result has columns of these names too: {', '.join(twice)}")
    columns = {name: table.column(name) for name in kept}
    return arrow_table({**columns, **{name: parsed.column(name) for name in parsed.column_names}})


def checkpoint(path: str, *, id_column: str) -> None:
    """From now on datasets of this process note in the folder ``path`` (which all machines see) the ids of rows that
    have been written, and a run over the same rows leaves those out. ``id_column`` must tell rows apart and be among
    the kept ones.
    """
    context = find("ray[data]", TESTED, "DataContext", "ray.data")
    config = find("ray[data]", TESTED, "CheckpointConfig", "ray.data.checkpoint")
    context.get_current().checkpoint_config = config(
        id_column=id_column, checkpoint_path=path, delete_checkpoint_on_success=False
    )


@lru_cache(maxsize=8)
def compiled(tools: str | None) -> Tools | None:
    """The tools of JSON text, once in each process."""
    return None if tools is None else Tools(json.loads(tools))


def _listed(tools: Any) -> Any:
    return sorted(tools) if isinstance(tools, (set, frozenset)) else tools
