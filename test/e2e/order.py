# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of a step in another order have the same shardings and stages."""
import random
import re

import texts
from harness import *


def shuffled(text, seed):
    """The ops of @step, named op0, op1, ... by their locations, in a random order that keeps definitions before uses."""
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if "func.func @step" in line) + 1
    last = next(i for i in range(first, len(lines)) if lines[i].lstrip().startswith("return"))
    ops, definer = [], {}
    for i, line in enumerate(lines[first:last]):
        line = re.sub(r" loc\([^()]*(\([^()]*\))?[^()]*\)$", f' loc("op{i}")', line)
        left, equals, right = line.partition(" = ")
        defined = re.findall(r"%\w+", left) if equals and left.lstrip().startswith("%") else []
        ops.append((line, [definer[v] for v in re.findall(r"%\w+", right if defined else line) if v in definer]))
        definer.update({v: i for v in defined})
    if seed is not None:
        users, waits = [[] for _ in ops], [len(set(before)) for _, before in ops]
        for i, (_, before) in enumerate(ops):
            for j in set(before):
                users[j].append(i)
        pick, ready, order = random.Random(seed), [i for i, n in enumerate(waits) if n == 0], []
        while ready:
            order.append(ready.pop(pick.randrange(len(ready))))
            for i in users[order[-1]]:
                waits[i] -= 1
                if waits[i] == 0:
                    ready.append(i)
        assert len(order) == len(ops)
        ops = [ops[i] for i in order]
    return "\n".join(lines[:first] + [line for line, _ in ops] + lines[last:]) + "\n"


def shardings(text):
    """The shardings of each op's results, by name of the op. Reshards are named like the op whose value they move."""
    names, found = dict(re.findall(r'^(#loc\d*) = loc\("(op\d+)"\)', text, re.M)), {}
    for line in text.splitlines():
        op = re.search(r"dist\.shardings = (\[.*?>\]).* loc\((#loc\d*)\)$", line)
        if op and op[2] in names and "dist.reshard" not in line:
            found.setdefault(names[op[2]], set()).add(op[1])
    return found


def stages(text):
    """The stages of each op and of the ops made from it, by name of the op."""
    names, found = dict(re.findall(r'^(#loc\d*) = loc\("(op\d+)"\)', text, re.M)), {}
    for line in text.splitlines():
        op = re.search(r"dist\.region = .* loc\((#loc\d*)\)$", line)
        if op and op[1] in names:
            place = tuple(int(n[1]) if (n := re.search(rf"dist\.{what} = (\d+)", line)) else 0 for what in ("stage", "chunk"))
            found.setdefault(names[op[1]], set()).add(place)
    return found


def check(text, *options, seeds=2, phase="sharded", read=shardings):
    call("zcc", text, "-o", path("step.mlir"), "--compile-to=step", "--quiet", *options)
    with open(path("step.mlir")) as f:
        step = f.read()
    plans = []
    for seed in [None, *range(seeds)]:
        with open(path("order.mlir"), "w") as f:
            f.write(shuffled(step, seed))
        call("zcc", path("order.mlir"), "-o", path("sharded.mlir"), "--compile-from=step", f"--compile-to={phase}", "--quiet")
        with open(path("sharded.mlir")) as f:
            plans.append(read(f.read()))
        assert len(plans[0]) > 20, f"{len(plans[0])} ops found"
        other = [name for name in plans[0] if plans[0][name] != plans[-1].get(name)]
        assert not other, f"seed {seed}: {len(other)} ops differ, {other[0]}: {plans[0][other[0]]}, {plans[-1].get(other[0])}"


def write(text):
    with open(path("text.mlir"), "w") as f:
        f.write(text)
    return path("text.mlir")


def test_transformers():
    check(model_text("gpt2"), "--mesh=data=2,tensor=2", "--zero=1")
    check(model_text("llama"), "--mesh=data=2,tensor=2", "--zero=0")
    check(write(texts.gpt(layers=2, hidden=256, heads=4, seq=128, batch=8)), "--mesh=data=2,tensor=4", "--zero=0", "--precision=bf16")


def test_clusters():
    """Ops that move together: interactions of tables that are sharded by columns, with the tables' lookups."""
    check(write(texts.dlrm(256)), "--mesh=data=8", "--zero=0", "--shard=tables.*=-,data")
    check(model_text("moe"), "--mesh=data=2,expert=2", "--zero=0")


def test_pipelines():
    for model, options in (("gpt2-masked", ("--mesh=pipe=2", "--schedule=zb-v")), ("moe", ("--mesh=pipe=2,data=2",)), ("llama", ("--mesh=pipe=3",))):
        check(model_text(model), *options, "--microbatches=4", phase="partitioned", read=stages)


run(globals())
