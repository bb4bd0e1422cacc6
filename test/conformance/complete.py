# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the suite has a case for every kind and form of step that the project's models, tests and random graphs make.

    complete.py REPOSITORY ZCC CONFORMANCE [--write FILE] [--first SEED] [--graphs N]

Plans every model under sets of options, and random graphs on random meshes, and asks for signatures that no case has. With --write,
kernels that have them are appended to FILE, as cases are written; lines of steps are for a person to add to cases/steps.txt.
"""
import argparse
import glob
import os
import random
import subprocess
import sys
import tempfile

OPTIONS = [
    [],
    ["--mesh=data=2,tensor=2", "--zero=3"],
    ["--mesh=data=2,tensor=2", "--zero=1", "--precision=bf16"],
    ["--mesh=data=2", "--zero=2", "--microbatches=2", "--precision=f16", "--gradient-type=compute"],
    ["--mesh=data=2,context=2", "--remat=full", "--optimizer=sgd"],
    ["--mesh=data=2,expert=2", "--precision=bf16", "--zero=3", "--microbatches=2"],
    ["--mesh=tensor=3", "--optimizer=forward"],
    ["--mesh=data=2", "--optimizer=lion", "--precision=bf16"],
]


def models(repository):
    """(file, further options) of every text that a test compiles as a whole."""
    for file in sorted(glob.glob(os.path.join(repository, "test/data/*/loss.mlir"))) + [os.path.join(repository, "examples/gpt/loss.mlir")]:
        init = os.path.join(os.path.dirname(file), "init.mlir")
        yield file, [f"--init={init}"] if os.path.exists(init) else []
    for file in sorted(glob.glob(os.path.join(repository, "test/data/ops/*.mlir"))):
        yield file, []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("repository")
    parser.add_argument("zcc")
    parser.add_argument("conformance")
    parser.add_argument("--write")
    parser.add_argument("--first", type=int, default=2060)
    parser.add_argument("--graphs", type=int, default=25)
    a = parser.parse_args()
    cases = os.path.join(a.repository, "test/conformance/cases")
    with tempfile.TemporaryDirectory(prefix="conformance-") as work:
        planned, refused = [], 0

        def plan(command):
            nonlocal refused
            file = os.path.join(work, f"{len(planned)}.mlir")
            # The form of a kernel does not depend on the machine that plans it.
            p = subprocess.run([a.zcc, *command, "--machine=h100-dgx", "--compile-to=planned", "--quiet", "-o", file], capture_output=True, text=True)
            if p.returncode < 0:
                sys.exit(f"{' '.join(command)}: signal {-p.returncode}")
            if p.returncode == 0:
                planned.append(file)
            else:
                refused += 1

        for file, further in models(a.repository):
            for options in OPTIONS:
                plan([file, *further, *options])
        sys.path.insert(0, os.path.join(a.repository, "test/random"))
        from draw import Draw
        from modes import cases as variants
        for seed in range(a.first, a.first + a.graphs):
            graph = Draw(random.Random(seed), random.Random(seed).random() < 0.35).build()
            text = os.path.join(work, "graph.txt")
            with open(text, "w") as f:
                f.write(graph.text())
            for case in variants(seed, graph, 1):
                plan(["--compile-from=graph", text, *case.options])
        print(f"{len(planned)} plans, {refused} refused")
        if len(planned) < refused:
            sys.exit("most of them were refused")
        p = subprocess.run([a.conformance, "missing", cases, *planned], capture_output=True, text=True)
    if p.returncode not in (0, 1):
        sys.exit(p.stderr)
    if a.write:
        with open(a.write, "a") as f:
            f.write(p.stdout)
    print("".join(line + "\n" for line in p.stdout.splitlines() if line.startswith("// missing")) + p.stderr.strip())
    sys.exit(p.returncode)


if __name__ == "__main__":
    main()
