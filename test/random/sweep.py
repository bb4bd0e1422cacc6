# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the damage_*.py: makes a damage for each seed, and counts the outcomes."""
import argparse
import collections
import shutil
import sys


def parser(zcc=None):
    """`zcc`: what --zcc is for, if it is an option."""
    p = argparse.ArgumentParser()
    p.add_argument("bin")
    p.add_argument("--first", type=int, default=1)
    p.add_argument("--count", type=int, default=100)
    if zcc:
        p.add_argument("--zcc", help=zcc)
    return p


def sweep(args, try_one, work):
    """Calls try_one(seed) for each seed, which returns the failure, or nothing,
    and the outcome. Prints failures, and returns their number and the counts of
    outcomes. Removes `work`."""
    failed, became = 0, collections.Counter()
    for seed in range(args.first, args.first + args.count):
        problem, own = try_one(seed)
        became[own] += 1
        if problem:
            failed += 1
            print(f"FAILED  seed {seed}: {problem}", flush=True)
    shutil.rmtree(work)
    return failed, became


def finish(args, failed, became):
    """Ends a sweep whose outcomes are true if a damage was refused."""
    print(f"{args.count} damaged, {became[True]} refused, {failed} failed")
    sys.exit(failed != 0)
