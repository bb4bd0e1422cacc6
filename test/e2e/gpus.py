# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The target `cuda` without a GPU: whole programs on the stand-in for the driver (test/cuda-stand-in).

Executed on the host, they train as on a CPU; recorded, with the code for real chips, all that is enqueued is in order.
"""
import shutil

from harness import *

sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import launch

DRIVER = os.path.join(BIN, "..", "lib", "libzcc-cuda-stand-in.so")
STEPS = 3


def stand_in(words):
    os.environ["ZCC_CUDA_STAND_IN"] = words


def train_on_gpus(model, *options, exe="model.zexe", steps=STEPS):
    return [line["loss"] for line in train(model, "--cuda-driver", DRIVER, "--cublaslt", DRIVER, "--cudnn", DRIVER, *options, steps=steps, exe=exe)[1]]


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
    executed("gpt2-masked")
    executed("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=1")


def test_trains_in_16_bits():
    # Attention of the library, forward and backward; in llama its operands are copied to where the library reads them.
    executed("gpt2", "--precision=bf16", bar=2e-2)
    executed("llama", "--precision=bf16", "--mesh=data=2", bar=2e-2)
    executed("resnet", "--precision=bf16", bar=2e-2)
    # Its 64 keys are no whole block of the library's, so that the gradient is generated for tensor cores.
    executed("gpt2-dropout", "--precision=bf16", bar=2e-2)


def test_trains_in_tf32():
    """Within the rounding of operands to 10 bits of f32, and not the same."""
    for model, *options in (("gpt2-masked", "--mesh=data=2"), ("resnet",)):
        compile_model(model, "--target=cuda", "--cuda-arch=host", *options)
        stand_in("seed=1")
        wanted = train_on_gpus(model)
        report = compile_model(model, "--target=cuda", "--cuda-arch=host", "--precision=tf32", *options)
        assert report["precision"] == "tf32"
        got = train_on_gpus(model)
        assert got != wanted and off(got, wanted) <= 2e-3, f"{model}: {got}, in f32 {wanted}"


def test_tunes_products():
    """The fastest of the library's algorithms, which the stand-in's sums tell apart, for all ranks and later runs."""
    kept = path("tuned")

    def trains(words, *options):
        """The losses, and the parameters at the end."""
        stand_in(words)
        losses = train_on_gpus("mlp", "--save-params", path("end.safetensors"), *options)
        with open(path("end.safetensors"), "rb") as f:
            return losses, f.read()

    compile_model("mlp", "--target=cuda", "--cuda-arch=host", "--mesh=data=2")
    untuned = trains("algorithms=3:2")
    tuned = trains("algorithms=3:2", "--tune", kept)
    assert tuned[1] != untuned[1] and off(tuned[0], untuned[0]) <= 1e-5
    with open(kept) as f:
        lines = f.read()
    assert lines.startswith("zcc-tune 1\ncuBLASLt 13.0.0 on stand-in, host\n") and " us\n" in lines, lines
    # The file decides, and no new measurement, whatever the order of streams.
    for words in ("algorithms=3:0", "seed=2,gpus=2,algorithms=3:2"):
        assert trains(words, "--tune", kept) == tuned, words
    # Another program adds its own.
    compile_model("mlp", "--target=cuda", "--cuda-arch=host")
    trains("algorithms=3:1", "--tune", kept)
    with open(kept) as f:
        more = f.read()
    assert set(lines.splitlines()[:-1]) < set(more.splitlines()), more
    line = ["--params", os.path.join(DATA, "mlp", "params.safetensors"), "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps=1",
            "--cuda-driver", DRIVER, "--cublaslt", DRIVER, *training_options("mlp")]
    for words, name, says in (("algorithms=3:2,name=other", kept, "has algorithms of cuBLASLt 13.0.0 on stand-in, host, this is cuBLASLt 13.0.0 on other, host"),
                              ("algorithms=3:2,cublaslt=130100", kept, "this is cuBLASLt 13.1.0 on stand-in, host"),
                              ("algorithms=1:0", kept, "is none that cuBLASLt 13.0.0 on stand-in, host takes"),
                              ("", path("damaged"), "is damaged: its checksum is not that of its lines"),
                              ("", path("foreign"), 'begins otherwise than with "zcc-tune 1"'),
                              ("", path("empty"), "is empty"),
                              ("", path("none/x"), "none/x")):
        for other, words_of in (("damaged", more.replace("x", "X", 1)), ("foreign", "{}"), ("empty", "")):
            with open(path(other), "w") as f:
                f.write(words_of)
        stand_in(words)
        refused("zrun", path("model.zexe"), "--tune", name, *line, says=says)


def record(model, *options, words=""):
    facts, _ = call("write_kernel_facts", path("model.zexe"))
    with open(path("facts"), "w") as f:
        f.write(facts)
    stand_in(f"mode=record,capability=90,kernels={path('facts')}{words}")
    train_on_gpus(model, *options)


def recorded(model, *options):
    compile_model(model, "--target=cuda", "--cuda-arch=sm_80,sm_90", *options)
    record(model)


def test_zero_stages_have_the_same_bits():
    """Over the GPUs' memory and over the host's, on one GPU and on several."""
    for model in ("mlp", "gpt2-masked"):
        seen = {}
        for zero in range(4):
            compile_model(model, "--target=cuda", "--cuda-arch=host", "--mesh=data=2,tensor=2", f"--zero={zero}")
            for words, *options in (("seed=1", "--collectives=device"), ("seed=2,gpus=4",), ("seed=3", "--collectives=host"))[:3 if zero % 3 == 0 else 1]:
                stand_in(words)
                seen.setdefault(tuple(train_on_gpus(model, *options)), []).append((zero, words))
        assert len(seen) == 1, f"{model}: losses differ: {seen}"


SCHEDULES = ("1f1b", "zb-h1", "interleaved:2")


def pipelines(target="--cuda-arch=host", model="gpt2-masked"):
    """Compiles each schedule for stages, alone and with other axes."""
    for mesh in ("pipe=2", "pipe=2,data=2"):
        for schedule in SCHEDULES:
            compile_model(model, "--target=cuda", target, f"--mesh={mesh}", f"--schedule={schedule}", "--microbatches=4", "--zero=1")
            yield mesh, schedule


def one_device(model="gpt2-masked"):
    compile_model(model, "--target=cpu", exe="cpu.zexe")
    return [line["loss"] for line in train(model, steps=STEPS, exe="cpu.zexe")[1]]


def check_curves(seen, wanted):
    """One for each mesh."""
    for mesh, losses in seen.items():
        assert len(losses) == 1, f"{mesh}: losses differ: {losses}"
        error = off(list(*losses), wanted)
        assert error <= 1e-5, f"{mesh}: losses off by {error:.1e}, bar 1e-5"


def test_trains_pipelines():
    """Transfers from GPU to GPU, on one and on several, and through the host give the same bits, whatever the schedule."""
    wanted, seen = one_device(), {}
    for mesh, schedule in pipelines():
        for words, *options in (("seed=2,gpus=4", ), ("seed=1", ), ("seed=3", "--collectives=host"))[:3 if schedule == "1f1b" else 1]:
            stand_in(words)
            seen.setdefault(mesh, {}).setdefault(tuple(train_on_gpus("gpt2-masked", *options)), []).append((schedule, words))
    check_curves(seen, wanted)


def test_trains_pipelines_as_processes():
    wanted, seen = one_device(), {}
    for mesh, schedule in pipelines():
        stand_in("gpus=4,threads=12")
        losses = train_as_processes("gpt2-masked", 4 if "data" in mesh else 2)
        seen.setdefault(mesh, {}).setdefault(tuple(losses), []).append(schedule)
    check_curves(seen, wanted)


def test_order_of_pipelines():
    for _ in pipelines("--cuda-arch=sm_90"):
        for collectives in ("device", "nccl"):
            record("gpt2-masked", "--collectives", collectives, "--nccl", DRIVER, words=",gpus=4")


def test_streams_that_share_queues_are_found():
    """With fewer queues of the GPU than streams, work that need not wait for a receive stands behind it."""
    compile_model("gpt2-masked", "--target=cuda", "--cuda-arch=sm_90", "--mesh=pipe=2", "--microbatches=4")
    os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"
    try:
        record("gpt2-masked", "--collectives=nccl", "--nccl", DRIVER, words=",gpus=2")
        found = ""
    except AssertionError as error:
        found = str(error)
    finally:
        del os.environ["CUDA_DEVICE_MAX_CONNECTIONS"]
    assert " stands behind " in found, f"nothing was found: {found}"


def test_old_drivers_take_the_text_of_kernels():
    """The assembler of CUDA 13 makes cubins that a driver of CUDA 12 refuses."""
    ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
    if not ptxas or "release 12" in subprocess.run([ptxas, "--version"], capture_output=True, text=True).stdout:
        return
    compile_model("mlp", "--target=cuda", "--cuda-arch=sm_90")
    loads = []
    for version in (13000, 12080):
        record("mlp", words=f",version={version},cublaslt=120800,counts={path('counts')}")
        with open(path("counts")) as f:
            loads.append(int(dict(map(str.split, f))["cuModuleLoadDataEx"]))
    assert loads[1] == 2 * loads[0], f"{loads} images were tried, expected each cubin, and then its text"


def train_as_processes(model, count, *options, own=lambda rank: {}):
    """Losses of the program, whose ranks are processes; `own`: variables of each."""
    line = [os.path.join(BIN, "zrun"), path("model.zexe"), "--params", os.path.join(DATA, model, "params.safetensors"),
            "--batches", os.path.join(DATA, model, "batches.safetensors"), f"--steps={STEPS}", "--log", path("log.jsonl"),
            "--cuda-driver", DRIVER, "--cublaslt", DRIVER, "--nccl", DRIVER, *training_options(model), *options]
    os.path.exists(path("log.jsonl")) and os.remove(path("log.jsonl"))
    processes = launch.start([line] * count, own, stderr=subprocess.PIPE, text=True)
    errors = [p.communicate(timeout=120)[1] for p in processes]
    assert [p.returncode for p in processes] == [0] * count, errors
    with open(path("log.jsonl")) as f:
        return [line["loss"] for line in map(json.loads, f) if "step" in line]


def test_trains_as_processes():
    """Collectives by NCCL, whose sums have another order."""
    for model, *options in (("mlp", "--mesh=data=2", "--zero=3"), ("llama", "--mesh=tensor=2")):
        compile_model(model, "--target=cuda", "--cuda-arch=host", *options)
        stand_in("gpus=2")
        wanted = train_on_gpus(model)
        os.path.exists(path("tuned")) and os.remove(path("tuned"))
        got = train_as_processes(model, 2, "--tune", path("tuned"))
        error = off(got, wanted)
        assert error <= 1e-5, f"{model} {options}: losses off by {error:.1e}, bar 1e-5"
        # The same if the launcher shows each rank only its own GPU.
        again = train_as_processes(model, 2, "--tune", path("tuned"), own=lambda rank: {"CUDA_VISIBLE_DEVICES": str(1 - rank)})
        assert again == got, f"{model} {options}: another numbering of GPUs gives {again}, not {got}"


MODELS = ("mlp", "dlrm", "llama", "moe", "gpt2-dropout")


def test_order_of_plain_programs():
    for model in (*MODELS, "resnet"):
        recorded(model)
        recorded(model, "--mesh=data=2,tensor=2", "--zero=3")
    recorded("gpt2", "--mesh=data=2", "--precision=bf16")
    # Operands of attention and convolutions that are copied for the library.
    recorded("llama", "--mesh=tensor=2", "--precision=bf16", "--remat=full")
    recorded("resnet", "--precision=bf16")


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


def test_events_that_are_taken_away_are_found():
    """If a program lacks one of the waits that it needs, that is found, whatever the timing."""
    torn = 0
    for model, *options in ON_STREAMS.values():
        recorded(model, *options, slow_machine())
        said, _ = call("tear_waits", path("model.zexe"), DRIVER, 24)
        torn += int(said.split()[-4])
    assert torn >= 50, f"{torn} waits were taken away"


def calls_of_a_step(model, *options):
    """Calls of the driver in a step, once its tasks are graphs: the mean of many steps, since only some find their inputs brought ahead."""
    counts, few, many = [], 4, 36
    compile_model(model, "--target=cuda", "--cuda-arch=sm_90", *options)
    record(model, words=f",counts={path('counts')}")
    for steps in (few, many):
        train_on_gpus(model, steps=steps)
        with open(path("counts")) as f:
            counts.append({name: int(count) for name, count in map(str.split, f)})
    before, after = counts
    return {name: (count - before.get(name, 0)) / (many - few) for name, count in after.items() if count != before.get(name, 0)}


def test_a_step_only_enqueues():
    """A step allocates, creates, loads and frees nothing, and waits only for its results."""
    for model, *options in (("mlp",), ("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=3"), ("gpt2-dropout", "--mesh=data=2", "--microbatches=4"),
                            ("gpt2-masked", "--mesh=data=2", "--offload=optimizer,activations")):
        calls = calls_of_a_step(model, *options)
        wrong = {name: count for name, count in calls.items() for word in ("Alloc", "Free", "Create", "Destroy", "Load", "Synchronize", "Instantiate", "Capture")
                 if word in name}
        assert not wrong, f"{model} {options}: a step calls {wrong}"


def test_the_hosts_work_does_not_grow_with_the_program():
    """A step launches as many graphs for four layers as for a perceptron, where ranks exchange nothing, and no kernel by itself."""
    seen = {model: calls_of_a_step(model) for model in ("mlp", "gpt2-masked", "gpt2")}
    for model, calls in seen.items():
        assert "cuLaunchKernel" not in calls and "cublasLtMatmul" not in calls, f"{model}: {calls}"
        assert calls["cuGraphLaunch"] == seen["mlp"]["cuGraphLaunch"], f"{model}: {calls}, mlp {seen['mlp']}"
        # Inputs and results, wherever they come from: 67 where the device has to wait for all inputs, as other work has the cores, fewer where they are ahead.
        assert sum(calls.values()) <= 70, f"{model}: {calls}"


def test_a_package_runs_alone():
    """All parts run in their order, over several runs, with a stand-in for the sanitizer, without peers, and with a small model in
    the place of the GPT."""
    repository = os.path.join(HERE, "..", "..")
    package = [os.path.join(repository, "tools", "package"), "--bin", BIN, "--arch=host", "--models=mlp", "--gpt=none", "--gpt-text", model_text("mlp"),
               "--gpt-data", os.path.join(DATA, "mlp"), "-o", path("p.tar.xz")]
    subprocess.run(package, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["tar", "xf", path("p.tar.xz"), "-C", WORK], check=True)
    with open(path("sanitizer"), "w") as f:
        f.write('#!/bin/sh\necho "$1" >> $(dirname "$0")/tools\nshift 3\nexec "$@"\n')
    os.chmod(path("sanitizer"), 0o755)
    stand_in("seed=3,algorithms=3:2")

    def bench(*options, status, says):
        program = [sys.executable, path("zcc-gpu/run.py"), "--driver", os.path.abspath(DRIVER), "--cublaslt", os.path.abspath(DRIVER), "--cudnn", os.path.abspath(DRIVER),
                   "--sanitizer", path("sanitizer"), "--steps=5", "--peers=", *options]
        p = subprocess.run(program, capture_output=True, text=True)
        assert p.returncode == status and says in p.stdout.splitlines()[-1], f"exit {p.returncode}, expected {status} and {says}: {p.stdout}{p.stderr}"
        return p.stdout

    assert bench("--minutes=0", status=3, says="0 passed, 0 failed; 10 jobs to do, the first is conformance: run it again")
    bench("--only=suite", status=0, says="1 passed, 0 failed")
    said = bench(status=0, says=" passed, 0 failed, 4 not run")
    assert "conformance" not in said, said
    for row in ("gpt zcc tuned", "gpt offloaded", "mlp f32 again", "memcheck mlp f32", "racecheck mlp generated", "mlp ZeRO 3", "mlp over the host"):
        assert f"ok      {row} " in said, f"no {row} in {said}"
    with open(path("tools")) as f:
        assert f.read().split() == ["--tool=memcheck", "--tool=racecheck"]
    assert len(bench(status=0, says=" passed, 0 failed").splitlines()) == 1, "something was done again"


run(globals())
