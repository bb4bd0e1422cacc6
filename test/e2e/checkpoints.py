# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checkpoints and weights of whole runs: a run that was saved on one mesh goes on, on any other, and no accident loses
a checkpoint."""
import glob
import random
import resource
import shutil
import signal
import time

from harness import *

sys.path.insert(0, os.path.join(HERE, "..", "tools"))
import launch  # noqa: E402


def fresh(name):
    """A path where nothing is."""
    subprocess.run(["rm", "-rf", path(name)])
    return path(name)


def command(model, *options, steps=20, log="log.jsonl", exe="model.zexe", params=True):
    given = ["--params", os.path.join(DATA, model, "params.safetensors")] if params else []
    return [os.path.join(BIN, "zrun"), path(exe), *given, "--batches", os.path.join(DATA, model, "batches.safetensors"),
            "--steps", str(steps), "--log", path(log), "--quiet", *training_options(model), *map(str, options)]


def losses(log="log.jsonl"):
    with open(path(log)) as f:
        lines = [json.loads(line) for line in f]
    return {line["step"]: line["loss"] for line in lines if "step" in line}


def wait_for_steps(count):
    for _ in range(6000):
        try:
            if len(losses()) >= count:
                return
        except (OSError, ValueError):  # not there yet, or a line is being written
            pass
        time.sleep(0.01)
    raise AssertionError("the run did not begin")


def go(*args, status=0, **kw):
    p = subprocess.run(command(*args, **kw), capture_output=True, text=True, timeout=300)
    assert p.returncode == status, f"exit {p.returncode}, expected {status}: {p.stderr[-500:]}"
    return p.stderr


def test_resumed_to_the_bit():
    """Loss scale, its good steps and the number of updates go on too: f16 with a scale that overflows at first."""
    for model, options, run in (("gpt2-dropout", ["--mesh=data=2", "--zero=1"], []),
                                ("gpt2", ["--precision=f16"], ["--loss-scale=dynamic:1e9"]),
                                ("resnet", ["--optimizer=sgd"], ["--momentum=0.9"])):
        compile_model(model, *options)
        ck = fresh("ck")
        go(model, *run, "--save-params", path("a"))
        want = losses()
        go(model, *run, "--checkpoint", ck, "--checkpoint-every", 4, steps=10)
        assert sorted(os.listdir(ck)) == ["lock", "step-000000008", "step-000000010"]
        err = go(model, *run, "--checkpoint", ck, "--resume", "--save-params", path("b"), params=False)
        assert "note: resuming from" in err and "step-000000010" in err, err
        assert losses() == want and read_safetensors(path("a")) == read_safetensors(path("b")), model


def test_any_mesh_stage_and_microbatches():
    shapes = [["--mesh=1"], ["--mesh=data=2,tensor=2", "--zero=3"], ["--mesh=data=3", "--zero=2"],
              ["--mesh=tensor=3"], ["--mesh=data=2", "--microbatches=2", "--zero=1"]]
    compile_model("gpt2")
    go("gpt2")
    want = list(losses().values())
    for i, first in enumerate(shapes):
        ck = fresh("ck")
        compile_model("gpt2", *first)
        go("gpt2", "--checkpoint", ck, "--checkpoint-every", 10, steps=10)
        compile_model("gpt2", *shapes[(i + 1) % len(shapes)])
        go("gpt2", "--checkpoint", ck, "--resume")
        assert off(list(losses().values()), want) < 1e-5, (first, losses())


def test_any_precision():
    """Master weights are saved: f32 state goes through bf16 and f16 programs without loss."""
    ck = fresh("ck")
    compile_model("mlp")
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 5, steps=5)
    for precision in ("bf16", "f16"):
        compile_model("mlp", f"--precision={precision}")
        go("mlp", "--checkpoint", ck, "--resume", "--save-params", path("a"), steps=5)
        compile_model("mlp")
        go("mlp", "--checkpoint", ck, "--resume", "--save-params", path("b"), steps=5)
        assert read_safetensors(path("a")) == read_safetensors(path("b"))


def test_termination_saves():
    compile_model("mlp")
    go("mlp", steps=3000)
    want = losses()
    os.remove(path("log.jsonl"))  # else its steps would be waited for
    for every, sent in (([], signal.SIGTERM), (["--checkpoint-every", "7"], signal.SIGINT)):
        ck = fresh("ck")
        p = subprocess.Popen(command("mlp", "--checkpoint", ck, *every, steps=3000), stderr=subprocess.PIPE, text=True)
        wait_for_steps(20)
        p.send_signal(sent)
        err = p.communicate(timeout=60)[1]
        assert p.returncode == 0, err
        done = max(losses())
        if done < 3000:
            assert f"step {done} of 3000 is the last" in err, err
            assert os.path.isdir(f"{ck}/step-{done:09}"), os.listdir(ck)
        go("mlp", "--checkpoint", ck, "--resume", steps=3000)
        assert losses() == want
        os.remove(path("log.jsonl"))


def test_killed_at_random_moments():
    compile_model("mlp", "--mesh=data=2")
    steps = 400 * KILLS  # more than they get through, on an idle machine, too
    go("mlp", steps=steps)
    want, rng, ck, kills = losses(), random.Random(4), fresh("ck"), 0
    line = command("mlp", "--checkpoint", ck, "--checkpoint-every", 3, "--resume", steps=steps)
    for _ in range(KILLS):
        p = subprocess.Popen(line, stderr=subprocess.DEVNULL)
        try:
            p.wait(rng.uniform(0.03, 0.4))
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()
            kills += 1
        if rng.random() < 0.2 and os.path.exists(path("log.jsonl")):
            with open(path("log.jsonl"), "a") as f:
                f.write('{"step": 4')  # as a crash of the machine may leave it
    subprocess.run(line, check=True, timeout=120, stderr=subprocess.DEVNULL)
    got = losses()
    assert got == want, [(step, got.get(step), want[step]) for step in want if got.get(step) != want[step]][:5]
    with open(path("log.jsonl")) as f:
        steps = [json.loads(l)["step"] for l in f if '"step"' in l]
    assert steps == sorted(set(steps)), "a step is there twice"
    assert kills > KILLS / 2
    assert not glob.glob(f"{ck}/writing-*")
    print(f"        {kills} kills")


def test_the_log_goes_on():
    compile_model("mlp")
    ck = fresh("ck")
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 5, steps=10)
    shutil.rmtree(f"{ck}/step-000000010")
    with open(path("log.jsonl"), "a") as f:
        f.write('{"step": 11, "lo')
    go("mlp", "--checkpoint", ck, "--resume", steps=12)
    with open(path("log.jsonl")) as f:
        lines = [json.loads(line) for line in f]
    assert [l.get("step", "head") for l in lines] == ["head", 1, 2, 3, 4, 5, "head", 6, 7, 8, 9, 10, 11, 12]
    assert lines[6]["resumed"] == 5
    with open(path("other"), "w") as f:
        f.write("a novel\n")
    err = go("mlp", "--checkpoint", ck, "--resume", steps=12, log="other", status=2)
    assert "not a log of zrun" in err
    with open(path("other")) as f:
        assert f.read() == "a novel\n"


def test_a_disk_without_room():
    """A limit on the size of files stands for a full disk."""
    compile_model("gpt2")
    ck = fresh("ck")
    p = subprocess.Popen(command("gpt2", "--checkpoint", ck, "--checkpoint-every", 50, steps=120), stderr=subprocess.PIPE, text=True)
    wait_for_steps(2)
    resource.prlimit(p.pid, resource.RLIMIT_FSIZE, (100000, 100000))
    err = p.communicate(timeout=60)[1]
    assert p.returncode == 1 and "error: no checkpoint of step 120: " in err and "rank-00000.safetensors: cannot write" in err, err
    assert "warning: no checkpoint of step 50: " in err and "the run goes on" in err, err
    assert os.listdir(ck) == ["lock"] and len(losses()) == 120


def test_two_runs_in_one_folder():
    compile_model("mlp")
    ck = fresh("ck")
    first = subprocess.Popen(command("mlp", "--checkpoint", ck, steps=10**7, log="first.jsonl"), stderr=subprocess.DEVNULL)
    while not os.path.exists(path("first.jsonl")):
        time.sleep(0.01)
    try:
        err = go("mlp", "--checkpoint", ck, "--resume", status=2)
        assert f"{ck}: another run writes its checkpoints there: process {first.pid} on " in err, err
    finally:
        first.kill()
        first.wait()
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 10)
    err = go("mlp", "--checkpoint", ck, "--checkpoint-every", 10, status=2)
    assert f"{ck}: holds checkpoints up to step 20: give --resume to go on from them, or another folder" in err, err


def test_what_does_not_fit_is_said():
    compile_model("mlp")
    ck = fresh("ck")
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 5, steps=5)

    def says(text, *options, model="mlp", compiled=(), exe="other.zexe"):
        compile_model(model, *compiled, exe=exe)
        err = go(model, "--checkpoint", ck, "--resume", *options, exe=exe, status=2)
        assert text in err, err
    says("a checkpoint of another model: missing: blocks.0.attn.", model="gpt2")
    says("a checkpoint of optimizer adamw, the executable has sgd", compiled=["--optimizer=sgd"])
    says("does not train", compiled=["--optimizer=forward"])
    compile_model("mlp", "--freeze=w1", exe="frozen.zexe")
    frozen = fresh("frozen")
    go("mlp", "--checkpoint", frozen, "--checkpoint-every", 5, steps=5, exe="frozen.zexe")
    ck = frozen
    says("state of the optimizer is missing: moment1 of w1, moment2 of w1; its parameters alone can be loaded with --params")
    err = go("mlp", "--checkpoint", fresh("none"), "--resume", params=False, status=2)
    assert "--params or --init-seed is needed" in err
    # Tokens in another order.
    with open(path("tokens"), "wb") as f:
        f.write(bytes(random.Random(1).choices(range(64), k=20000)))
    compile_model("gpt2")
    tokens = ["--tokens", path("tokens"), "--token-type", "u8", "--params", os.path.join(DATA, "gpt2", "params.safetensors")]
    ck = fresh("ck")
    call("zrun", path("model.zexe"), *tokens, "--steps", 4, "--checkpoint", ck, "--checkpoint-every", 2, "--seed", 3, "--quiet")
    _, err = call("zrun", path("model.zexe"), *tokens, "--steps", 6, "--checkpoint", ck, "--resume", "--quiet", status=2)
    assert "the run had --seed 3, this one has 0" in err, err
    call("zrun", path("model.zexe"), *tokens, "--steps", 6, "--checkpoint", ck, "--resume", "--seed", 3, "--quiet")


def test_damaged_ones_are_passed_over():
    compile_model("mlp", "--mesh=data=2")
    ck = fresh("ck")
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 5, "--keep", 4)
    want = losses()
    with open(f"{ck}/step-000000020/rank-00001.safetensors", "r+b") as f:
        f.seek(-9, 2)
        f.write(b"x")
    os.truncate(f"{ck}/step-000000015/index.json", 300)
    err = go("mlp", "--checkpoint", ck, "--resume", "--checkpoint-every", 5)
    assert f"warning: {ck}/step-000000020/rank-00001.safetensors: damaged: its checksum is" in err, err
    assert f"warning: {ck}/step-000000015/index.json: damaged" in err and "step-000000010" in err, err
    assert losses() == want
    # Replaced, and the last two are kept.
    assert sorted(os.listdir(ck)) == ["lock", "step-000000015", "step-000000020"]
    assert "nothing to do: 20 steps are done" in go("mlp", "--checkpoint", ck, "--resume")
    refused("zrun", path("model.zexe"), "--params", f"{ck}/step-000000015x", "--steps", 1, says="cannot open")


def test_parameters_of_a_checkpoint():
    """--params takes a checkpoint, in any precision, under other names; --export gives the same tensors."""
    compile_model("mlp")
    ck = fresh("ck")
    go("mlp", "--checkpoint", ck, "--checkpoint-every", 5, "--save-params", path("saved"), steps=5)
    out, _ = call("zrun", "--export", ck, "-o", path("exported"))
    assert out == f"{path('exported')}: step 5 of {ck}/step-000000005\n", out
    assert read_safetensors(path("exported")) == read_safetensors(path("saved"))
    batches = os.path.join(DATA, "mlp", "batches.safetensors")
    for source in (ck, f"{ck}/step-000000005", path("saved")):
        call("zrun", path("model.zexe"), "--params", source, "--batches", batches, "--steps", 1, "--lr=0", "--quiet",
             "--save-params", path("again"))
        assert read_safetensors(path("again")) == read_safetensors(path("saved")), source
    call("zrun", "--export", ck, "--with-moments", "-o", path("all"))
    assert "moment2:w1" in read_safetensors(path("all"))
    imported = fresh("imported")
    call("zrun", "--import", path("all"), "--checkpoint", imported)
    go("mlp", "--checkpoint", ck, "--resume")
    want = losses()
    go("mlp", "--checkpoint", imported, "--resume")
    assert losses() == want
    refused("zrun", "--import", path("saved"), "--checkpoint", fresh("x"), says="--params")
    refused("zrun", "--export", fresh("x"), "-o", path("y"), says="no whole checkpoint")


def write_safetensors(file, tensors):
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header).encode()
    with open(file, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + body)


def bf16(data):
    values = struct.unpack(f"<{len(data) // 4}I", data)
    return struct.pack(f"<{len(values)}H", *[(v + 0x7FFF + ((v >> 16) & 1)) >> 16 for v in values])


def test_weights_of_other_names_layouts_and_types():
    """A sharded set as Hugging Face writes it: transposed, fused, in bf16."""
    compile_model("mlp", "--mesh=data=2,tensor=2", "--zero=3")
    plain = read_safetensors(os.path.join(DATA, "mlp", "params.safetensors"))
    w = {name: ("BF16", shape, bf16(data)) for name, (dtype, shape, data) in plain.items()}

    def transposed(name):
        dtype, (rows, columns), data = w[name]
        cells = [data[2 * i:2 * i + 2] for i in range(rows * columns)]
        return dtype, [columns, rows], b"".join(cells[r * columns + c] for c in range(columns) for r in range(rows))
    shards = [{"layer.1.weight": transposed("w1"), "layer.1.bias": w["b1"], "unused.x": w["b1"]},
              {"layer.2.weight": transposed("w2"), "layer.2.bias": w["b2"]},
              # w3 and its bias in one, a row more.
              {"head": ("BF16", [w["w3"][1][0] + 1, w["w3"][1][1]], w["w3"][2] + w["b3"][2])}]
    index = {}
    for i, shard in enumerate(shards):
        name = f"model-{i + 1:05}-of-00003.safetensors"
        write_safetensors(path(name), shard)
        index.update({tensor: name for tensor in shard})
    with open(path("m.index.json"), "w") as f:
        json.dump({"metadata": {"total_size": 1}, "weight_map": index}, f)
    rows = w["w3"][1][0]

    def rename(text):
        with open(path("names"), "w") as f:
            f.write(text)
        return ["--params", path("m.index.json"), "--rename", path("names"), "--batches",
                os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 1, "--lr=0", "--quiet"]
    good = (f"w3 = slice(head, 0, 0, {rows})\nb3 = reshape(slice(head, 0, {rows}, {rows + 1}), {w['w3'][1][1]})\n"
            "ignore unused.{any}\n")
    call("zrun", path("model.zexe"), *rename("w{i} = transpose(layer.{i}.weight)\nb{i} = layer.{i}.bias\n".replace("{i}", "1")
                                             + "w2 = transpose(layer.2.weight)\nb2 = layer.2.bias\n" + good),
         "--save-params", path("got"))
    got = read_safetensors(path("got"))
    for name, (dtype, shape, data) in w.items():
        assert got[name][1] == shape and bf16(got[name][2]) == data, name
    refused("zrun", path("model.zexe"), *rename("w1 = layer.1.weight\nw1 = layer.2.weight\n"), says="names:2: w1 has a line already")
    refused("zrun", path("model.zexe"), *rename("w{i} = transpose(layer.{i}.weight)\n"), says="names:1: ")
    refused("zrun", path("model.zexe"), *rename("w1 = transpose(layer.1.weight)\n" + good),
            says="missing: b1, b2, w2; surplus: layer.1.bias, layer.2.bias, layer.2.weight")


def test_processes_write_and_read_together():
    """Four processes save what four threads save, go on from it, and stop together at SIGTERM."""
    if not os.path.exists(os.path.join(BIN, "libzcc-gloo.so")):
        return
    compile_model("mlp", "--mesh=data=2,tensor=2", "--zero=3")
    go("mlp", "--checkpoint", fresh("local"), "--checkpoint-every", 5, steps=10)
    go("mlp")
    want = losses()

    def together(*options, status=0, act=None, **kw):
        processes = launch.start([command("mlp", *options, **kw)] * 4, stderr=subprocess.PIPE, text=True)
        if act:
            act(processes)
        errors = [p.communicate(timeout=120)[1] for p in processes]
        assert [p.returncode for p in processes] == [status] * 4, errors
        return errors
    ck = fresh("ck")
    together("--checkpoint", ck, "--checkpoint-every", 5, steps=10)
    for name in sorted(os.listdir(f"{ck}/step-000000010")):
        with open(f"{ck}/step-000000010/{name}", "rb") as a, open(f"{path('local')}/step-000000010/{name}", "rb") as b:
            assert a.read() == b.read(), name
    together("--checkpoint", ck, "--resume")
    assert losses() == want
    with open(f"{ck}/step-000000010/rank-00002.safetensors", "r+b") as f:
        f.seek(-1, 2)
        f.write(b"?")
    errors = together("--checkpoint", ck, "--resume", steps=12)
    assert "rank-00002.safetensors: damaged" in errors[0] and "step-000000005" in errors[0], errors

    def stop_one(processes):
        wait_for_steps(3)
        processes[2].send_signal(signal.SIGTERM)
    os.remove(path("log.jsonl"))
    together("--checkpoint", fresh("stopped"), steps=10**6, act=stop_one)
    done = max(losses())
    assert os.listdir(path("stopped") + f"/step-{done:09}")
    together("--checkpoint", path("stopped"), "--resume", status=2, steps=20, act=lambda p: None, exe="gone.zexe")


def test_killed_processes_lose_nothing():
    if not os.path.exists(os.path.join(BIN, "libzcc-gloo.so")):
        return
    compile_model("mlp", "--mesh=data=4", "--zero=2")
    kills = max(3, KILLS // 4)
    steps = 200 * kills
    go("mlp", steps=steps)
    want, rng, ck = losses(), random.Random(6), fresh("ck")
    line = command("mlp", "--checkpoint", ck, "--checkpoint-every", 2, "--resume", steps=steps)
    for _ in range(kills):
        processes = launch.start([line] * 4, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.5, 1.5))
        processes[rng.randrange(4)].kill()
        for p in processes:
            p.wait(timeout=30)
    processes = launch.start([line] * 4, stderr=subprocess.DEVNULL)
    assert [p.wait(timeout=120) for p in processes] == [0] * 4
    assert losses() == want and not glob.glob(f"{ck}/writing-*")


def test_a_stream_goes_on_where_it_was():
    """Standard input is given from its beginning again."""
    compile_model("mlp")
    go("mlp", steps=6)
    want, stream = losses(), b""
    tensors = read_safetensors(os.path.join(DATA, "mlp", "batches.safetensors"))
    for step in range(6):
        one = {}
        for name, (dtype, shape, data) in tensors.items():
            size = len(data) // shape[0]
            one[name] = (dtype, shape[1:], data[step * size:(step + 1) * size])
        write_safetensors(path("step"), one)
        with open(path("step"), "rb") as f:
            message = f.read()
        stream += struct.pack("<Q", len(message)) + message
    ck = fresh("ck")
    for steps in (4, 6):
        line = [word if not word.endswith("batches.safetensors") else "-" for word in
                command("mlp", "--checkpoint", ck, "--checkpoint-every", 2, "--resume", steps=steps)]
        p = subprocess.run(line, input=stream, capture_output=True, timeout=60)
        assert p.returncode == 0, p.stderr
    assert losses() == want


KILLS = int(os.environ.get("KILLS", 12))

if __name__ == "__main__":
    run(globals())
