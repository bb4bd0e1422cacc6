#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch modules of other libraries, trained by the Python package on meshes and held against PyTorch in float64.

    python benchmarks/models/torch_modules.py [--out build/torch-modules] [--again] [--failed] [--plans 'data=2;4'] [--table FILE.md] [NAME-GLOB...]

One line a plan: ok, or what is wrong. A loss of three AdamW steps may be off by 1e-6 (relative), or ten times what PyTorch's own
float32 training is off by, whichever is larger. Weights are random and dropout is off. Needs the packages zcc, torch and those in
requirements-torch.txt. Modules that have a result in --out are not run again. Exit status 1 if anything is wrong or unexplained.
"""
import argparse
import contextlib
import copy
import fnmatch
import json
import math
import os
import sys
import time
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.filterwarnings("ignore")
import numpy as np  # noqa: E402
import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
import tables  # noqa: E402
import torch_zoo  # noqa: E402
import zcc  # noqa: E402

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
STEPS, LIMIT, SLACK = 3, 1e-6, 10
ADAMW = dict(lr=1e-2, b1=.9, b2=.95, eps=1e-8, weight_decay=.1)
PLANS = {
    "1": {},
    "data=2": dict(mesh="data=2"),
    "data=2,tensor=2 ZeRO 3": dict(mesh="data=2,tensor=2", zero=3),
    "pipe=2, 4 microbatches": dict(mesh="pipe=2", microbatches=4),
    "4": dict(mesh="4"),
}
MARKS = "<!-- table: benchmarks/models/torch_modules.py -->", "<!-- end of table of modules -->"


# --------------------------------------------------------------- training by PyTorch

class InFloat64(TorchDispatchMode):
    """Makes float64 of what a module asks to have in float32, such as its norms and its loss, and of new tensors."""

    def __enter__(self):
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error):
        torch.set_default_dtype(torch.float32)
        return super().__exit__(*error)

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("dtype") == torch.float32:
            kwargs["dtype"] = torch.float64
        return function(*args, **kwargs)


def torch_losses(model, batches, dtype):
    """Returns the losses of AdamW by PyTorch; weights of rank above 1 decay."""
    with InFloat64() if dtype == torch.float64 else contextlib.nullcontext():
        return _torch_losses(model, batches, dtype)


def _torch_losses(model, batches, dtype):
    model = copy.deepcopy(model).to(dtype)
    for part in model.modules():  # The other forms of transformers' experts lack float64.
        if hasattr(getattr(part, "config", None), "_experts_implementation"):
            part.config._experts_implementation = "eager"
    trained = {n: p for n, p in model.named_parameters() if p.requires_grad}
    first, second = ({n: torch.zeros_like(p) for n, p in trained.items()} for _ in range(2))
    losses = []
    for step, batch in enumerate(batches, 1):
        given = {k: torch.tensor(x) if isinstance(x, np.ndarray) else x for k, x in batch.items()}
        given = {k: x.to(dtype) if isinstance(x, torch.Tensor) and x.is_floating_point() else x for k, x in given.items()}
        model.zero_grad()
        found = model(**given)
        found = found if isinstance(found, torch.Tensor) else found.loss
        found.backward()
        losses.append(float(found.detach()))
        with torch.no_grad():
            for n, p in trained.items():
                g = torch.zeros_like(p) if p.grad is None else p.grad
                first[n].mul_(ADAMW["b1"]).add_(g, alpha=1 - ADAMW["b1"])
                second[n].mul_(ADAMW["b2"]).addcmul_(g, g, value=1 - ADAMW["b2"])
                moved = first[n] / (1 - ADAMW["b1"] ** step) / ((second[n] / (1 - ADAMW["b2"] ** step)).sqrt() + ADAMW["eps"])
                p.mul_(1 - ADAMW["lr"] * (ADAMW["weight_decay"] if p.ndim > 1 else 0)).sub_(moved, alpha=ADAMW["lr"])
    return losses


def off(got, want):
    """Returns the largest relative error."""
    if len(got) != len(want) or not all(math.isfinite(x) for x in got):
        return math.inf
    return max(abs(a - b) / max(abs(b), 1e-12) for a, b in zip(got, want))


# --------------------------------------------------------------- training by zcc

def facts_of(case, model, batches, options):
    """Returns what is the same for all plans: parameters, references, attention, seconds of the export."""
    begin = time.process_time()
    from zcc._frontend import Model
    text = Model(model, None, batches[0], None, trains=True).traced.text
    export = time.process_time() - begin
    with open(os.path.join(options.out, case.name.replace("/", "-") + ".mlir"), "w") as f:
        f.write(text)
    wide, own = torch_losses(model, batches, torch.float64), torch_losses(model, batches, torch.float32)
    return {"parameters": sum(p.numel() for p in model.parameters()), "float64": wide, "float32": own, "own": off(own, wide), "export": export,
            "lines": text.count("\n")}


def run_plan(case, model, batches, facts, plan):
    """Returns how one plan of a module went."""
    begin = time.process_time()
    try:
        with zcc.compile(model, batches[0], optimizer=zcc.AdamW(**ADAMW), quiet=True, cache=False, **PLANS[plan]) as step:
            seconds = time.process_time() - begin - facts["export"]
            report, messages = step.report, str(step.messages)
            losses = [step(b).loss for b in batches]
    except zcc.Error as error:
        expected = case.refused.get(plan)
        return {"status": "refused" if expected and expected in str(error) else "ERROR", "said": str(error)[:3000]}
    error, limit = off(losses, facts["float64"]), max(LIMIT, SLACK * facts["own"])
    attention = report.get("attention", {"recognized": 0, "left": []})
    return {"status": "ok" if error <= limit else "wrong", "attention": attention, "error": error, "executed": report["flops"]["executed"] / max(1, report["flops"]["model"]),
            "compile": max(0.0, seconds), "mesh": report["mesh"], "losses": losses, "said": messages[:3000]}


def run(case, options):
    """Runs the plans of a module that have no result yet. Returns True if everything is as it should be."""
    path = os.path.join(options.out, case.name.replace("/", "-") + ".json")
    known = {"plans": {}}
    if os.path.exists(path) and not options.again:
        with open(path) as f:
            known = json.load(f)
    wanted = [p for p in PLANS if not options.plans or p in options.plans.split(";")]
    missing = [p for p in wanted if p not in known["plans"] or options.failed and known["plans"][p]["status"] not in ("ok", "refused")]
    fine = True
    if missing or "facts" not in known:
        torch.manual_seed(0)
        try:
            model, batch = case.make()
            model.train()
            rng = np.random.default_rng(0)
            batches = [batch(rng) for _ in range(STEPS)]
            if "facts" not in known or options.failed:
                known["facts"] = facts_of(case, model, batches, options)
        except Exception as error:
            print(f"NO TEXT  {case.name}: {type(error).__name__}: {str(error)[:1500]}", flush=True)
            return False
    facts = known["facts"]
    print(f"{case.name}: {facts['parameters']} parameters, PyTorch's float32 off by {facts['own']:.1e}, export {facts['export']:.1f} s", flush=True)
    for plan in wanted:
        if plan in missing:
            known["plans"][plan] = run_plan(case, model, batches, facts, plan)
            with open(path, "w") as f:
                json.dump(known, f, indent=1)
        row = known["plans"][plan]
        text = (f"loss off by {row['error']:.1e}, executed/model {row['executed']:.2f}, compiled in {row['compile']:.1f} s, {row['mesh']}"
                if "error" in row else row["said"].replace("\n", " | ")[:600])
        print(f"  {row['status']:8} {plan:24} {text}", flush=True)
        fine &= row["status"] in ("ok", "refused")
    seen, reasons = attention_of(case, known)
    if case.attention:
        print(f"  attention: {seen} of {case.attention}" + "".join(f"; {r}" for r in reasons), flush=True)
    return fine and (seen >= case.attention or bool(reasons))


def attention_of(case, known):
    """Returns how many attentions zcc recognizes, and why it leaves others: by its report, else by the registry."""
    found = next((r["attention"] for r in known["plans"].values() if "attention" in r), {"recognized": 0, "left": []})
    reasons = [f"{left['why']}" + (f" ({left['op']})" if left["op"] else "") for left in found["left"]]
    seen = min(found["recognized"], case.attention)
    return seen, [] if seen >= case.attention else sorted(set(reasons)) or [case.why] * bool(case.why)


def rows_of_page(file):
    """Returns the rows and the reasons that a page's table has, by module."""
    rows, reasons = {}, {}
    with open(file) as f:
        for line in f.read().partition(MARKS[0])[2].partition(MARKS[1])[0].splitlines():
            if line.startswith("| ") and "/" in line.split("|")[1]:
                rows[line.split("|")[1].strip()] = line
            elif line.startswith("- `"):
                reasons.setdefault(line.split("`")[1], []).append(line)
    return rows, reasons


def table(options):
    """Returns the table. A module without a result in --out keeps the row that the page has."""
    rows_before, reasons_before = rows_of_page(options.table)
    reasons = []
    lines = ["| module | domain | parameters | attention | PyTorch's float32 | worst loss error | " + " | ".join(PLANS) + " | export | compiled in |",
             "|" + "---|" * (8 + len(PLANS))]
    for case in torch_zoo.load().values():
        path = os.path.join(options.out, case.name.replace("/", "-") + ".json")
        if not os.path.exists(path):
            if case.name in rows_before:
                lines.append(rows_before[case.name])
                reasons += reasons_before.get(case.name, [])
            continue
        with open(path) as f:
            known = json.load(f)
        facts, rows = known["facts"], known["plans"]
        ran = [r for r in rows.values() if "error" in r]
        worst = f"{max(r['error'] for r in ran):.0e}" if ran else ""
        slowest = f"{max(r['compile'] for r in ran):.1f} s" if ran else ""
        cells = [f"{r['executed']:.2f}" if r["status"] == "ok" else r["status"] for r in (rows.get(p, {"status": ""}) for p in PLANS)]
        seen, why = attention_of(case, known)
        reasons += [f"- `{case.name}`: {r}." for r in why]
        seen = f"{seen} of {case.attention}" if case.attention else ""
        lines.append(f"| {case.name} | {case.domain} | {facts['parameters']:,} | {seen} | {facts['own']:.0e} | {worst} | {' | '.join(cells)} | "
                     f"{facts['export']:.1f} s | {slowest} |")
    return "\n".join([*lines, "", "Attention is not recognized in:", "", *reasons])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", default=os.path.join(ROOT, "build", "torch-modules"), help="folder for texts and results")
    parser.add_argument("--plans", help="only these, separated by semicolons: " + "; ".join(PLANS))
    parser.add_argument("--again", action="store_true", help="also what has a result in --out")
    parser.add_argument("--failed", action="store_true", help="also what has a result that is not as it should be")
    parser.add_argument("--table", help="a Markdown file whose table is renewed; rows without a result in --out stay")
    parser.add_argument("--only-table", action="store_true", help="run nothing")
    parser.add_argument("names", nargs="*", help="globs of modules")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    torch.set_num_threads(1)
    cases = [c for c in torch_zoo.load().values() if not options.names or any(fnmatch.fnmatch(c.name, g) for g in options.names)]
    bad = [] if options.only_table else [c.name for c in cases if not run(c, options)]
    if options.table:
        tables.renew(options.table, MARKS, table(options))
    print(f"{len(cases) - len(bad)} passed, {len(bad)} failed" + (": " + ", ".join(bad) if bad else ""))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
