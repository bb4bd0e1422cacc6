# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains texts of PyTorch modules (test/torch/write_texts.py), and holds the losses against PyTorch's in float64."""
from harness import *

MODULES = ["torch-llama", "torch-lora", "torch-bert", "torch-t5", "torch-habits"]


def check(*options, modules=MODULES, limit=5e-6):
    for module in modules:
        frozen = [f"--freeze={name}" for name in reference(module)["frozen"]]
        compile_model(module, *frozen, *options)
        _, lines = train(module, steps=5)
        ref = reference(module)
        assert off([line["loss"] for line in lines], ref["loss"]) <= limit, f"{module} {options}: {[line['loss'] for line in lines]}, {ref['loss']}"
        worst = off([line["grad_norm"] for line in lines], ref["grad_norm"])
        assert worst <= 10 * limit, f"{module} {options}: gradient norms off by {worst:.1e}"


def test_one_device():
    check()


def test_data_and_tensor_parallel():
    check("--mesh=data=2,tensor=2", "--zero=3")


def test_stages():
    check("--mesh=pipe=2", "--microbatches=4", modules=["torch-llama", "torch-lora", "torch-bert"])


def test_bare_mesh():
    check("--mesh=4")


def test_frozen_parameters_have_no_state():
    frozen = [f"--freeze={name}" for name in reference("torch-lora")["frozen"]]
    adapters, whole = compile_model("torch-lora", *frozen)["memory"], compile_model("torch-lora")["memory"]
    assert adapters["optimizer"] < 0.2 * whole["optimizer"] and adapters["gradients"] < 0.2 * whole["gradients"], (adapters, whole)


run(globals())
