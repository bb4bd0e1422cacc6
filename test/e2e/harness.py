# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and trains the models of test/data with the built programs. Standard library only.

A test is a script that defines functions test_*(); run(globals()) runs those named on the command line (all by
default) and ends with `N passed, N failed`. Usage: SCRIPT BIN_FOLDER [TEST...]
"""
import array
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, ".."))
from kernels import kernel_cache

DATA = os.path.join(HERE, "..", "data")
EXAMPLES = os.path.join(HERE, "..", "..", "examples")
BIN = os.path.abspath(sys.argv[1])
WORK = tempfile.mkdtemp(prefix="zcc-e2e-")
KERNELS = kernel_cache(BIN)


def path(name):
    return os.path.join(WORK, name)


def model_text(model):
    return os.path.join(EXAMPLES, "gpt", "loss.mlir") if model == "gpt2" else os.path.join(DATA, model, "loss.mlir")


def call(program, *args, status=0, stdin=None):
    """Runs one of the built programs; returns (stdout, stderr). Any other exit status is a failure."""
    if program == "zcc":
        args = [*args, KERNELS]
    p = subprocess.run([os.path.join(BIN, program), *map(str, args)], capture_output=True, text=True, errors="replace",
                       timeout=600, input=stdin)
    assert p.returncode == status, f"{program} {' '.join(map(str, args))}: exit {p.returncode}, expected {status}: {p.stderr[-400:]}"
    return p.stdout, p.stderr


def refused(program, *args, says, status=2, leaves_no=None):
    _, err = call(program, *args, status=status)
    assert "error:" in err and says in err, f"expected 'error:' and '{says}' in {err!r}"
    assert not leaves_no or not os.path.exists(leaves_no), f"left {leaves_no} behind"


def reference(model):
    with open(os.path.join(DATA, model, "reference.json")) as f:
        return json.load(f)


def compile_model(model, *options, exe="model.zexe"):
    call("zcc", model_text(model), "-o", path(exe), "--report", path("report.json"), "--quiet", *options)
    with open(path("report.json")) as f:
        return json.load(f)


# Programs with several streams, where the machine is slow_machine(): a model and options.
ON_STREAMS = {"overlap": ("gpt2", "--mesh=data=4", "--zero=1"),
              "ZeRO 3, gathered": ("gpt2", "--mesh=data=2,tensor=2", "--zero=3", "--state=*=gather"),
              "microbatches": ("moe", "--mesh=data=2", "--zero=3", "--microbatches=2"),
              "ring": ("gpt2", "--mesh=context=3"),
              "stages": ("gpt2", "--mesh=pipe=2,data=2", "--zero=3", "--microbatches=4", "--schedule=1f1b", "--state=*=gather")}


def slow_machine():
    """The option for ranks with a link that is worth hiding."""
    with open(path("slow.machine"), "w") as f:
        f.write('name: "slow"\nranks_share_node: true\npeaks { type: "f32" flops: 20e9 }\n'
                'memories { name: "device" bytes: 24e9 bandwidth: 20e9 }\nlinks { name: "slow" latency: 1e-6 bandwidth: 0.4e9 }\n')
    return f"--machine={path('slow.machine')}"


def training_options(model):
    return [f"--{k.replace('_', '-')}={v}" for k, v in reference(model)["training"].items() if k != "optimizer"]


def train(model, *options, steps=20, exe="model.zexe", log="log.jsonl"):
    """Trains; returns the head line and the step lines of the log."""
    if os.path.exists(path(log)):
        os.remove(path(log))
    call("zrun", path(exe), "--params", os.path.join(DATA, model, "params.safetensors"),
         "--batches", os.path.join(DATA, model, "batches.safetensors"), "--steps", steps, "--log", path(log),
         *training_options(model), *options)
    with open(path(log)) as f:
        lines = [json.loads(line) for line in f]
    return lines[0], [line for line in lines if "step" in line]


def off(got, want):
    """Largest relative error."""
    assert len(got) == len(want), f"{len(got)} steps logged of {len(want)}"
    return max(abs(a - b) / max(abs(b), 1e-12) if isinstance(a, (int, float)) and math.isfinite(a) else math.inf
               for a, b in zip(got, want))


def check_parity(model, *options, limit, norm_limit=None, steps=20):
    compile_model(model, *options)
    _, lines = train(model, steps=steps)
    ref = reference(model)
    jax = ref["jax_float32"]
    limit = max(limit, 3 * off(jax["loss"], ref["loss"]))
    error = off([line["loss"] for line in lines], ref["loss"][:steps])
    assert error <= limit, f"{model} {options}: loss off by {error:.1e}, bar {limit:.0e}"
    norm_limit = max(norm_limit or 20 * limit, 3 * off(jax["grad_norm"], ref["grad_norm"]))
    error = off([line["grad_norm"] for line in lines], ref["grad_norm"][:steps])
    assert error <= norm_limit, f"{model} {options}: gradient norm off by {error:.1e}, bar {norm_limit:.0e}"


def read_safetensors(file):
    """{name: (dtype, shape, bytes)}"""
    with open(file, "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        head, body = json.loads(f.read(n)), f.read()
    return {k: (v["dtype"], v["shape"], body[slice(*v["data_offsets"])]) for k, v in head.items() if k != "__metadata__"}


def write_safetensors(file, tensors):
    """Writes tensors {name: (dtype, shape, values)} of type F32, I32 or U32."""
    head, body = {}, b""
    for name, (kind, shape, values) in tensors.items():
        data = array.array({"F32": "f", "I32": "i", "U32": "I"}[kind], values).tobytes()
        head[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + body)


def run(scope):
    names = sys.argv[2:] or [n for n in scope if n.startswith("test_")]
    failed = 0
    for name in names:
        try:
            scope[name]()
            print(f"ok      {name}")
        except Exception as error:
            failed += 1
            print(f"FAILED  {name}: {error}")
            if not isinstance(error, AssertionError):
                traceback.print_exc()
    subprocess.run(["rm", "-rf", WORK])
    print(f"{len(names) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
