# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A line of progress in a terminal or a notebook."""
import sys
import time


def _in_notebook():
    shell = sys.modules.get("IPython")
    shell = shell and shell.get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


def line(metrics):
    """Returns one line of a step's metrics: step, loss, time, and tokens a second where there are some."""
    parts = [f"step {metrics['step']}"]
    if "loss" in metrics:
        parts.append(f"loss {metrics['loss']:.4f}")
    seconds = metrics.get("seconds")
    if seconds:
        parts.append(f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s")
    if metrics.get("tokens_per_second"):
        parts.append(f"{metrics['tokens_per_second']:,.0f} tokens/s")
    return "  ".join(parts)


class _None:
    def show(self, metrics):
        pass

    def end(self):
        pass


class _Terminal:
    def __init__(self):
        self._last, self._width, self._pending = 0.0, 0, None

    def show(self, metrics):
        now = time.monotonic()
        self._pending = metrics
        if now - self._last >= 0.1:
            self._write(now)

    def _write(self, now):
        text = line(self._pending)
        sys.stderr.write("\r" + text.ljust(self._width))
        sys.stderr.flush()
        self._last, self._width, self._pending = now, len(text), None

    def end(self):
        if self._pending is not None:
            self._write(0.0)
        if self._width:
            sys.stderr.write("\n")
            sys.stderr.flush()
            self._width = 0


class _Notebook:
    def __init__(self):
        self._last, self._handle, self._pending = 0.0, None, None

    def show(self, metrics):
        self._pending = metrics
        if time.monotonic() - self._last >= 0.25:
            self._write()

    def _write(self):
        from IPython.display import HTML, display

        shown = HTML(f"<pre style='font-family: monospace'>{line(self._pending)}</pre>")
        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)
        self._last, self._pending = time.monotonic(), None

    def end(self):
        if self._pending is not None:
            self._write()
        self._handle = None


def choose(wanted=None):
    """Returns what shows progress: a line in a terminal or a notebook, nothing elsewhere. True and False decide it."""
    if wanted is False:
        return _None()
    if _in_notebook():
        return _Notebook()
    return _Terminal() if wanted or sys.stderr.isatty() else _None()
