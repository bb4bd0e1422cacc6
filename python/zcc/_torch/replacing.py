# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of libraries that others stand for while a module is exported."""
import contextlib


@contextlib.contextmanager
def replaced(owner, name, value):
    """Sets an attribute of an object for a while."""
    own = owner.__dict__.get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
