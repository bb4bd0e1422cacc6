# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, for zcc.compile(..., optimizer=...). Their formulas are in docs/reference.md."""


class Optimizer:
    """A name of zcc's --optimizer and the settings that go with it."""

    name = None

    def __init__(self, lr, no_decay=None, **settings):
        self.lr, self.no_decay, self.settings = lr, no_decay, settings

    def __repr__(self):
        given = {"lr": self.lr, **self.settings}
        return f"{type(self).__name__}({', '.join(f'{k}={v}' for k, v in given.items())})"

    def options(self):
        """Returns the options of zcc and zrun that it stands for."""
        options = {"optimizer": self.name, "lr": self.lr, **self.settings}
        if self.no_decay is not None:
            options["no_decay"] = self.no_decay
        return options


class AdamW(Optimizer):
    """AdamW (Loshchilov and Hutter 2019, algorithm 2) with the update of docs/zrun.md.

    `no_decay` has globs of parameters without weight decay; by default those of rank below two have none.
    """

    name = "adamw"

    def __init__(self, lr=1e-3, b1=0.9, b2=0.95, eps=1e-8, weight_decay=0.0, no_decay=None):
        super().__init__(lr, no_decay, b1=b1, b2=b2, eps=eps, weight_decay=weight_decay)


class SGD(Optimizer):
    """Gradient descent with momentum: b = momentum b + g; p -= lr (b + weight_decay p)."""

    name = "sgd"

    def __init__(self, lr=1e-3, momentum=0.0, weight_decay=0.0, no_decay=None):
        super().__init__(lr, no_decay, momentum=momentum, weight_decay=weight_decay)


class Lion(Optimizer):
    """Lion (Chen et al. 2023, program 1)."""

    name = "lion"

    def __init__(self, lr=1e-4, b1=0.9, b2=0.99, weight_decay=0.0, no_decay=None):
        super().__init__(lr, no_decay, b1=b1, b2=b2, weight_decay=weight_decay)
