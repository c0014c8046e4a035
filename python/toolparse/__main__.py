"""``python -m toolparse`` is the command line."""

from __future__ import annotations

from toolparse.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
