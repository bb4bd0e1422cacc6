#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted against published step times of GPT models on GPU machines: the rows of steps.csv, as they were run.

    python3 benchmarks/published/run.py [--zcc build/bin/zcc] [--rows FILE.csv] [--only TEXT] [--to PHASE] [--machine NAME-OR-FILE]
                                        [--option=OPTION] [--table] [--chosen]

Writes each row's model from shapes (jax; nothing is allocated), compiles it for the row's mesh to phase `planned` and asks the
simulator. Exits with 1 if a row is refused. --chosen asks for the plans that zcc chooses for as many devices, too. `*` marks the rows that figures of the machine were fitted on. --kernels says where the predicted time goes. README.md
has the sources and what was fitted.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHAPE = ("layers", "hidden", "heads", "vocab", "seq")
LLAMA = ("keys", "inner")  # heads of keys, width of the feed-forward layers: columns of rows of Llama forms
REMAT = {"none": "none", "full": "full", "selective": "attention.py*", "auto": "auto"}


def shape(*dims, kind=None):
    import jax
    import jax.numpy as jnp
    return jax.ShapeDtypeStruct(dims, kind or jnp.float32)


def gpt(layers, hidden, heads, vocab, seq):
    """GPT-2's loss and the shapes of its parameters."""
    import jax
    import jax.numpy as jnp
    from attention import attention

    def norm(p, x):
        x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p["scale"] + p["bias"]

    depth = hidden // heads
    two = {"scale": shape(hidden), "bias": shape(hidden)}
    block = {"ln1": two, "ln2": two,
             "attn": {"wqkv": shape(hidden, 3, heads, depth), "bqkv": shape(3, heads, depth), "wo": shape(heads, depth, hidden), "bo": shape(hidden)},
             "mlp": {"wi": shape(hidden, 4 * hidden), "bi": shape(4 * hidden), "wo": shape(4 * hidden, hidden), "bo": shape(hidden)}}
    params = {"wte": shape(vocab, hidden), "wpe": shape(seq, hidden), "blocks": [block] * layers, "lnf": two}

    def loss(params, x, y):
        h = params["wte"][x] + params["wpe"]
        for p in params["blocks"]:
            q, k, v = jnp.einsum("bsd,dchk->cbshk", norm(p["ln1"], h), p["attn"]["wqkv"]) + p["attn"]["bqkv"][:, None, None]
            h = h + jnp.einsum("bshk,hkd->bsd", attention(q, k, v), p["attn"]["wo"]) + p["attn"]["bo"]
            h = h + jax.nn.gelu(norm(p["ln2"], h) @ p["mlp"]["wi"] + p["mlp"]["bi"]) @ p["mlp"]["wo"] + p["mlp"]["bo"]
        logits = norm(params["lnf"], h) @ params["wte"].T
        return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, y[..., None], -1)[..., 0]).mean()

    return loss, params


def llama3(layers, hidden, heads, vocab, seq, keys=8, inner=None):
    """Llama 3's loss and the shapes of its parameters: by default eight heads of keys, an inner width of 13/4."""
    import jax
    import jax.numpy as jnp
    from attention import attention

    depth, inner = hidden // heads, inner or hidden * 13 // 4

    def norm(scale, x):
        return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def rotary(x):
        half = depth // 2
        angle = jnp.arange(seq, dtype=x.dtype)[:, None] * 5e5 ** (-jnp.arange(half, dtype=x.dtype) / half)
        c, s = jnp.cos(angle)[:, None], jnp.sin(angle)[:, None]
        return jnp.concatenate([x[..., :half] * c - x[..., half:] * s, x[..., half:] * c + x[..., :half] * s], -1)

    block = {"norm1": shape(hidden), "norm2": shape(hidden),
             "wq": shape(hidden, heads, depth), "wk": shape(hidden, keys, depth), "wv": shape(hidden, keys, depth), "wo": shape(heads, depth, hidden),
             "gate": shape(hidden, inner), "up": shape(hidden, inner), "down": shape(inner, hidden)}
    params = {"embed": shape(vocab, hidden), "head": shape(hidden, vocab), "norm": shape(hidden), "blocks": [block] * layers}

    def loss(params, x, y):
        h = params["embed"][x]
        for p in params["blocks"]:
            a = norm(p["norm1"], h)
            q = rotary(jnp.einsum("bsd,dhk->bshk", a, p["wq"]))
            k = jnp.repeat(rotary(jnp.einsum("bsd,dhk->bshk", a, p["wk"])), heads // keys, 2)
            v = jnp.repeat(jnp.einsum("bsd,dhk->bshk", a, p["wv"]), heads // keys, 2)
            h = h + jnp.einsum("bshk,hkd->bsd", attention(q, k, v), p["wo"])
            m = norm(p["norm2"], h)
            h = h + (jax.nn.silu(m @ p["gate"]) * (m @ p["up"])) @ p["down"]
        logits = norm(params["norm"], h) @ params["head"]
        return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, y[..., None], -1)[..., 0]).mean()

    return loss, params


MODELS = {"gpt": gpt, "llama3": llama3}


def write_text(model, size, batch, path):
    """A model's loss, from shapes alone."""
    import jax
    import jax.numpy as jnp
    loss, params = MODELS[model](**size)
    tokens = shape(batch, size["seq"], kind=jnp.int32)
    with open(path, "w") as f:
        f.write(jax.jit(loss).lower(params, tokens, tokens).as_text(debug_info=True))


def pipe(row):
    return row.get("pipe") or "1"


def text_of(row, folder):
    size = {key: int(row[key]) for key in SHAPE + LLAMA if row.get(key)}
    model = row.get("model") or "gpt"
    path = os.path.join(folder, model + "-" + "-".join(str(v) for v in size.values()) + f"-{row['global_batch']}.mlir")
    if not os.path.exists(path):
        write_text(model, size, int(row["global_batch"]), path)
    return path


def stages(row):
    """Options that put equally many layers in each part, the embedding in the first and the head in the last. If the layers do not divide, zcc cuts."""
    count = int(pipe(row))
    if count == 1 or row.get("schedule") == "auto":
        return []
    schedule, _, chunks = row["schedule"].partition(":")
    each, left = divmod(int(row["layers"]), count * int(chunks or 1))
    if left:
        return []
    return [f"--stage=blocks.{i}.*={i // each % count}" for i in range(int(row["layers"]))]


def disabled(row):
    return ["--disable=" + row["disable"].replace(" ", ",")] if row["disable"] else []


def as_run(row):
    """Axes, microbatches, schedule, stages and recomputation of the row, whatever memory that takes; where zcc chooses what was not published
    (microbatches `auto`), within the memory that there is."""
    order = (row.get("order") or "pipe data tensor").split()
    axes = [f"{name}={row[name]}" for name in order if int(row.get(name) or 1) > 1]
    return ["--mesh=" + (",".join(axes) or "1"), "--axis-order=given", "--microbatches=" + row["microbatches"], "--zero=" + (row.get("zero") or "0"),
            *([] if row["microbatches"] == "auto" else ["--memory=10TB"]), *disabled(row), "--remat=" + REMAT[row["remat"]], "--schedule=" + (row.get("schedule") or "auto"), *stages(row)]


def devices(row):
    return math.prod(int(row.get(name) or 1) for name in ("pipe", "data", "context", "tensor"))


def chosen(row):
    """Options that give only the number of devices and let zcc choose the rest."""
    return [f"--mesh={devices(row)}", "--microbatches=auto"]


def predict(row, options, name, args, folder):
    """The report, or None where zcc refuses; the path of its files, user seconds."""
    text = text_of(row, folder)
    own = f"{text[:-5]}-{pipe(row)}-{row['data']}-{row['tensor']}-{row['microbatches']}-{row['remat']}-{name}"
    command = [args.zcc, text, *options, "--precision=" + (row.get("precision") or "f16"), "--machine=" + (args.machine or row["machine"]),
               "--compile-to=" + args.to, "-o", own + ".out", "--report", own + ".json", "--quiet",
               *(["--trace", own + ".trace"] if args.kernels else []), *args.option]
    with open(own + ".err", "w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode != 0:
            print(f"{' '.join(command)}:\n{errors.read()}", file=sys.stderr)
            return None, own, usage.ru_utime
    os.remove(own + ".out")
    with open(own + ".json") as f:
        return json.load(f), own, usage.ru_utime


def list_kernels(path):
    """Seconds and number of runs by kind of kernel and collective."""
    sums = collections.defaultdict(list)
    with open(path) as f:
        for event in json.load(f)["traceEvents"]:
            if event["ph"] != "X":  # the names of ranks and streams
                continue
            sums[re.sub(r"^k\d+_", "", event["name"].split(": ")[-1].split(" ")[0])].append(event["dur"] / 1e6)
    for kind in sorted(sums, key=lambda k: -sum(sums[k]))[:16]:
        print(f"{'':24} {sum(sums[kind]):9.4f} s {len(sums[kind]):7d} x {sum(sums[kind]) / len(sums[kind]) * 1e6:9.1f} us  {kind}")


class Table:
    """Columns of these widths, or Markdown."""

    def __init__(self, widths, markdown):
        line = " ".join(f"{{:{width}}}" for width in widths)
        self.line = "| " + line.replace("} {", "} | {") + " |" if markdown else line
        self.rule = "|---" * len(widths) + "|" if markdown else ""

    def head(self, *cells):
        self.row(*cells)
        if self.rule:
            print(self.rule)

    def row(self, *cells):
        print(self.line.format(*cells), flush=True)


def name_of(row):
    return f"{row['source']} {row['row']}" + (", " + row["remat"] if row["remat"] != "full" else "") + (" *" if row["fit"] else "")


def memory(report):
    return f"{report['memory']['peak'] / 1e9:.1f} GB" if "memory" in report else ""


def compare_measured(rows, args, folder, pool):
    """Steps as they were run, beside what was measured. 1 if one is refused."""
    errors, refused = collections.defaultdict(list), 0
    table = Table(("<26", ">4", ">4", ">6", ">8", ">9", ">9", ">7", ">7", ">7"), args.table)
    table.head("row", "pipe", "data", "tensor", "batch", "predicted", "measured", "error", "memory", "user")
    for row, (report, own, user) in zip(rows, pool.map(lambda row: predict(row, as_run(row), "run", args, folder), rows)):
        count = report["microbatches"] if report else row["microbatches"]
        batch = f"{count} x {int(row['global_batch']) // int(row['data']) // count}" if report else count
        head = (name_of(row), pipe(row), row["data"], row["tensor"], batch)
        if not report:
            refused += 1
            table.row(*head, "refused", "", "", "", f"{user:.0f} s")
            continue
        seconds, measured = report["predicted"]["step_seconds"], float(row["seconds"])
        errors[row["source"]].append(seconds / measured - 1)
        table.row(*head, f"{seconds:.3f} s", f"{measured:.3f} s", f"{(seconds / measured - 1) * 100:+.1f} %", memory(report), f"{user:.0f} s")
        if args.kernels:
            list_kernels(own + ".trace")
    for source, own in errors.items():
        print(f"{source}: {sum(abs(e) for e in own) / len(own) * 100:.1f} % off on average, {max(abs(e) for e in own) * 100:.1f} % at most")
    return refused > 0


def plan_text(report):
    axes = [f"{name}={size}" for name, size in report["mesh"].items() if size > 1]
    return " ".join([",".join(axes) or "1", f"{report['microbatches']} x", report["schedule"] if "pipe" in report["mesh"] else "",
                     f"zero {report['zero']}"]).replace("  ", " ")


def compare_chosen(rows, args, folder, pool):
    """Beside the step as it was run, the plans that zcc chooses for its devices: with what the run did not have, and with all that zcc has.
    1 if one is refused or predicted slower."""
    worse = 0
    table = Table(("<26", ">7", ">10", ">9", "<18", "<56", ">9", ">7", ">8", ">6"), args.table)
    table.head("row", "devices", "as run", "memory", "without", "chosen", "predicted", "memory", "of run", "user")

    def compile_all(row):
        ways = {"run": as_run(row), "chosen": chosen(row)}
        if row["disable"]:
            ways["alike"] = chosen(row) + disabled(row)
        return {name: predict(row, options, name, args, folder) for name, options in ways.items()}

    for row, found in zip(rows, pool.map(compile_all, rows)):
        run = found["run"][0]
        for name in ("alike", "chosen"):
            if name not in found:
                continue
            report, _, user = found[name]
            head = (name_of(row), devices(row), f"{run['predicted']['step_seconds']:.3f} s" if run else "refused", memory(run) if run else "",
                    "what runs had not" if name == "alike" else "")
            if not report:
                worse += 1
                table.row(*head, "refused", "", "", "", f"{user:.0f} s")
                continue
            seconds = report["predicted"]["step_seconds"]
            share = seconds / run["predicted"]["step_seconds"] if run else 0
            worse += share > 1
            table.row(*head, plan_text(report), f"{seconds:.3f} s", memory(report), f"{share * 100:.1f} %", f"{user:.0f} s")
    return worse > 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zcc", default=os.path.join(ROOT, "build", "bin", "zcc"))
    p.add_argument("--rows", default=os.path.join(HERE, "steps.csv"))
    p.add_argument("--only", default="", help="rows whose source and name have this text")
    p.add_argument("--machine", help="another description than the row's")
    p.add_argument("--work", help="folder for texts and reports, kept")
    p.add_argument("--kernels", action="store_true", help="where the predicted time goes")
    p.add_argument("--option", action="append", default=[], help="a further option of zcc, as in --option=--disable=bucket")
    p.add_argument("--chosen", action="store_true", help="the plans that zcc chooses for the same devices, beside the rows as they were run")
    p.add_argument("--table", action="store_true", help="as Markdown")
    p.add_argument("--to", default="planned", help="phase: scheduled is soon there, but knows no memory")
    p.add_argument("--threads", type=int, default=2)
    args = p.parse_args()
    with open(args.rows) as f:
        rows = [row for row in csv.DictReader(f) if args.only in row["source"] + " " + row["row"]]
    with tempfile.TemporaryDirectory(prefix="zcc-published-") as temporary:
        folder = args.work or temporary
        os.makedirs(folder, exist_ok=True)
        for row in rows:
            text_of(row, folder)
        with concurrent.futures.ThreadPoolExecutor(args.threads) as pool:
            return (compare_chosen if args.chosen else compare_measured)(rows, args, folder, pool)


if __name__ == "__main__":
    sys.exit(main())
