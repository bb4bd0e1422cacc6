# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that run part by part: the same bits, one part sent while another one is computed."""
import collections
import random
import re

from harness import *

PLANS = [("gpt2", "--mesh=tensor=2"), ("gpt2", "--mesh=data=2,tensor=2", "--zero=3", "--precision=bf16"),
         ("gpt2", "--mesh=tensor=2", "--disable=shard-sequence"), ("mlp", "--mesh=tensor=4"), ("gpt2-dropout", "--mesh=tensor=2"),
         ("gpt2-masked", "--mesh=tensor=2", "--microbatches=2"), ("resnet", "--mesh=tensor=2"),
         # One row a microbatch, whose sequence is dealt to the devices; with one row a device and microbatch; with rotary positions.
         ("gpt2", "--mesh=tensor=2", "--microbatches=8"), ("gpt2", "--mesh=data=2,tensor=2", "--microbatches=4", "--zero=3", "--precision=bf16"),
         ("llama", "--mesh=tensor=2", "--microbatches=8"), ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=8", "--schedule=zb-h1"),
         # Two stages, four rows and one row a microbatch. One row is divided along the sequence, which all-reduces leave whole.
         ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=2"), ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=2", "--schedule=interleaved:2"),
         ("gpt2", "--mesh=pipe=2,tensor=2", "--microbatches=8", "--disable=shard-sequence"),
         # The rows between all-to-alls: those of an expert's capacity, and experts one by one.
         ("moe", "--mesh=expert=8"), ("moe", "--mesh=expert=2", "--microbatches=4"), ("moe", "--mesh=pipe=2,expert=8", "--schedule=zb-v"),
         ("moe", "--mesh=expert=8", "--precision=bf16", "--zero=3")]


def losses(model, exe):
    _, lines = train(model, steps=3, exe=exe)
    return [(line["loss"], line["grad_norm"]) for line in lines]


def test_same_bits_of_all_tasks_in_parts():
    for model, *options in PLANS:
        call("zcc", model_text(model), "--disable=overlap", "--compile-to=scheduled", "-o", path("whole.mlir"), "--quiet", *options)
        call("zcc", path("whole.mlir"), "--compile-from=scheduled", "-o", path("whole.zexe"), "--quiet")
        want = losses(model, "whole.zexe")
        for parts in (2, 4):
            call("zcc-opt", path("whole.mlir"), f"--zcc-split-steps=parts={parts}", "--zcc-overlap-collectives", "--zcc-place-events",
                 "-o", path("parts.mlir"))
            with open(path("parts.mlir")) as f:
                assert f"exec.part = {parts - 1} " in f.read(), (model, options, parts)
            call("zcc", path("parts.mlir"), "--compile-from=scheduled", "-o", path("parts.zexe"), "--quiet")
            got = losses(model, "parts.zexe")
            assert got == want, f"{model} {options}, {parts} parts: {got}, whole {want}"


def fast_machine(link="0.4e9"):
    """The option for ranks that compute as fast as a link sends."""
    with open(path("fast.machine"), "w") as f:
        f.write('name: "fast"\nranks_share_node: true\npeaks { type: "f32" flops: 100e9 }\n'
                f'memories {{ name: "device" bytes: 24e9 bandwidth: 20e9 }}\nlinks {{ name: "slow" latency: 1e-6 bandwidth: {link} }}\n')
    return f"--machine={path('fast.machine')}"


def test_where_it_pays():
    """Parts chosen by the machine's figures: less time is spent waiting, and the same bytes are sent and listed."""
    compare("--mesh=tensor=2", gain=0.95, waits=0.5)


def test_dealt_sequences():
    """Where a microbatch is one row, devices have rows of all parts of its sequence: the same results as with rows in one piece, but for sums over rows.
    Rows of a batch, and the order of sums that --exact keeps, leave sequences as they are."""
    for model, *options in (("gpt2", "--mesh=tensor=2"), ("llama", "--mesh=tensor=4"), ("gpt2-dropout", "--mesh=pipe=2,tensor=2"), ("gpt2-masked", "--mesh=data=2,tensor=2")):
        rows = 4 if "--mesh=data=2,tensor=2" in options else 8
        texts, lost = [], []
        for more in ([f"--microbatches={rows}"], [f"--microbatches={rows}", "--disable=deal-sequences"]):
            call("zcc", model_text(model), *options, *more, "--compile-to=partitioned", "-o", path("part.mlir"), "--quiet")
            with open(path("part.mlir")) as f:
                texts.append(f.read())
            compile_model(model, *options, *more)
            lost.append(losses(model, "model.zexe"))
        assert re.search(r"reduce_scatter .*dim = 2 .* -> tensor<1x4x", texts[0]) and "dealt" not in texts[1], (model, options)
        for one, other in zip(*lost):
            assert all(abs(a - b) <= 2e-6 * abs(b) for a, b in zip(one, other)), (model, options, lost)
    for more in (["--microbatches=8", "--exact"], ["--microbatches=2"]):
        call("zcc", model_text("gpt2"), "--mesh=tensor=2", *more, "--compile-to=partitioned", "-o", path("part.mlir"), "--quiet")
        with open(path("part.mlir")) as f:
            text = f.read()
        assert "reduce_scatter" in text and not re.search(r"reduce_scatter .*dim = 2 ", text), more


def test_a_scan_along_a_sequence():
    """Totals of the devices before are added to a device's rows as they lie, so such a sequence is not dealt."""
    text = os.path.join(os.path.dirname(__file__), "cumulative-sequence.mlir")
    draw = random.Random(1)
    values = lambda *shape: ("F32", shape, [draw.gauss(0, 0.1) for _ in range(math.prod(shape))])
    write_safetensors(path("scan.params"), {f"{w}{i}": values(*shape) for i in range(3) for w, shape in (("w", (96, 192)), ("u", (192, 96)))})
    write_safetensors(path("scan.batches"), {"x": values(2, 1, 24, 96)})
    lost = []
    for options in ([], ["--mesh=tensor=2"], ["--mesh=tensor=2", "--disable=deal-sequences"]):
        call("zcc", text, *options, "-o", path("scan.zexe"), "--quiet")
        call("zrun", path("scan.zexe"), "--params", path("scan.params"), "--batches", path("scan.batches"), "--steps=2", "--lr=0.01", "--log", path("scan.log"))
        with open(path("scan.log")) as f:
            lost.append([(line["loss"], line["grad_norm"]) for line in map(json.loads, f) if "step" in line])
        os.remove(path("scan.log"))
    assert len(lost[0]) == 2
    for other in lost[1:]:
        assert all(abs(a - b) <= 1e-5 * abs(b) for x, y in zip(other, lost[0]) for a, b in zip(x, y)), lost


def test_where_it_pays_with_one_row():
    """A microbatch of one row: parts of its sequence, with and without stages."""
    compare("--mesh=tensor=2", "--microbatches=8", gain=0.97, waits=0.8)
    compare("--mesh=pipe=2,tensor=2", "--microbatches=8", "--schedule=1f1b", gain=0.97, waits=0.8)


def test_where_it_pays_in_stages():
    """The same with two stages, and with rows one by one, whose sums go part by part along the sequence."""
    compare("--mesh=pipe=2,tensor=2", "--microbatches=2", "--schedule=1f1b", gain=0.99, waits=0.9)
    compare("--mesh=pipe=2,tensor=2", "--microbatches=8", "--schedule=1f1b", "--disable=shard-sequence", gain=0.99, waits=0.9)


def compare(*mesh, gain, waits):
    reports, texts, lost = [], [], []
    for more in ([], ["--disable=split-steps"], ["--disable=overlap"]):
        options = (*mesh, fast_machine(), "--disable=interleave-runs", *more)  # which would hide some of the same
        reports.append(compile_model("gpt2", *options))
        lost.append(losses("gpt2", "model.zexe"))
        call("zcc", model_text("gpt2"), *options, "--compile-to=planned", "-o", path("planned.mlir"), "--quiet")
        with open(path("planned.mlir")) as f:
            texts.append(set(re.findall(r"exec.part = \d+", f.read())))
    assert texts[0] and not texts[1] and not texts[2], texts
    assert lost[0] == lost[1] == lost[2], lost
    seconds = [report["predicted"]["step_seconds"] for report in reports]
    exposed = [report["predicted"]["exposed_communication"] for report in reports]
    assert seconds[0] < gain * seconds[1] and exposed[0] < waits * exposed[1], (seconds, exposed)
    parts = len(texts[0])
    sent = [collections.Counter() for _ in reports]
    for counter, report in zip(sent, reports):
        for c in report["collectives"]:
            counter[c["kind"], c["value"], c["tasks"]] += c["bytes"] * c["times"]
    assert sent[0] == sent[1] == sent[2], sent
    times = parts * reports[0]["microbatches"]
    assert any(c["times"] == times and c["what"] == "activation" for c in reports[0]["collectives"]), times


def test_exchanges():
    """Rows between all-to-alls: blocks of them are sent while others are computed. --exact leaves rows in one piece, but experts of a device one after the
    other, which changes no bit."""
    for mesh, *more in (("--mesh=expert=8",), ("--mesh=expert=2", "--microbatches=4")):
        reports, lost = [], []
        for less in ([], ["--disable=split-steps"], ["--disable=deal-exchanges"], ["--disable=deal-exchanges,lay-out-exchanges"]):
            reports.append(compile_model("moe", mesh, *more, fast_machine(), "--disable=interleave-runs", *less))
            lost.append(losses("moe", "model.zexe"))
        assert lost[0] == lost[1] and lost[2] == lost[3], lost
        for one, other in zip(lost[0], lost[2]):
            assert all(abs(a - b) <= 2e-6 * abs(b) for a, b in zip(one, other)), (mesh, lost)
        seconds = [report["predicted"]["step_seconds"] for report in reports]
        assert seconds[0] < 0.97 * seconds[3], (mesh, seconds)
        sent = [sum(c["bytes"] * c["times"] for c in report["collectives"] if c["kind"] == "all-to-all") for report in reports]
        assert sent[0] > 0 and len(set(sent)) == 1, sent
    for more, dealt in (([], True), (["--exact"], False)):
        call("zcc", model_text("moe"), "--mesh=expert=8", *more, "--compile-to=partitioned", "-o", path("part.mlir"), "--quiet")
        with open(path("part.mlir")) as f:
            assert bool(re.search(r"all_to_all .* -> tensor<1x1x4x", f.read())) == dealt, more


def test_turns_beside_parts():
    """Turns of whole steps are taken where they save more than steps in parts do, with or without turns."""
    options = ("--mesh=tensor=2", "--microbatches=4", fast_machine("0.1e9"))
    seconds = [compile_model("gpt2", *options, *less)["predicted"]["step_seconds"]
               for less in ([], ["--disable=split-steps"], ["--disable=interleave-runs"])]
    assert seconds[0] <= 1.001 * min(seconds[1:]), seconds


def test_where_it_does_not():
    """A link that has little to send, and ranks of a node without links."""
    for model, *options in (("gpt2", "--mesh=data=2", slow_machine()), ("gpt2", "--mesh=tensor=2")):
        call("zcc", model_text(model), *options, "--compile-to=planned", "-o", path("planned.mlir"), "--quiet")
        with open(path("planned.mlir")) as f:
            assert "exec.part" not in f.read(), (model, options)


run(globals())
