# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machines whose links are slower than they are."""
import re


def slow_link(machine, file, ranks, rate, latency=1e-6):
    """zcc's option for the description `machine` with one link, of `rate` bytes a second a rank, which is written to `file`."""
    with open(machine) as f:
        text = f.read()
    text = re.sub(r"^links \{.*?\n?\}\n?", "", text, flags=re.M | re.S)
    text = re.sub(r"^devices_per_node:.*\n", "", text, flags=re.M)
    with open(file, "w") as f:
        f.write(text + f'\ndevices_per_node: {ranks}\nlinks {{ name: "slow" latency: {latency:g} bandwidth: {ranks * rate:.0f} }}\n')
    return "--machine=" + file
