"""Ctrl-C while the command line is still being imported ends it as quietly as it does later.

Imported before all else: Python would show where in the imports it was.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself takes a while to import
import os
import sys

# What ``sys.argv[0]`` is while ``python -m toolparse`` and the installed command import this package.
_COMMANDS = ("-m", "toolparse", "toolparse.exe")


def _is_command() -> bool:
    return bool(sys.argv) and os.path.basename(sys.argv[0]) in _COMMANDS


_quiet = _is_command() and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
if _quiet:
    try:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    except ValueError:  # not the main thread
        _quiet = False


def over() -> None:
    """Ctrl-C raises ``KeyboardInterrupt`` again: from here on there is somebody who takes it."""
    global _quiet
    if _quiet:
        _quiet = False
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
