# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result of a frontend (_jax.py, _torch): a function as a text, with the names and shapes of its arguments and results."""

# Names of results that every step has.
STEP_RESULTS = ("step", "grad_norm", "lr", "loss_scale", "overflow", "seconds", "tokens_per_second")


class Traced:
    """A function as a text, with the names and shapes of its arguments and results.

    text: the module. arguments: trees of parameters (`params`), of variables (`state`, or None; `state_names`) and of the batch
    (`batch`), and whether there is a key (`key`). inputs: Specs of the batch by name. parameters: Specs of parameters and variables by name.
    scalars: names of results that are numbers. outputs: names of other results. rebuild: makes the tree that the function returned of a
    dictionary of results by name. keyed: it takes a key, which is no input. unused: names of parameters that the function does not read. frozen:
    names of parameters that are not trained. recomputed: globs of the values that the function asks to be computed again. variables: names of
    the values that the function returns changed. place: FILE.py:LINE of the function, or None.
    """

    def __init__(self, **fields):
        self.frozen, self.recomputed, self.variables = [], [], []
        self.__dict__.update(fields)


def name_of(function):
    """Returns what the function is called in messages."""
    return getattr(function, "__name__", None) or type(function).__name__
