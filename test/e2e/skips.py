# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that skip stages: the result of an encoder, which every block of a decoder reads, and levels of a U-net. A stage that reads such a
value passes it on if it arrives earlier in this way; the sender changes no bit."""
import json
import re

from harness import DATA, call, model_text, off, path, read_safetensors, run

STEPS = 3
DIRECT = "--disable=forward-values"
SCHEDULES = ("gpipe", "1f1b", "interleaved:2", "zb-h1", "zb-v")


def draw_batches(model):
    """Makes batches from that of one step, with its rows in other orders."""
    head, body = {}, b""
    for name, (kind, (_, rows, *rest), data) in read_safetensors(f"{DATA}/{model}/batches.safetensors").items():
        row = len(data) // rows
        steps = b"".join(data[i * row:] + data[:i * row] for i in range(STEPS))
        head[name] = {"dtype": kind, "shape": [STEPS, rows, *rest], "data_offsets": [len(body), len(body) + len(steps)]}
        body += steps
    text = json.dumps(head).encode()
    with open(path(model + ".batches"), "wb") as f:
        f.write(len(text).to_bytes(8, "little") + text + body)
    return path(model + ".batches")


def compile_to(exe, model, *options):
    call("zcc", model_text(model), "-o", path(exe), "--quiet", "--report", path(exe + ".json"), *options)
    with open(path(exe + ".json")) as f:
        return json.load(f)


def train(exe, model):
    """Losses and norms, and the parameters."""
    call("zrun", path(exe), "--params", f"{DATA}/{model}/params.safetensors", "--batches", draw_batches(model), "--steps", STEPS, "--lr=1e-2",
         "--log", path(exe + ".jsonl"), "--save-params", path(exe + ".params"))
    with open(path(exe + ".jsonl")) as f:
        head, *lines = [json.loads(line) for line in f]
    assert head["planned_bytes"] == head["allocated_bytes"], head
    return [(line["loss"], line["grad_norm"]) for line in lines if "step" in line], read_safetensors(path(exe + ".params"))


def senders(model, *options):
    """For each value of a microbatch that tasks make: the stages that send it, and the stages that they send it to, as {sender: readers}."""
    call("zcc", model_text(model), "-o", path("tasks.mlir"), "--quiet", "--compile-to=tasks", *options)
    found, stage, made = {}, None, set()
    with open(path("tasks.mlir")) as f:
        for line in f:
            if 'dist.task = "forward"' in line:
                made.update(re.findall(r'dist.value = "([^"]*)"', line.split("->")[1]))
            elif "dist.schedule" in line:
                stage = int(re.search(r"stage = (\d+)", line)[1])
            elif (send := re.search(r'dist.send "([^"]*)" \{microbatch = 0 : i64, peer = (\d+)', line)) and send[1] in made:
                found.setdefault(send[1], {}).setdefault(stage, []).append(int(send[2]))
    return found


def most_read(found):
    return max(found.values(), key=lambda senders: sum(map(len, senders.values())))


def nodes(per_node):
    """Nodes of so many stages, with a slow network between them."""
    with open(path("nodes.machine"), "w") as f:
        f.write(f'name: "nodes" devices_per_node: {per_node} peaks {{ type: "f32" flops: 1e11 }} memories {{ name: "device" bytes: 1e10 bandwidth: 1e11 }} memories {{ name: "host" bytes: 1e10 bandwidth: 1e10 }}\n'
                f'links {{ name: "inner" devices: {per_node} latency: 1e-6 bandwidth: 1e11 }} links {{ name: "outer" latency: 5e-6 bandwidth: 1e9 }}\n')
    return f"--machine={path('nodes.machine')}"


def check_bits(model, *options, schedules=SCHEDULES, microbatches=4):
    compile_to("one", model, "--mesh=1", f"--microbatches={microbatches}")
    expected, _ = train("one", model)
    seen = []
    for schedule in schedules:
        for others in ((), (DIRECT,)):
            compile_to("pipe", model, *options, f"--schedule={schedule}", f"--microbatches={microbatches}", *others)
            lines, params = train("pipe", model)
            for i in (0, 1):
                error = off([line[i] for line in lines], [line[i] for line in expected])
                assert error <= 1e-5 * (1 + 19 * i), f"{schedule} {others}: off by {error:.1e}"
            seen.append((schedule, others, lines, params))
    for schedule, others, lines, params in seen:
        assert (lines, params) == seen[0][2:], f"{schedule} {others} changes bits"


def test_an_encoder():
    check_bits("translation", "--mesh=pipe=4")


def test_an_encoder_on_nodes():
    """Seconds of the network that others wait for are saved, and the bits stay the same."""
    options = ("--mesh=pipe=6", "--schedule=zb-h1", nodes(2))
    here, direct = (senders("translation", *options, "--microbatches=8", *others) for others in ((), (DIRECT,)))
    assert len(most_read(direct)) == 1 and len(most_read(here)) > 1, (direct, here)
    assert sorted(sum(most_read(here).values(), [])) == sorted(sum(most_read(direct).values(), [])), (direct, here)
    reports = [compile_to("x", "translation", *options, "--microbatches=8", *others) for others in ((), (DIRECT,))]
    took = [report["predicted"]["step_seconds"] for report in reports]
    assert took[0] < took[1], took
    passed = [{(c["value"], c["stage"]) for c in report["collectives"] if c["why"] == "pipeline stages, passed on"} for report in reports]
    assert {stage for _, stage in passed[0]} == {sender for sender in most_read(here) if sender not in most_read(direct)} and not passed[1], passed
    check_bits("translation", "--mesh=pipe=6", nodes(2), schedules=("zb-h1", "gpipe"), microbatches=8)


def test_an_encoder_with_other_axes():
    check_bits("translation", "--mesh=pipe=6,data=2", nodes(4), "--zero=3", "--remat=full", schedules=("1f1b", "zb-h1"))


def test_tables_say_who_sends():
    """A plan's table is followed, whether its values are passed on or not."""
    options = ("--mesh=pipe=6", "--schedule=zb-h1", "--microbatches=8", nodes(2))
    assert senders("translation", *options) != senders("translation", *options, DIRECT)
    for others in ((), (DIRECT,)):
        compile_to("named", "translation", *options, *others, "--plan-out", path("t.plan"), "--plan-actions")
        compile_to("again", "translation", "--plan", path("t.plan"), nodes(2), "--plan-out", path("t2.plan"), "--plan-actions")
        with open(path("t.plan")) as a, open(path("t2.plan")) as b:
            assert a.read() == b.read(), others
        assert train("again", "translation") == train("named", "translation"), others
        assert senders("translation", "--plan", path("t.plan"), nodes(2)) == senders("translation", *options, *others), others


def test_what_is_kept_in_another_form():
    """A value is passed on whole, whatever form it is kept in, and the backward pass may load it from the host."""
    options = ("--mesh=pipe=6", "--microbatches=8", "--schedule=zb-h1", nodes(2))
    assert len(most_read(senders("translation", *options))) > 1
    for others in ("--compress=int8", "--offload=activations"):
        compile_to("on", "translation", *options, others)
        compile_to("off", "translation", *options, others, DIRECT)
        assert train("on", "translation") == train("off", "translation"), others


def test_a_u_net():
    """A level that one later stage reads goes there directly."""
    skips = [senders for senders in senders("unet", "--mesh=pipe=4", "--microbatches=4", "--schedule=1f1b").values()
             if any(reader - sender > 1 for sender, readers in senders.items() for reader in readers)]
    assert skips and all(len(senders) == 1 for senders in skips), skips
    check_bits("unet", "--mesh=pipe=4")


run(globals())
