# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of a run while it goes on: held-out evaluation, TensorBoard events, pictures, progress, waits for data."""
import glob
import pty
import re
import time
import xml.etree.ElementTree

from harness import *


def write_safetensors(file, tensors):
    """{name: (dtype, shape, bytes)}"""
    head, at = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        head[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(head).encode()
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))


def one_step(model):
    """The first batch of the model's data, without and with the dimension of steps."""
    batches = read_safetensors(os.path.join(DATA, model, "batches.safetensors"))
    first = {k: (dtype, shape[1:], data[: len(data) // shape[0]]) for k, (dtype, shape, data) in batches.items()}
    return first, {k: (dtype, [1, *shape], data) for k, (dtype, shape, data) in first.items()}


def zrun_line(*options, model="gpt2", steps=6, log="log.jsonl"):
    return [os.path.join(BIN, "zrun"), path("model.zexe"), "--params", os.path.join(DATA, model, "params.safetensors"), "--steps",
            str(steps), "--log", path(log), *options]


def log_lines():
    with open(path("log.jsonl")) as f:
        return [json.loads(line) for line in f]


def evaluated(training, evaluation, model="gpt2", exact=True):
    """Trains on one batch: its loss after a step is that of the next step."""
    write_safetensors(path("batch.safetensors"), one_step(model)[1])
    compile_model(model, *training)
    compile_model(model, "--optimizer=forward", *evaluation, exe="forward.zexe")
    report = json.load(open(path("report.json")))
    subprocess.run(zrun_line("--batches", path("batch.safetensors"), "--eval-batches", path("batch.safetensors"), "--eval-executable",
                             path("forward.zexe"), "--eval-every", "2", model=model), check=True, timeout=600)
    head, *lines = log_lines()
    assert head["eval_planned_bytes"] == head["eval_allocated_bytes"], head
    assert max(head["eval_planned_bytes"]) == report["memory"]["peak"], (head, report["memory"])
    assert [line["step"] for line in lines if "eval_loss" in line] == [2, 4, 6]
    for line, after in zip(lines[1::2], lines[2::2]):
        error = abs(line["eval_loss"] - after["loss"]) / after["loss"]
        assert line["eval_loss"] != line["loss"] and error <= (0 if exact else 1e-5), (training, evaluation, line, after)


def test_evaluation_is_of_the_current_parameters():
    evaluated([], [])
    evaluated(["--mesh=data=2", "--zero=1"], ["--mesh=data=2"])
    evaluated(["--precision=bf16"], ["--precision=bf16"])
    evaluated(["--mesh=data=2", "--zero=3", "--precision=bf16"], ["--mesh=data=2", "--precision=bf16"])


def test_evaluation_on_another_mesh():
    evaluated(["--mesh=data=4", "--zero=3"], ["--mesh=data=2,tensor=2"], exact=False)
    evaluated(["--mesh=data=2,tensor=2"], ["--mesh=data=4"], exact=False)


def test_held_out_tokens():
    compile_model("gpt2")
    compile_model("gpt2", "--optimizer=forward", exe="forward.zexe")
    (batch, length) = one_step("gpt2")[0]["x"][1]
    for name, windows in (("train", 40), ("held", 3 * batch + 1)):
        with open(path(name), "wb") as f:
            f.write(bytes((i * i // 7 + len(name)) % 251 for i in range(windows * length + 1)))
    options = ["--tokens", path("train"), "--token-type", "u8", "--eval-executable", path("forward.zexe"), "--eval-tokens", path("held")]
    subprocess.run(zrun_line(*options, "--lr=0", "--eval-every=3"), check=True)
    all_batches = [line["eval_loss"] for line in log_lines() if "eval_loss" in line]
    assert len(all_batches) == 2 and all_batches[0] == all_batches[1], "the same batches each time"
    call("zrun", path("forward.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"), "--tokens", path("held"),
         "--token-type", "u8", "--steps", 3, "--log", path("forward.jsonl"), "--quiet")
    with open(path("forward.jsonl")) as f:
        mean = json.loads(f.readlines()[-1])["mean"]["loss"]
    assert abs(mean - all_batches[0]) <= 1e-6 * mean, "an epoch of three whole batches"
    subprocess.run(zrun_line(*options, "--lr=0", "--eval-steps=1"), check=True)
    one = [line["eval_loss"] for line in log_lines() if "eval_loss" in line]
    assert len(one) == 1 and one[0] != mean


def test_windows_depend_on_the_step_alone():
    with open(path("train"), "wb") as f:
        f.write(bytes(i * i // 7 % 251 for i in range(100_000)))
    options = ["--tokens", path("train"), "--token-type", "u8", "--lr=0"]

    def run_losses(*more, steps=8):
        subprocess.run(zrun_line(*options, *more, steps=steps), check=True)
        return [line["loss"] for line in log_lines() if "step" in line]

    compile_model("gpt2")
    plain = run_losses()
    assert len(set(plain)) == 8 and run_losses("--seed=1") != plain
    resumed = run_losses("--checkpoint", path("windows"), "--checkpoint-every=3", steps=3)
    assert resumed == plain[:3]
    assert run_losses("--checkpoint", path("windows"), "--resume") == plain
    for mesh in (["--mesh=data=2"], ["--mesh=data=2,tensor=2", "--microbatches=2"]):
        compile_model("gpt2", *mesh)
        assert off(run_losses(), plain) <= 1e-5, mesh


def test_evaluation_that_does_not_fit():
    compile_model("gpt2")
    options = ["--batches", os.path.join(DATA, "gpt2", "batches.safetensors"), "--eval-batches",
               os.path.join(DATA, "gpt2", "batches.safetensors"), "--eval-executable", path("forward.zexe")]

    def refused_with(says):
        refused("zrun", *zrun_line(*options)[1:], says=says)

    compile_model("gpt2", exe="forward.zexe")
    refused_with("expected --optimizer forward")
    compile_model("gpt2", "--optimizer=forward", "--mesh=data=2", exe="forward.zexe")
    refused_with("is for 2 ranks (data=2), the trained program has 1")
    compile_model("mlp", "--optimizer=forward", exe="forward.zexe")
    refused_with("not a program of the model that is trained: it has the parameters")
    compile_model("gpt2", "--optimizer=forward", exe="forward.zexe")
    _, says = call("zrun", *zrun_line(*options, "--eval-every=7")[1:])
    assert "nothing will be evaluated: --eval-every is 7, --steps 6" in says, says
    os.remove(path("forward.zexe"))
    refused_with("forward.zexe: cannot open")


def test_termination_ends_an_evaluation():
    compile_model("mlp")
    compile_model("mlp", "--optimizer=forward", exe="forward.zexe")
    batches = os.path.join(DATA, "mlp", "batches.safetensors")
    line = zrun_line("--batches", batches, "--eval-batches", batches, "--eval-executable", path("forward.zexe"), "--eval-every=2",
                     "--eval-steps=100000000", "--checkpoint", path("stopped"), model="mlp")
    with subprocess.Popen(line) as run:
        for _ in range(600):
            if os.path.exists(path("log.jsonl")) and len(log_lines()) == 2:
                break
            time.sleep(0.1)
        time.sleep(0.5)  # now it evaluates after the second step
        assert run.poll() is None
        run.terminate()
        assert run.wait(timeout=30) == 0
    lines = log_lines()
    assert lines[-1]["step"] == 2 and "eval_loss" not in lines[-1], lines
    assert os.listdir(path("stopped")), "no checkpoint"


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def fields(data):
    """(number, value) of a protobuf message; bytes of a length-delimited field."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        size = {1: 8, 5: 4}.get(key & 7)
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = varint() if size is None else size
        yield key >> 3, data[at : at + size]
        at += size


def read_events(file):
    """[(step, {tag: value} or file version or session status)]"""
    with open(file, "rb") as f:
        data = f.read()
    events = []
    while data:
        (length,), (crc,) = struct.unpack("<Q", data[:8]), struct.unpack("<I", data[8:12])
        record, (record_crc,) = data[12 : 12 + length], struct.unpack("<I", data[12 + length : 16 + length])
        assert crc == masked(data[:8]) and record_crc == masked(record), "checksum"
        data = data[16 + length :]
        event = dict(fields(record))
        scalars = {}
        for number, value in fields(event.get(5, b"")):
            entry = dict(fields(value))
            scalars[entry[1].decode()] = struct.unpack("<f", entry[2])[0]
        events.append((event.get(2, 0), scalars or event.get(3) or dict(fields(event.get(7, b"")))))
    return events


def test_tensorboard_has_what_the_log_has():
    compile_model("gpt2")
    options = ["--batches", os.path.join(DATA, "gpt2", "batches.safetensors"), "--tensorboard", path("events"), "--checkpoint",
               path("checkpoint"), "--resume"]
    subprocess.run(zrun_line(*options, "--checkpoint-every=4", steps=4), check=True)
    subprocess.run(zrun_line(*options), check=True)
    files = sorted(glob.glob(path("events/events.out.tfevents.*")))
    assert len(files) == 2, files
    first, second = map(read_events, files)
    assert first[0][1] == b"brain.Event:2" and second[0][1] == b"brain.Event:2"
    assert second[1] == (5, {1: 1}), f"a resumed run voids what was said of its steps: {second[1]}"
    written = dict(first[1:] + second[2:])
    lines = [line for line in log_lines() if "step" in line]
    assert sorted(written) == [line["step"] for line in lines] == [1, 2, 3, 4, 5, 6]
    for line in lines:
        for tag in ("loss", "grad_norm", "lr", "tokens_per_second", "data_seconds"):
            assert abs(written[line["step"]][tag] - line[tag]) <= 1e-6 * abs(line[tag]), (tag, line)


def test_plot():
    compile_model("mlp")
    logs = []
    for lr in ("0.1", "0.01"):
        subprocess.run(zrun_line("--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--lr", lr, model="mlp", log=f"{lr}.jsonl"),
                       check=True)
        logs.append(path(f"{lr}.jsonl"))
    for options, curves in ((logs[:1], 1), (logs, 2), ([*logs, "--log-scale"], 2)):
        call("zrun", "--plot", *options, "-o", path("loss.svg"))
        picture = xml.etree.ElementTree.parse(path("loss.svg")).getroot()
        assert len(picture.findall("{*}polyline")) == curves
        texts = [text.text for text in picture.findall("{*}text")]
        assert "step" in texts and "loss" in texts and (curves == 1 or "0.01.jsonl" in texts), texts
    refused("zrun", "--plot", path("model.zexe"), "-o", path("x.svg"), says="is it a log", leaves_no=path("x.svg"))
    refused("zrun", "--plot", logs[0], "-o", "/nonexistent/x.svg", says="/nonexistent/x.svg: cannot write")


def test_progress():
    compile_model("mlp")
    line = zrun_line("--batches", os.path.join(DATA, "mlp", "batches.safetensors"), model="mlp", steps=20)
    quiet = subprocess.run([*line, "--quiet"], capture_output=True, text=True, check=True)
    assert not quiet.stdout and "step" not in quiet.stderr, quiet
    # Without a terminal, zrun writes whole lines: of the first step, of the last, and each ten seconds between.
    told = subprocess.run(line, capture_output=True, text=True, check=True).stderr.splitlines()
    told = [words for words in told if words.startswith("step ")]
    assert [words.split()[1] for words in told][::len(told) - 1] == ["1/20", "20/20"] and "loss" in told[-1] and "tokens/s" in told[-1], told


def test_batches_that_begin_again():
    compile_model("mlp")
    batches = os.path.join(DATA, "mlp", "batches.safetensors")
    _, says = call("zrun", *zrun_line("--batches", batches, model="mlp", steps=400)[1:])
    assert "of the 400 steps, and begins again after each" in says, says
    _, says = call("zrun", *zrun_line("--batches", batches, model="mlp", steps=2)[1:])
    assert "begins again" not in says, says


def test_progress_on_a_terminal():
    compile_model("mlp")
    line = zrun_line("--batches", os.path.join(DATA, "mlp", "batches.safetensors"), model="mlp", steps=20)

    def on_terminal(*options, **environment):
        ours, theirs = pty.openpty()
        with subprocess.Popen([*line, *options], stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, **environment}) as run:
            os.close(theirs)
            shown = b""
            try:
                while piece := os.read(ours, 4096):
                    shown += piece
            except OSError:  # the last writer is gone
                pass
        os.close(ours)
        assert run.returncode == 0
        return re.sub("^note: .*\r?\n", "", shown.decode())

    shown = on_terminal(TERM="xterm")
    assert shown.startswith("\r\x1b[Kstep 1/20  loss "), shown
    assert "tokens/s" in shown and "left" in shown and "\r\x1b[Kstep 20/20" in shown and shown.endswith("\n"), shown
    assert not on_terminal("--quiet", TERM="xterm")
    assert on_terminal(TERM="dumb").startswith("step 1/20  loss ")


def test_waits_for_data_are_logged():
    compile_model("mlp")
    first, _ = one_step("mlp")
    write_safetensors(path("step"), first)
    with open(path("step"), "rb") as f:
        step = f.read()
    line = zrun_line("--batches", "-", model="mlp", steps=30)
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        for _ in range(30):
            run.stdin.write(struct.pack("<Q", len(step)) + step)
            run.stdin.flush()
            time.sleep(0.05)
        run.stdin.close()
        errors = run.stderr.read().decode()
    assert run.returncode == 0, errors
    assert errors.count("waited for their data") == 1 and "warning: steps 2 to 21" in errors, errors
    steps = [line for line in log_lines() if "step" in line]
    waited, total = sum(line["data_seconds"] for line in steps[1:]), sum(line["seconds"] for line in steps[1:])
    assert 0.5 * total < waited <= total, (waited, total)
    subprocess.run(zrun_line("--batches", os.path.join(DATA, "mlp", "batches.safetensors"), model="mlp", steps=30), check=True)
    assert all(line["data_seconds"] <= line["seconds"] for line in log_lines() if "step" in line)


run(globals())
