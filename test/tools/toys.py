# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the logs of toy programs for tests of zrun."""
import json


def losses(log):
    """The lines of the log, without what is measured."""
    with open(log) as f:
        lines = [json.loads(line) for line in f]
    for line in lines:
        for measured in ("seconds", "data_seconds", "eval_seconds", "tokens_per_second", "utilization"):
            line.pop(measured, None)
    return lines


def contents(path):
    with open(path, "rb") as f:
        return f.read()
