# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `cuda` without a GPU: whole programs on the stand-in for the driver (test/cuda-stand-in).

Executed on the host, they train as on a CPU; recorded, with the code for real chips, all that is enqueued is in order.
"""
from harness import *

DRIVER = os.path.join(BIN, "..", "lib", "libzcc-cuda-stand-in.so")
STEPS = 3


def stand_in(words):
    os.environ["ZCC_CUDA_STAND_IN"] = words


def train_on_gpus(model, *options, exe="model.zexe"):
    return [line["loss"] for line in train(model, "--cuda-driver", DRIVER, "--cublaslt", DRIVER, "--cudnn", DRIVER, *options, steps=STEPS, exe=exe)[1]]


def executed(model, *options, bar=1e-5):
    """Losses of the same plan on a CPU and on GPUs, in two orders of streams; the report of the latter."""
    compile_model(model, "--target=cpu", *options, exe="cpu.zexe")
    wanted = [line["loss"] for line in train(model, steps=STEPS, exe="cpu.zexe")[1]]
    report = compile_model(model, "--target=cuda", "--cuda-arch=host", *options)
    for words in ("seed=1", "seed=2,gpus=2"):
        stand_in(words)
        error = off(train_on_gpus(model), wanted)
        assert error <= bar, f"{model} {options} {words}: losses off by {error:.1e}, bar {bar:.0e}"
    return report


def test_trains_mlp():
    executed("mlp")
    executed("mlp", "--mesh=data=2,tensor=2", "--zero=3", "--microbatches=2")


def test_trains_dlrm():
    executed("dlrm")
    executed("dlrm", "--mesh=data=2,tensor=2")


def test_trains_resnet():
    executed("resnet")
    executed("resnet", "--mesh=data=2,tensor=2")


def test_trains_transformers():
    executed("llama")
    executed("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=1")


def test_trains_in_16_bits():
    # Attention of the library, forward and backward; in llama generated, beside products of the library.
    executed("gpt2", "--precision=bf16", bar=2e-2)
    executed("llama", "--precision=bf16", "--mesh=data=2", bar=2e-2)
    executed("resnet", "--precision=bf16", bar=2e-2)


def recorded(model, *options):
    compile_model(model, "--target=cuda", "--cuda-arch=sm_80,sm_90", *options)
    facts, _ = call("write_kernel_facts", path("model.zexe"))
    with open(path("facts"), "w") as f:
        f.write(facts)
    stand_in(f"mode=record,capability=90,kernels={path('facts')}")
    train_on_gpus(model)


MODELS = ("mlp", "dlrm", "llama", "moe", "gpt2-dropout")


def test_order_of_plain_programs():
    for model in (*MODELS, "resnet"):
        recorded(model)
        recorded(model, "--mesh=data=2,tensor=2", "--zero=3")
    recorded("gpt2", "--mesh=data=2", "--precision=bf16")


def test_order_of_microbatches():
    for model in MODELS:
        recorded(model, "--mesh=data=2", "--zero=1", "--microbatches=4")
        recorded(model, "--mesh=data=4,tensor=2", "--zero=2", "--microbatches=4")


def test_order_of_offload_and_recomputation():
    for model in MODELS:
        recorded(model, "--mesh=data=2", "--zero=3", "--offload=optimizer")
        recorded(model, "--mesh=data=2", "--remat=full", "--offload=activations")


def test_order_of_streams():
    for model, *options in ON_STREAMS.values():
        recorded(model, *options, slow_machine())


def test_a_package_runs_alone():
    repository = os.path.join(HERE, "..", "..")
    package = [os.path.join(repository, "tools", "package"), "--bin", BIN, "--arch=host", "--models=mlp", "--gpt=", "-o", path("p.tar.xz")]
    subprocess.run(package, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["tar", "xf", path("p.tar.xz"), "-C", WORK], check=True)
    stand_in("seed=3")
    program = [sys.executable, path("zcc-gpu/run.py"), "--driver", os.path.abspath(DRIVER), "--cublaslt", os.path.abspath(DRIVER), "--cudnn", os.path.abspath(DRIVER),
               "--steps=5"]
    p = subprocess.run(program, capture_output=True, text=True)
    assert p.returncode == 0 and p.stdout.splitlines()[-1] == "9 passed, 0 failed", p.stdout + p.stderr


run(globals())
