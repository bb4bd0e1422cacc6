# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values in the host's memory are loaded and stored: the bits are the same, and the device holds less."""
import csv
import re

from harness import *

KINDS = {"optimizer": "optimizer", "activations": "residuals", "parameters": "parameters"}
EVERYTHING = "--offload=optimizer,activations,parameters"


def bits(lines):
    return [(line["loss"], line["grad_norm"]) for line in lines]


def compare(model, what, *options, kinds=()):
    before = compile_model(model, "--remat=none", *options)["memory"]
    want = bits(train(model, steps=3)[1])
    after = compile_model(model, "--remat=none", *options, f"--offload={what}")["memory"]
    head, lines = train(model, steps=3)
    assert bits(lines) == want, (model, what, options)
    assert after["peak"] < before["peak"] and after["host"] > 0 == before["host"], (model, what, options, before, after)
    for space in ("", "host_"):
        assert head[f"planned_{space}bytes"] == head[f"allocated_{space}bytes"], head
    assert max(head["planned_host_bytes"]) == after["host"] and max(head["planned_bytes"]) == after["peak"], (head, after)
    for kind in kinds:
        assert after[KINDS[kind]] <= 0.6 * before[KINDS[kind]], (model, what, options, before, after)


def test_each_kind_on_one_device():
    for model in ("gpt2", "llama"):
        for what in KINDS:
            compare(model, what, kinds=[what])


def test_all_kinds_on_meshes():
    for model, *options in (("gpt2", "--mesh=data=2", "--zero=3", "--microbatches=2"), ("moe", "--mesh=data=2,tensor=2", "--zero=1"),
                            ("gpt2-dropout", "--mesh=data=2", "--precision=f16"), ("resnet", "--microbatches=2", "--per-microbatch=*")):
        compare(model, "optimizer,activations,parameters", *options)


def test_on_streams():
    """If copies can be hidden behind computation, they have streams of their own. The reference backend works its queues in any order."""
    for model, *options in (("gpt2", "--mesh=data=2", "--zero=1"), ("llama", "--microbatches=2")):
        for target in ("cpu", "reference"):
            compare(model, "optimizer,activations,parameters", *options, slow_machine(), f"--target={target}")
    report = compile_model("gpt2", EVERYTHING, slow_machine())
    assert len(report["predicted"]["by_stage"][0]["busy_seconds"]) == 3, report["predicted"]


def test_what_is_loaded_does_not_grow_with_the_batch():
    """Residuals of more microbatches at once are the host's alone."""
    few, many = (compile_model("gpt2", f"--microbatches={m}", "--schedule=gpipe", "--remat=none", "--offload=activations")["memory"]
                 for m in (2, 4))
    assert many["peak"] <= few["peak"] and many["residuals"] <= few["residuals"], (few, many)


def test_the_listing_has_both_arenas():
    report = compile_model("gpt2", EVERYTHING, f"--buffers={path('buffers.csv')}")
    tops = {"device": 0, "host": 0}
    with open(path("buffers.csv")) as f:
        for row in csv.DictReader(f):
            tops[row["arena"]] = max(tops[row["arena"]], int(row["offset"]) + int(row["size"]))
    assert tops == {"device": report["memory"]["peak"], "host": report["memory"]["host"]}, (tops, report["memory"])


def test_checkpoints_and_files_are_those_without():
    import glob
    import os
    files = []
    for options in ([], [EVERYTHING]):
        compile_model("llama", *options)
        folder = path(f"checkpoints{len(options)}")
        train("llama", "--checkpoint", folder, "--checkpoint-every=2", "--save-params", path("saved"), "--save-grads", path("grads"), steps=2)
        tensors = {os.path.relpath(one, folder).split("/")[-1]: read_safetensors(one)
                   for one in sorted(glob.glob(f"{folder}/**/*.safetensors", recursive=True))}
        files.append((read_safetensors(path("saved")), read_safetensors(path("grads")), tensors))
    assert files[0] == files[1], "files differ"
    # The other way round: a run goes on with offload from a checkpoint without it, to the bit.
    _, got = train("llama", "--checkpoint", path("checkpoints0"), "--resume", steps=4)
    compile_model("llama")
    _, want = train("llama", "--checkpoint", path("checkpoints1"), "--resume", steps=4)
    assert bits(got)[-2:] == bits(want)[-2:], (got, want)


def test_evaluation_reads_offloaded_parameters():
    data = os.path.join(DATA, "llama", "batches.safetensors")
    losses = []
    for options in ([], [EVERYTHING]):
        compile_model("llama", *options)
        forward = ["--offload=parameters"] if options else []
        compile_model("llama", "--optimizer=forward", *forward, exe="eval.zexe")
        call("zrun", path("model.zexe"), "--params", os.path.join(DATA, "llama", "params.safetensors"), "--batches", data, "--steps=2",
             "--eval-executable", path("eval.zexe"), "--eval-batches", data, "--eval-steps=1", "--eval-every=1", "--log", path("log.jsonl"))
        with open(path("log.jsonl")) as f:
            losses.append([line.get("eval_loss") for line in map(json.loads, f)])
    assert losses[0] == losses[1] and losses[0][-1] is not None, losses


def test_phases_and_plans_keep_it():
    compile_model("gpt2", EVERYTHING, f"--plan-out={path('plan')}")
    want = open(path("model.zexe"), "rb").read()
    with open(path("plan")) as f:
        assert [line for line in f if line.startswith("offload")], "the plan does not say it"
    compile_model("gpt2", f"--plan={path('plan')}")
    assert open(path("model.zexe"), "rb").read() == want, "by the plan"
    for phase in ("sharded", "partitioned", "tasks", "scheduled", "planned"):
        call("zcc", model_text("gpt2"), EVERYTHING, f"--compile-to={phase}", "--quiet", "-o", path("text.mlir"))
        call("zcc", path("text.mlir"), f"--compile-from={phase}", "--quiet", "-o", path("again.zexe"))
        assert open(path("again.zexe"), "rb").read() == want, phase


def least_of(model, *options):
    """Bytes that a refusal names."""
    _, err = call("zcc", model_text(model), "-o", path("x.zexe"), "--quiet", "--memory=1000", *options, status=2)
    return int(re.search(r"needs [^(]* \((\d+) bytes\)", err)[1])


def machine_with_host(device="1e9"):
    """The option for devices with a memory of the host's behind a link, and links of their own."""
    with open(path("host.machine"), "w") as f:
        f.write('name: "hosted"\ndevices_per_node: 2\npeaks { type: "f32" flops: 20e9 }\n'
                f'memories {{ name: "device" bytes: {device} bandwidth: 20e9 }}\n'
                'memories { name: "host" bytes: 8e9 bandwidth: 4e9 per_node: true }\nlinks { name: "slow" latency: 1e-6 bandwidth: 0.4e9 }\n')
    return f"--machine={path('host.machine')}"


def test_auto_moves_what_must():
    """In less memory than recomputation alone needs, a program fits and gives the same bits; it takes less time the more memory there is."""
    for model, *options in (("gpt2-dropout", "--mesh=data=2", "--zero=1"), ("llama", "--microbatches=2")):
        options = [*options, machine_with_host()]
        compile_model(model, "--remat=none", *options)
        want = bits(train(model, steps=3)[1])
        alone, least = least_of(model, *options), least_of(model, *options, "--offload=auto")
        assert least < 0.9 * alone, (model, least, alone)
        seconds = []
        for share in (0, 0.9):
            budget = int(least + share * (alone - least))
            _, err = call("zcc", model_text(model), "-o", path("x.zexe"), "--quiet", f"--memory={budget}", *options, status=2)
            assert "fits: --offload auto, " in err, err
            report = compile_model(model, f"--memory={budget}", "--offload=auto", *options)
            assert report["memory"]["peak"] <= budget and report["memory"]["host"] > 0, (model, share, report["memory"])
            head, lines = train(model, steps=3)
            assert bits(lines) == want, (model, share)
            assert max(head["allocated_bytes"]) <= budget and head["planned_host_bytes"] == head["allocated_host_bytes"], head
            assert report["offloaded"]["bytes"] > 0, report["offloaded"]
            seconds.append(report["predicted"]["step_seconds"])
        assert seconds[1] <= 1.02 * seconds[0], (model, seconds)
        report = compile_model(model, f"--memory={int(1.15 * alone)}", "--offload=auto", *options)
        assert report["memory"]["host"] == 0 and "offloaded" not in report, (model, report["memory"])


def test_auto_is_in_plans_and_told():
    options = [machine_with_host(), "--offload=auto"]
    budget = f"--memory={(least_of('gpt2', *options) + least_of('gpt2', *options[:1])) // 2}"
    compile_model("gpt2", budget, *options, f"--plan-out={path('plan')}")
    want = open(path("model.zexe"), "rb").read()
    with open(path("plan")) as f:
        text = f.read()
    assert 'offload: "auto"' in text and "offload_bytes: " in text, text
    compile_model("gpt2", f"--plan={path('plan')}", options[0])
    assert open(path("model.zexe"), "rb").read() == want, "by the plan"
    out, _ = call("zcc", model_text("gpt2"), budget, *options, "-o", path("x.zexe"), "--explain=plan")
    told = [line for line in out.splitlines() if "in the host's memory, as that costs least: " in line]
    assert told and " a step by estimate" in told[0], out
    assert any(line.startswith("offloaded  ") for line in out.splitlines()), out


def test_auto_needs_a_host():
    """Without a host's memory in the description it changes nothing, and refusals do not name it."""
    with open(path("alone.machine"), "w") as f:
        f.write('name: "alone"\ndevices_per_node: 1\npeaks { type: "f32" flops: 1e12 }\nmemories { name: "device" bytes: 1e9 bandwidth: 1e11 }\n')
    own = f"--machine={path('alone.machine')}"
    assert least_of("gpt2", own) == least_of("gpt2", own, "--offload=auto")
    _, err = call("zcc", model_text("gpt2"), "-o", path("x.zexe"), "--quiet", "--memory=1000", own, status=2)
    assert "offload" not in err, err


def test_refused():
    text = model_text("mlp")
    refused("zcc", text, "--offload=moments", "-o", path("x.zexe"), says="expected one of none|auto|optimizer|activations|parameters, found 'moments'")
    refused("zcc", text, "--offload=auto,optimizer", "-o", path("x.zexe"), says="found 'auto'")
    refused("zcc", text, "--offload=optimizer", "--offload-to=disk", "-o", path("x.zexe"), says="--offload-to=disk does not work yet (not yet)")
    refused("zcc", text, "--offload=optimizer", "--offload-to=tape", "-o", path("x.zexe"), says="expected one of host|disk, found 'tape'")
    refused("zcc", text, "--offload=none,optimizer", "-o", path("x.zexe"), says="found 'none'")
    refused("zcc", text, "--offload=optimizer", "--optimizer=none", "-o", path("x.zexe"), says="the program has nothing of the kind")
    with open(path("bare.machine"), "w") as f:
        f.write('name: "bare"\ndevices_per_node: 1\npeaks { type: "f32" flops: 1e12 }\nmemories { name: "device" bytes: 1e9 bandwidth: 1e11 }\n')
    refused("zcc", text, "--offload=optimizer", f"--machine={path('bare.machine')}", "-o", path("x.zexe"), says="has no memory named host")
    with open(path("small.machine"), "w") as f:
        f.write(open(path("bare.machine")).read() + 'memories { name: "host" bytes: 1e6 bandwidth: 1e10 }\n')
    refused("zcc", model_text("gpt2"), "--offload=optimizer", f"--machine={path('small.machine')}", "-o", path("x.zexe"),
            says="of the host's memory, its share of that is 1.00 MB")


run(globals())
