# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Usage: FILE N. The two modules of the file give each of N ops, by location, and each argument the same sharding."""
import re
import sys

found = []
for text in open(sys.argv[1]).read().split("// -----"):
    shardings = {}
    for line in text.splitlines():
        op = re.search(r'train\..*dist\.shardings = (\[.*?>\]).*loc\("(\w+)"\)', line)
        if op:
            shardings[op[2]] = op[1]
        for argument in line.split("%arg") if "func.func" in line else []:
            name = re.search(r'zcc\.(?:parameter|input) = "(\w)"', argument)
            if name:
                shardings["argument " + name[1]] = re.search(r"dist\.sharding = (.*?>), ", argument)[1]
    found.append(shardings)
assert len(found) == 2 and len(found[0]) == int(sys.argv[2]), found
assert found[0] == found[1], found
