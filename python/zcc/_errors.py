# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one exception of the package, and the user's place of a call."""
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


class Error(Exception):
    """A refusal or a failure, with the text that the command line prints.

    `place` is "FILE.py:LINE", the line of the user's code that is at fault: of the model where an operation of it is
    refused, of the call where an option or a batch is. It is None where there is none.
    """

    def __init__(self, message, place=None):
        super().__init__(message)
        self.place = place


def caller():
    """Returns "FILE.py:LINE" of the innermost frame outside of this package, or None."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_HERE + os.sep):
            return None if name.startswith("<") else f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def refuse(message):
    """Raises an Error that is at the line of the user's call."""
    raise Error(message, caller())
