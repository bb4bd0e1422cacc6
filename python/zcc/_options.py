# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keywords as options of the compiler and of the trainer, which say what they take (zcc_compile_options, zcc_trainer_options)."""
import difflib

from . import _library
from ._errors import refuse
from .optimizers import Optimizer

# Options of zcc that write a file of a compilation, by the document of the library.
DOCUMENTS = ("trace", "memory-plot", "draw", "buffers", "plan-out", "page")
# Options of the library that the package sets itself.
OWN = ("plan-only", "explain") + DOCUMENTS


class Options:
    """`compile` and `trainer` are lists of texts, "NAME=VALUE" or "NAME"; `files` has files to write by document."""

    def __init__(self):
        self.compile, self.trainer, self.files = [], [], {}


def texts(name, value, option):
    """Returns the texts of one keyword, none for None or a flag that is False."""
    if value is None:
        return []
    if option.is_flag:
        if not isinstance(value, bool):
            refuse(f"--{name}: expected True or False, found {value!r}")
        return [name] if value else []
    if option.is_list and isinstance(value, dict):
        value = [f"{k}={v}" for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        if not option.is_list:
            refuse(f"--{name}: expected one value, found {value!r}")
        return [f"{name}={each}" for each in value]
    if isinstance(value, bool):
        refuse(f"--{name}: expected a value, found {value!r}")
    return [f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"]


def read(keywords, optimizer=None, *, others=()):
    """Returns the Options of a call's keywords.

    `optimizer` is an Optimizer or a name. `others` are the names of the call's own keywords, for the nearest name of one
    that nobody knows. Values are checked by the library, which has the texts of the command line.
    """
    compiles, trains = _library.options("compile"), _library.options("trainer")
    if isinstance(optimizer, Optimizer):
        given = optimizer.options()
    elif optimizer is None or isinstance(optimizer, str):
        given = {"optimizer": optimizer}
    else:
        refuse(f"optimizer: expected zcc.AdamW(...), zcc.SGD(...), zcc.Lion(...) or a name, found {optimizer!r}")
    if not isinstance(keywords.get("options", {}), dict):
        refuse(f"options: expected a dictionary, found {type(keywords['options']).__name__}")
    # The last of equal names would win unseen.
    places = {}
    for place, names in ((f"optimizer={optimizer!r}", given if isinstance(optimizer, Optimizer) else ()),
                         ("options={...}", keywords.get("options", ())), ("a keyword", keywords)):
        for name in (n.replace("_", "-") for n in names):
            if name in places:
                refuse(f"--{name}: given twice, by {places[name]} and by {place}")
            places[name] = place
    given = {**given, **keywords.pop("options", {}), **keywords}
    options = Options()
    for keyword, value in given.items():
        name = keyword.replace("_", "-")
        if name == "key-seed":
            refuse("--key-seed: zcc.compile() makes it of its keyword seed")
        if name in DOCUMENTS or name == "report":
            if value is not None:
                options.files[name] = value
        elif name in OWN or name not in compiles and name not in trains:
            known = sorted({n for n in (*compiles, *trains, *DOCUMENTS, "report") if n not in ("plan-only", "explain")} | set(others))
            near = difflib.get_close_matches(name, known, 1, 0) or known[:1]
            refuse(f'no option is called "{name}"; did you mean "{near[0]}"?')
        elif name in compiles:
            options.compile += texts(name, value, compiles[name])
        else:
            options.trainer += texts(name, value, trains[name])
    return options
