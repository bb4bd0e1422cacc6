#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a machine with a GPU, beside what tools/package packed, in this order: the conformance suite; where one was packed, a GPT beside PyTorch's and
JAX's; the models trained and held against float64 losses (spine); two of them under compute-sanitizer; and on more meshes, with overlap, recomputation
and offload (rest).

    python3 run.py [--minutes 9] [--results results.json] [--only suite,gpt,spine,sanitizer,rest] [--driver FILE] [--libraries FOLDER]

It ends in time. The results say which jobs are done, and the same command goes on from there: run it until it has nothing to do. Several ranks
share the GPU. Standard library only, but for the peers. Ends with `N passed, N failed`, and how many jobs there are to do. Exit status: 1 if
anything failed, 3 if there is more to do.
"""
import argparse
import glob
import os
import sys
import tempfile

import gpt_measure
import programs
from running import HERE, Bench


def find_library(folder, *names):
    """The library in the folder, or in a wheel of NVIDIA's; None: where the system has it."""
    folders = [folder] if folder else [os.path.join(path, "nvidia", "*", "lib") for path in sys.path]
    for pattern in folders:
        for name in names:
            for file in sorted(glob.glob(os.path.join(pattern, name))):
                return file
    return None


PARTS = {"suite": lambda args: programs.suite_jobs(), "gpt": gpt_measure.jobs, "spine": lambda args: programs.model_jobs("spine"),
         "sanitizer": lambda args: programs.sanitizer_jobs(), "rest": lambda args: programs.model_jobs("rest")}


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PARTS), metavar="PARTS", help=f"[{','.join(PARTS)}]")
    parser.add_argument("--minutes", type=float, default=9, help="no job is begun that could take longer than what is left of them [9]")
    parser.add_argument("--results", default=os.path.join(HERE, "results.json"), metavar="FILE", help="read, if there is one, and written [results.json]")
    parser.add_argument("--tune", default=os.path.join(HERE, "tuned"), metavar="FILE", help="of cuBLASLt's algorithms, for the GPT; '': none [tuned]")
    parser.add_argument("--driver", default="libcuda.so.1")
    parser.add_argument("--libraries", help="folder with cuBLASLt and cuDNN [those of NVIDIA's wheels, if Python finds them]")
    parser.add_argument("--cublaslt", help="the file itself")
    parser.add_argument("--cudnn", help="likewise")
    parser.add_argument("--sanitizer", metavar="FILE", help="[compute-sanitizer]")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--peers", default="torch,torch-compile,torch-graphs,jax", help="'': none [torch,torch-compile,torch-graphs,jax]")
    parser.add_argument("--peers-on-cpu", action="store_true", help="to try this out without a GPU")
    args = parser.parse_args()
    wrong = [part for part in args.only.split(",") if part not in PARTS]
    if wrong:
        parser.error(f"--only: expected some of {', '.join(PARTS)}, found {wrong[0]}")
    args.cublaslt = args.cublaslt or find_library(args.libraries, "libcublasLt.so.13", "libcublasLt.so.12")
    args.cudnn = args.cudnn or find_library(args.libraries, "libcudnn.so.9")
    return args


def main():
    args = parse()
    jobs = [job for part in PARTS if part in args.only.split(",") for job in PARTS[part](args)]
    with tempfile.TemporaryDirectory(prefix="gpu-") as work:
        bench = Bench(args, work)
        bench.forget_other_machines(jobs)
        for job in jobs:
            # In their order: what comes first matters most.
            if job.name not in bench.done and not bench.run(job):
                break
    todo = [job.name for job in jobs if job.name not in bench.done]
    rows = [row for job in jobs if job.name in bench.done for row in bench.done[job.name]["rows"]]
    failed = sum(row["good"] is False for row in rows)
    untried = sum(row["good"] is None for row in rows)
    print(f"{sum(row['good'] is True for row in rows)} passed, {failed} failed" + (f", {untried} not run" if untried else "") +
          (f"; {len(todo)} jobs to do, the first is {todo[0]}: run it again" if todo else ""))
    sys.exit(1 if failed else 3 if todo else 0)


main()
