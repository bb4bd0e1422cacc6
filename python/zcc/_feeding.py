# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches that are read ahead on a thread."""
import queue
import threading

_END = object()


class read_ahead:
    """Iterates over an iterable, which a thread reads up to `depth` items ahead. Its exceptions are raised where the item is due."""

    def __init__(self, iterable, depth=2):
        self._items, self._stopped = queue.Queue(depth), threading.Event()
        self._done = False
        self._thread = threading.Thread(target=self._read, args=(iterable,), name="zcc-batches", daemon=True)
        self._thread.start()

    def _put(self, item):
        while not self._stopped.is_set():
            try:
                self._items.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def _read(self, iterable):
        try:
            for item in iterable:
                if not self._put((item, None)):
                    return
            self._put((_END, None))
        except BaseException as error:  # raised where the item is due
            self._put((_END, error))

    def __iter__(self):
        return self

    def __next__(self):
        if self._done:
            raise StopIteration
        while True:
            try:
                item, error = self._items.get(timeout=0.1)
                break
            except queue.Empty:
                pass  # Ctrl-C is answered between
        if item is _END:
            self._done = True
            if error is not None:
                raise error
            raise StopIteration
        return item

    def close(self):
        """Ends the reading. The item that is being read is waited for no longer."""
        self._done = True
        self._stopped.set()
