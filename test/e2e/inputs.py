# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs that steps read in the caller's memory (--inputs=caller): the bits are the same, and the arena holds less."""
import csv

from harness import *

STEPS = 3
TARGETS = ("cpu", "reference")


def compare(model, *options):
    """Trains both ways; returns the reports' memory without and with the option."""
    found = []
    for inputs in ("arena", "caller"):
        memory = compile_model(model, f"--inputs={inputs}", *options)["memory"]
        head, lines = train(model, steps=STEPS)
        assert head["planned_bytes"] == head["allocated_bytes"], head
        assert max(head["planned_bytes"]) == memory["peak"], (head, memory)
        found.append(([(line["loss"], line["grad_norm"]) for line in lines], memory))
    (want, before), (got, after) = found
    assert got == want, (model, options, want, got)
    out, _ = call("zrun", path("model.zexe"), "--check")
    assert "of inputs in the caller's memory" in out, out
    assert before["caller_inputs"] == 0 and after["caller_inputs"] > 0, (model, options, before["caller_inputs"], after["caller_inputs"])
    return before, after


def test_one_device():
    for model in ("mlp", "gpt2"):
        before, after = compare(model)
        assert after["peak"] + after["caller_inputs"] == before["peak"], (model, before, after)


def test_meshes():
    for target in TARGETS:
        compare("gpt2", "--mesh=data=2", f"--target={target}")
        compare("gpt2-masked", "--mesh=data=2,tensor=2", "--zero=3", f"--target={target}")


def test_rows_that_are_padded_are_copied():
    for target in TARGETS:
        compare("mlp", "--mesh=data=3", f"--target={target}")


def test_microbatches():
    for target in TARGETS:
        compare("gpt2-dropout", "--microbatches=2", f"--target={target}")
    compare("mlp", "--mesh=data=2", "--microbatches=2")


def test_stages():
    for target in TARGETS:
        compare("gpt2", "--mesh=pipe=2", "--microbatches=2", f"--target={target}")  # the fullest stage reads none
        compare("mlp", "--mesh=pipe=2,data=2", "--microbatches=2", f"--target={target}")


def test_rings():
    for target in TARGETS:
        compare("llama", "--mesh=context=2", f"--target={target}")


def test_streams():
    for model, *options in ON_STREAMS.values():
        compare(model, *options, slow_machine())


def test_batches_of_a_stream():
    """The memory of a batch that was read from a stream stays until its step is done."""
    texts = []
    tensors = read_safetensors(os.path.join(DATA, "mlp", "batches.safetensors"))
    body = b""
    for step in range(STEPS):
        head, data = {}, b""
        for name, (kind, shape, values) in tensors.items():
            size = len(values) // shape[0]
            head[name] = {"dtype": kind, "shape": shape[1:], "data_offsets": [len(data), len(data) + size]}
            data += values[step * size:(step + 1) * size]
        text = json.dumps(head).encode()
        text += b" " * (-len(text) % 8)
        body += struct.pack("<QQ", 8 + len(text) + len(data), len(text)) + text + data
    for inputs in ("arena", "caller"):
        for target in TARGETS:
            compile_model("mlp", f"--inputs={inputs}", f"--target={target}")
            log = path("log.jsonl")
            p = subprocess.run([os.path.join(BIN, "zrun"), path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"),
                                "--batches", "-", "--steps", str(STEPS), "--log", log, *training_options("mlp")],
                               input=body, capture_output=True, timeout=600)
            assert p.returncode == 0, p.stderr
            with open(log) as f:
                texts.append((target, [json.loads(line)["loss"] for line in f if '"loss"' in line]))
            os.remove(log)
    assert texts[0] == texts[2] and texts[1] == texts[3] and len(texts[0][1]) == STEPS, texts


def test_listings_say_where_they_are():
    report = compile_model("gpt2", "--inputs=caller", f"--buffers={path('buffers.csv')}", "--mesh=data=2")
    tops, rest = {"device": 0}, 0
    with open(path("buffers.csv")) as f:
        for row in csv.DictReader(f):
            if row["arena"] == "caller":
                rest += int(row["size"])
                assert int(row["offset"]) >= report["memory"]["peak"], row
            else:
                tops[row["arena"]] = max(tops[row["arena"]], int(row["offset"]) + int(row["size"]))
    assert tops == {"device": report["memory"]["peak"]}, (tops, report["memory"])
    assert rest == report["memory"]["caller_inputs"], (rest, report["memory"])
    out, _ = call("zrun", path("model.zexe"), "--check")
    assert f"and {rest} of inputs in the caller's memory" in out, out
    out, _ = call("zcc", model_text("gpt2"), "-o", path("x.zexe"), "--inputs=caller")
    assert "in the caller's memory" in out, out


def test_texts_keep_it():
    compile_model("mlp", "--inputs=caller")
    call("zcc", model_text("mlp"), "--inputs=caller", "--compile-to=planned", "--quiet", "-o", path("planned.mlir"))
    call("zcc", path("planned.mlir"), "--compile-from=planned", "-o", path("again.zexe"))
    with open(path("model.zexe"), "rb") as a, open(path("again.zexe"), "rb") as b:
        assert a.read() == b.read()
    refused("zcc", path("planned.mlir"), "--compile-from=planned", "--inputs=arena", "-o", path("no.zexe"), says="--inputs=arena contradicts 'caller'",
            leaves_no=path("no.zexe"))


def test_refusals():
    refused("zcc", model_text("mlp"), "--inputs=host", "-o", path("no.zexe"), says="--inputs: expected one of arena|caller, found 'host'",
            leaves_no=path("no.zexe"))
    refused("zcc", model_text("mlp"), "--inputs=caller", "--target=cuda", "-o", path("no.zexe"),
            says="--inputs=caller: --target=cuda cannot read inputs in the caller's memory (not yet); use --inputs=arena",
            leaves_no=path("no.zexe"))


run(globals())
