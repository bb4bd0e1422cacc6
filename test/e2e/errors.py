# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bad input is refused with a message that says what was expected and found, and leaves nothing behind."""
from harness import *

GOOD = open(model_text("mlp")).read()


def compile_refused(text, says):
    source, out = path("bad.mlir"), path("bad.zexe")
    with open(source, "w", newline="") as f:
        f.write(text)
    refused("zcc", source, "-o", out, says=says, leaves_no=out)


def test_models():
    compile_refused("", "main")
    compile_refused(GOOD[: len(GOOD) // 2], "expected")
    compile_refused("hello", "hello")
    compile_refused("\x00\x01\x02", "expected")
    compile_refused(GOOD.replace("stablehlo.tanh", "stablehlo.tanhh", 1), "tanhh")
    compile_refused(GOOD.replace("tensor<64x64xf32>", "tensor<64x65xf32>", 1), "64x65")
    compile_refused("module {}\n", "main")
    compile_refused('func.func @main(%a: tensor<4xf32> loc("params[\'a\']")) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n', "scalar")
    compile_refused('func.func @main(%a: tensor<f32> {zcc.input = "a"}) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n', "parameter")
    compile_refused(GOOD.replace("-> (tensor<f32>", "-> (tensor<i32>", 1), "tensor<i32>")


def test_places_are_named():
    source = path("place.mlir")
    with open(source, "w") as f:
        f.write("module {\n  func.func @main() -> tensor<f32> {\n    %0 = stablehlo.nothing : tensor<f32>\n  }\n}\n")
    refused("zcc", source, says="place.mlir:3:10: error:")


def test_options():
    out = path("bad.zexe")
    for option, says in (("--mesh=0", "--mesh"), ("--mesh=8xx8", "8xx8"), ("--mesh=data=-1", "data=-1"),
                         ("--mesh=data=2,data=2", "twice"), ("--precision=f7", "f7"), ("--optimizer=adam", "adamw"), ("--zero=9", "9"), ("--offload=gradients", "none|auto|optimizer|activations|parameters"), ("--offload-to=disk", "not yet"), ("--offload-to=nvme", "host|disk"),
                         ("--nonsense", "nonsense"), ("--machine=/nonexistent", "/nonexistent"), ("--compile-to=soup", "soup"),
                         ("--memory=lots", "lots"), ("--disable=everything", "everything"), ("--compress=f4", "none|auto|bf16|f8|int8"),
                         ("--schedule=interleaved:x", "2 to 1024 chunks, found 'x'"),
                         ("--schedule=gpip", "auto|gpipe|1f1b|interleaved:V|zb-h1|zb-h2|zb-v"), ("--parameters=0", "--parameters"),
                         ("--explain=nothing", "is called 'nothing'; near are"), ("--mesh=pipe=999", "cannot be cut into 999 parts"), ("--mesh=micro=2", "micro"), ("--cpu=quantum", "quantum"),
                         ("--target=cuda,cpu", "cpu|cuda|reference")):
        refused("zcc", model_text("mlp"), "-o", out, "--quiet", option, says=says, leaves_no=out)
    refused("zcc", path("nowhere.mlir"), "-o", out, says="nowhere.mlir", leaves_no=out)
    refused("zcc", model_text("mlp"), "-o", "/nonexistent/x.zexe", "--quiet", says="/nonexistent/x.zexe")
    refused("zcc", model_text("mlp"), "--compile-from=tasks", "-o", out, says="cannot stand in a function of phase tasks", leaves_no=out)
    refused("zcc", model_text("mlp"), "--compile-from=step", "--compile-to=graph", says="before")


def test_buffers_without_a_plan():
    refused("zcc", model_text("mlp"), "--compile-to=step", "-o", path("step.mlir"), "--buffers", path("b.csv"), says="memory plan",
            leaves_no=path("step.mlir"))


def test_memory_that_does_not_suffice():
    refused("zcc", model_text("gpt2"), "--memory=1MB", "-o", path("x.zexe"), "--quiet", says="parameters", leaves_no=path("x.zexe"))


def zrun_refused(*options, says, status=2, steps=2, model="mlp"):
    base = {"--params": os.path.join(DATA, model, "params.safetensors"), "--batches": os.path.join(DATA, model, "batches.safetensors"),
            "--steps": steps}
    options = [o for o in options]
    for given in options[::2]:
        if given in base:
            del base[given]
    refused("zrun", path("model.zexe"), *[x for pair in base.items() for x in pair], *options, says=says, status=status)


def test_runs():
    compile_model("mlp")
    zrun_refused("--steps", 0, says="--steps")
    zrun_refused("--lr", -1, says="--lr")
    zrun_refused("--params", os.path.join(DATA, "dlrm", "params.safetensors"), says="w1")
    zrun_refused("--batches", os.path.join(DATA, "dlrm", "batches.safetensors"), says="image")
    zrun_refused("--log", "/nonexistent/log", says="/nonexistent/log")
    compile_model("gpt2")
    with open(path("short"), "wb") as f:
        f.write(b"abc")
    refused("zrun", path("model.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"), "--tokens", path("short"),
            "--token-type", "u8", "--steps", 1, says="short")


def test_values_beyond_the_tables():
    compile_model("gpt2")
    with open(path("tokens"), "wb") as f:
        f.write(struct.pack("<4096H", *[300 if i == 12 else i % 256 for i in range(4096)]))
    refused("zrun", path("model.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"), "--tokens", path("tokens"),
            "--token-type", "u16", "--steps", 40, says="token 300 at position 12 of " + path("tokens") + " exceeds the vocabulary of 256")


def test_damaged_executables():
    compile_model("mlp", "--mesh=data=2")
    with open(path("model.zexe"), "rb") as f:
        whole = f.read()
    for i in range(40):
        damaged = bytearray(whole)
        at = (i * 7919 + 13) % len(whole)
        if i % 2:
            damaged = damaged[:at]
        else:
            damaged[at] ^= 1 << (i % 8)
        with open(path("model.zexe"), "wb") as f:
            f.write(damaged)
        zrun_refused(says="model.zexe")


def test_nan_stops_and_names_the_parameter():
    compile_model("mlp", "--optimizer=sgd")
    zrun_refused("--lr", "1e30", says="step", status=1, steps=20)
    zrun_refused("--lr", "1e30", "--on-nan", "find", says="NaN begins in", status=1, steps=20)


run(globals())
