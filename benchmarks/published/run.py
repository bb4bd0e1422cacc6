#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted against published step times of GPT models on GPU machines: the rows of steps.csv, as they were run.

    python3 benchmarks/published/run.py [--zcc build/bin/zcc] [--rows FILE.csv] [--only TEXT] [--machine NAME-OR-FILE] [--option=OPTION] [--table]

Writes each row's model from shapes (jax; nothing is allocated), compiles it for the row's mesh to phase `scheduled` and asks the
simulator. `*` marks the rows that figures of the machine were fitted on. --kernels says where the predicted time goes. README.md
has the sources and what was fitted.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SHAPE = ("layers", "hidden", "heads", "vocab", "seq")
REMAT = {"full": "full", "selective": "attention.py*"}


def write_gpt(layers, hidden, heads, vocab, seq, batch, path):
    """GPT-2's loss, from shapes alone."""
    import jax
    import jax.numpy as jnp
    from attention import attention

    def shape(*dims, kind=jnp.float32):
        return jax.ShapeDtypeStruct(dims, kind)

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

    tokens = shape(batch, seq, kind=jnp.int32)
    with open(path, "w") as f:
        f.write(jax.jit(loss).lower(params, tokens, tokens).as_text(debug_info=True))


def text_of(row, folder):
    size = {key: int(row[key]) for key in SHAPE}
    path = os.path.join(folder, "-".join(str(v) for v in size.values()) + f"-{row['global_batch']}.mlir")
    if not os.path.exists(path):
        write_gpt(**size, batch=int(row["global_batch"]), path=path)
    return path


def predict(row, args, folder):
    text = text_of(row, folder)
    own = f"{text[:-5]}-{row['data']}-{row['tensor']}-{row['microbatches']}-{row['remat']}"
    axes = [f"{name}={row[name]}" for name in ("data", "tensor") if int(row[name]) > 1]
    command = [args.zcc, text, "--mesh=" + (",".join(axes) or "1"), "--microbatches=" + row["microbatches"], "--precision=f16", "--zero=0",
               "--machine=" + (args.machine or row["machine"]), "--memory=10TB", "--disable=" + row["disable"].replace(" ", ","),
               "--remat=" + REMAT[row["remat"]], "--compile-to=scheduled", "-o", own + ".scheduled", "--report", own + ".json", "--quiet",
               *(["--trace", own + ".trace"] if args.kernels else []), *args.option]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}:\n{done.stderr}")
    os.remove(own + ".scheduled")
    with open(own + ".json") as f:
        return json.load(f)["predicted"], own


def list_kernels(path):
    """Seconds and number of runs by kind of kernel and collective."""
    sums = collections.defaultdict(list)
    with open(path) as f:
        for event in json.load(f)["traceEvents"]:
            sums[re.sub(r"^k\d+_", "", event["name"].split(": ")[-1].split(" ")[0])].append(event["dur"] / 1e6)
    for kind in sorted(sums, key=lambda k: -sum(sums[k]))[:16]:
        print(f"{'':24} {sum(sums[kind]):9.4f} s {len(sums[kind]):7d} x {sum(sums[kind]) / len(sums[kind]) * 1e6:9.1f} us  {kind}")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--zcc", default=os.path.join(ROOT, "build", "bin", "zcc"))
    p.add_argument("--rows", default=os.path.join(HERE, "steps.csv"))
    p.add_argument("--only", default="", help="rows whose source and name have this text")
    p.add_argument("--machine", help="another description than the row's")
    p.add_argument("--work", help="folder for texts and reports, kept")
    p.add_argument("--kernels", action="store_true", help="where the predicted time goes")
    p.add_argument("--option", action="append", default=[], help="a further option of zcc, as in --option=--disable=bucket")
    p.add_argument("--table", action="store_true", help="as Markdown")
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
            answers = list(pool.map(lambda row: predict(row, args, folder), rows))
        errors = collections.defaultdict(list)
        line = "| {:22} | {:>4} | {:>6} | {:>8} | {:>9} | {:>8} | {:>7} |" if args.table else "{:22} {:>4} {:>6} {:>8} {:>9} {:>8} {:>7}"
        print(line.format("row", "data", "tensor", "batch", "predicted", "measured", "error"))
        if args.table:
            print("|---" * 7 + "|")
        for row, (predicted, own) in zip(rows, answers):
            seconds, measured = predicted["step_seconds"], float(row["seconds"])
            errors[row["source"]].append(seconds / measured - 1)
            micro = int(row["global_batch"]) // int(row["data"]) // int(row["microbatches"])
            name = f"{row['source']} {row['row']}" + (", " + row["remat"] if row["remat"] != "full" else "") + (" *" if row["fit"] else "")
            print(line.format(name, row["data"], row["tensor"], f"{row['microbatches']} x {micro}", f"{seconds:.3f} s", f"{measured:.3f} s",
                              f"{(seconds / measured - 1) * 100:+.1f} %"))
            if args.kernels:
                list_kernels(own + ".trace")
        for source, own in errors.items():
            print(f"{source}: {sum(abs(e) for e in own) / len(own) * 100:.1f} % off on average, {max(abs(e) for e in own) * 100:.1f} % at most")


if __name__ == "__main__":
    main()
