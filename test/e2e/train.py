# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses and gradient norms of 20 steps against float64, on one and more ranks and in narrow types."""
from harness import *

MODELS = ["mlp", "gpt2", "gpt2-dropout", "gpt2-masked", "llama", "moe", "dlrm", "resnet"]


def test_one_device():
    for model in MODELS:
        check_parity(model, limit=5e-7)


def test_data_parallel():
    for model in MODELS:
        for ranks in (2, 4):
            check_parity(model, f"--mesh=data={ranks}", limit=2e-6)


def test_mixed_precision():
    for model, limit in (("mlp", 2e-2), ("gpt2", 2e-2), ("llama", 2e-2), ("resnet", 5e-2)):
        for precision in ("bf16", "f16"):
            check_parity(model, f"--precision={precision}", limit=limit)


def test_generic_text_gives_the_same_losses():
    compile_model("mlp")
    _, pretty = train("mlp", steps=3)
    call("zcc", os.path.join(DATA, "mlp", "loss.generic.mlir"), "-o", path("model.zexe"), "--quiet")
    _, generic = train("mlp", steps=3)
    assert [line["loss"] for line in pretty] == [line["loss"] for line in generic]


def test_planned_bytes_are_allocated():
    for model in ("mlp", "gpt2"):
        report = compile_model(model, "--mesh=data=2")
        head, _ = train(model, steps=2)
        assert head["planned_bytes"] == head["allocated_bytes"] == [report["memory"]["peak"]] * 2, head


def test_frozen_parameters_stay():
    compile_model("mlp", "--freeze=w1", "--freeze=b*")
    described, _ = call("zrun", path("model.zexe"), "--check")
    assert "4 frozen" in described, described
    train("mlp", "--save-params", path("after"), "--save-grads", path("grads"), steps=2)
    before, after = read_safetensors(os.path.join(DATA, "mlp", "params.safetensors")), read_safetensors(path("after"))
    assert sorted(k for k in before if before[k] != after[k]) == ["w2", "w3"]
    assert sorted(read_safetensors(path("grads"))) == ["w2", "w3"]


def test_threads_do_not_change_bits():
    compile_model("gpt2")
    runs = []
    for threads in (1, 2, 3):
        _, lines = train("gpt2", f"--threads={threads}", "--save-params", path(f"{threads}.safetensors"), steps=5)
        runs.append(([line["loss"] for line in lines], read_safetensors(path(f"{threads}.safetensors"))))
    assert runs[0] == runs[1] == runs[2]


def test_fusion_does_not_change_bits():
    for model in ("mlp", "gpt2", "resnet", "moe"):
        compile_model(model)
        _, fused = train(model, steps=5)
        compile_model(model, "--disable=fuse")
        _, plain = train(model, steps=5)
        assert [line["loss"] for line in fused] == [line["loss"] for line in plain], model


run(globals())
