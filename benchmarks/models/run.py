#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other people's models, trained on meshes against JAX in float64.

    python3 benchmarks/models/run.py [--bin build/bin] [--out build/models] [--python PYTHON] [--again] [--table FILE.md] [NAME-GLOB...]

Every model is exported and trained by JAX in float32 and float64 (kept in --out; --export does only this), compiled for the plans
below and trained for as many steps by zrun. One line a plan: ok, or what is wrong. A loss may be off by 2e-6 (relative) or ten times
JAX's own float32 error, whichever is larger. --table puts all that is known in --out into FILE.md, between its two marks.
Exit status 1 if a number is wrong, a program crashes or a refusal does not say what would help.
"""
import argparse
import fnmatch
import json
import math
import os
import re
import resource
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
sys.path.insert(0, HERE)
import tables  # noqa: E402
import zoo  # noqa: E402

PLANS = {
    "1": ["--mesh=1"],
    "data=2": ["--mesh=data=2"],
    "tensor=2": ["--mesh=tensor=2"],
    "data=2,tensor=2": ["--mesh=data=2,tensor=2"],
    "4": ["--mesh=4"],
    "data=4 ZeRO 3": ["--mesh=data=4", "--zero=3"],
    "2 microbatches": ["--mesh=1", "--microbatches=2"],
    "pipe=2": ["--mesh=pipe=2", "--microbatches=2"],
}
LIMIT, SLACK = 2e-6, 10
MARKS = "<!-- table: benchmarks/models/run.py -->", "<!-- end of table -->"


def off(got, want):
    """Largest relative error."""
    if len(got) != len(want) or not all(isinstance(x, float) and math.isfinite(x) for x in got):
        return math.inf
    return max(abs(a - b) / max(abs(b), 1e-12) for a, b in zip(got, want))


def call(*command, limit=300):
    try:
        p = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace", timeout=limit)
        return p.returncode, p.stderr
    except subprocess.TimeoutExpired:
        return -1, f"no end after {limit} s"


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read(path):
    with open(path) as f:
        return json.load(f)


def compile_and_train(name, plan, folder, options):
    """One plan of a model: {"status", ...}."""
    exe, report, log = (os.path.join(folder, plan.replace(",", "_").replace(" ", "-") + end) for end in (".zexe", ".report", ".log"))
    for f in (exe, report, log):
        if os.path.exists(f):
            os.remove(f)
    before = processor_seconds()
    status, said = call(os.path.join(options.bin, "zcc"), os.path.join(folder, "loss.mlir"), "-o", exe, "--report", report, "--quiet", *PLANS[plan])
    row = {"compile_processor": processor_seconds() - before, "said": said.strip()[:4000]}
    if status != 0:
        helps = re.search(r"(note|help|hint): (?!called from|which this|see current|in a library|what it needs)", said)
        return {**row, "status": "refused" if status == 2 and helps else "refused without help" if status == 2 else f"exit {status}"}
    facts = read(report)
    row.update(executed=facts["flops"]["executed"] / max(1, facts["flops"]["model"]), compile_seconds=facts["compile_seconds"]["total"],
               mesh=facts["mesh"], plan=[facts["zero"], facts["microbatches"]], flops=facts["flops"]["model"])
    reference = read(os.path.join(folder, "reference.json"))
    status, said = call(os.path.join(options.bin, "zrun"), exe, "--params", os.path.join(folder, "params.safetensors"), "--batches",
                        os.path.join(folder, "batches.safetensors"), "--steps", len(reference["float64"]["loss"]), "--log", log, "--quiet",
                        *[f"--{k.replace('_', '-')}={v}" for k, v in reference["training"].items()])
    os.remove(exe)
    if status != 0:
        return {**row, "status": f"zrun exit {status}", "said": said.strip()[:2000]}
    with open(log) as f:
        lines = [json.loads(line) for line in f if '"step"' in line]
    for what in ("loss", "grad_norm"):
        row[what + "_error"] = off([line[what] for line in lines], reference["float64"][what])
    fine = row["loss_error"] <= max(LIMIT, SLACK * off(reference["float32"]["loss"], reference["float64"]["loss"]))
    return {**row, "status": "ok" if fine else "wrong"}


def describe(row):
    if "loss_error" in row:
        return f"loss off by {row['loss_error']:.1e}, norm by {row['grad_norm_error']:.1e}, executed/model {row['executed']:.2f}, compiled in {row['compile_processor']:.1f} s"
    return row["said"].replace("\n", " | ")[:600]


def export(models, options):
    """All that have no text yet, in one process: most of its time goes into imports."""
    names = [n for n in models if options.export_again or not os.path.exists(os.path.join(options.out, n, "reference.json"))]
    if names:
        subprocess.run([options.python, os.path.join(HERE, "export.py"), options.out, *names])


def run(model, options):
    """True if everything is as it should be."""
    folder = os.path.join(options.out, model.name)
    reference, results = os.path.join(folder, "reference.json"), os.path.join(folder, "results.json")
    failure = os.path.join(folder, "failure.txt")
    if os.path.exists(failure) or not os.path.exists(reference):
        print(f"NO TEXT {model.name}: {open(failure).read().strip()[-1500:] if os.path.exists(failure) else ''}", flush=True)
        return False
    known = read(results) if os.path.exists(results) else {}
    facts, fine = read(reference), True
    print(f"{model.name}: {facts['parameters']} parameters, JAX's float32 off by {off(facts['float32']['loss'], facts['float64']['loss']):.1e}"
          + (f"; export: {facts['export_refused']}" if "export_refused" in facts else ""), flush=True)
    for plan in options.plans.split(";") if options.plans else PLANS:
        if options.again or plan not in known or options.failed and known[plan]["status"] != "ok":
            known[plan] = compile_and_train(model.name, plan, folder, options)
            with open(results, "w") as f:
                json.dump(known, f, indent=1)
        row = known[plan]
        slow = row["compile_processor"] > 10
        print(f"  {row['status']:8} {plan:16} {describe(row)}{'  SLOW' if slow else ''}", flush=True)
        fine &= row["status"] in ("ok", "refused") and not slow
    return fine


def cell(row):
    if row is None:
        return ""
    return f"{row['executed']:.2f}" if row["status"] == "ok" else row["status"]


def table(models, options):
    lines = ["| model | library | domain | parameters | JAX's float32 | worst loss error | " + " | ".join(PLANS) + " | compiled in |",
             "|" + "---|" * (7 + len(PLANS))]
    for m in models.values():
        folder = os.path.join(options.out, m.name)
        if not os.path.exists(os.path.join(folder, "results.json")):
            continue
        facts, rows = read(os.path.join(folder, "reference.json")), read(os.path.join(folder, "results.json"))
        ran = [r for r in rows.values() if "loss_error" in r]
        worst = f"{max(r['loss_error'] for r in ran):.0e}" if ran else ""
        seconds = f"{max(r['compile_processor'] for r in ran):.1f} s" if ran else ""
        own = off(facts["float32"]["loss"], facts["float64"]["loss"])
        lines.append(f"| {m.name} | {m.library} | {m.domain} | {facts['parameters']:,} | {own:.0e} | {worst} | "
                     + " | ".join(cell(rows.get(p)) for p in PLANS) + f" | {seconds} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), help="folder of zcc and zrun")
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "models"), help="folder for texts, references and results")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the libraries")
    parser.add_argument("--plans", help="only these, separated by semicolons: " + "; ".join(PLANS))
    parser.add_argument("--again", action="store_true", help="also what has a result in --out")
    parser.add_argument("--failed", action="store_true", help="also what has a result that is not ok")
    parser.add_argument("--export", action="store_true", help="only export")
    parser.add_argument("--export-again", action="store_true")
    parser.add_argument("--table", help="a Markdown file whose table is renewed")
    parser.add_argument("--only-table", action="store_true", help="run nothing")
    parser.add_argument("names", nargs="*", help="globs of models")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    models = {n: m for n, m in zoo.load().items() if not options.names or any(fnmatch.fnmatch(n, g) for g in options.names)}
    if not options.only_table:
        export(models, options)
    if options.export:
        return
    bad = [] if options.only_table else [m.name for m in models.values() if not run(m, options)]
    if options.table:
        tables.renew(options.table, MARKS, table(zoo.MODELS, options))
    print(f"{len(models) - len(bad)} passed, {len(bad)} failed" + (": " + ", ".join(bad) if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
