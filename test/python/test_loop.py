# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of steps: measured times, checkpoints written meanwhile, iterables, loggers, interruptions."""
import json
import os
import resource
import signal
import subprocess
import sys
import time
import types

import jax
import numpy as np
import pytest

import zcc
from models import batches, classify, network


def make(seed=0):
    rng = np.random.default_rng(seed)
    return network(rng, 10, 16, 5), batches(rng)


HEAD = """
import os, sys, signal, time
sys.path.insert(0, sys.argv[1])
import numpy as np, zcc
from models import batches, classify, network
rng = np.random.default_rng(0); params, data = network(rng, 10, 16, 5), batches(rng)
step = zcc.compile(classify, params, data[0], quiet=True, progress=False)
"""


def start(code, *arguments):
    """Starts a process that runs HEAD and more; sys.argv has the arguments from 2 on."""
    run = [sys.executable, "-c", HEAD + code, os.path.dirname(os.path.abspath(__file__)), *map(str, arguments)]
    return subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def checkpoints(folder):
    return sorted(name for name in os.listdir(folder) if name != "lock")


# ------------------------------------------------------------ measured times


def events(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


@pytest.mark.parametrize("options", [{"mesh": "data=2", "zero": 1}, {"mesh": "pipe=2", "microbatches": 2}, {"mesh": "data=2", "target": "reference"}],
                         ids=str)
def test_a_measured_step(options, tmp_path):
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True, **options) as step:
        step(data[0])
        with pytest.raises(zcc.Error, match="no step was measured yet; this measures one: with step.tracing"):
            step.trace()
        step.page(tmp_path / "predicted.html")
        with step.tracing():
            pass
        with pytest.raises(zcc.Error, match="no step was measured yet"):
            step.trace()
        with step.tracing():
            step(data[1])
            seconds = step(data[2]).seconds
        found = events(step.trace())
        assert {event["pid"] for event in found} == {0, 1}
        # One step, not two, and nothing outside of it: a step that is measured ends when all ranks have ended.
        assert abs(min(e["ts"] for e in found)) < 1 and max(e["ts"] + e["dur"] for e in found) <= seconds * 1e6
        arguments = [e.get("args", {}) for e in found]
        kinds = {each.get("kind") for own in arguments for each in (own, *own.get("members", ()))}
        assert kinds & ({"send"} if "microbatches" in options else {"all-reduce", "reduce-scatter", "all-gather"}), kinds
        if "microbatches" in options:
            assert {own["microbatch"] for own in arguments if "microbatch" in own} == {0, 1}
        step(data[3])
        assert events(step.trace()) == found  # a step outside of the block is not measured
        # A wait for a send is in the trace only where the send was not over yet.
        count = lambda trace: sum(not event["name"].startswith("wait for send") for event in events(trace))
        for _ in range(20):
            before = count(step.trace())
            step(data[1])  # other ranks may still run it when it returns
            with step.tracing():
                step(data[1])
            assert count(step.trace()) == before
        found = events(step.trace())
        step.trace().save(tmp_path / "t.json")
        assert json.loads((tmp_path / "t.json").read_text()) == step.trace()
        step.page(tmp_path / "measured.html")

    def shown(file):
        text = (tmp_path / file).read_text()
        begin = text.index('<script type="application/json" id="measured">') + 46
        return text[begin:text.index("</script>", begin)]

    assert shown("predicted.html") == "" and events(json.loads(shown("measured.html"))) == found


def test_measuring_ends_with_an_exception():
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True) as step:
        with pytest.raises(ValueError), step.tracing():
            step(data[0])
            raise ValueError("the user's")
        with pytest.raises(zcc.Error, match="no step was measured yet"):
            step.trace()
        assert step(data[0]).step == 2


# ------------------------------------------------------------ checkpoints


class Full:
    """No file can grow beyond a few bytes within the block."""

    def __enter__(self):
        self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, self.before[1]))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_FSIZE, self.before)


def test_an_error_of_writing_comes_later(tmp_path, capfd):
    params, data = make()
    step = zcc.compile(classify, params, data[0], quiet=True)
    step(data[0])
    step.save(tmp_path, wait=True)
    assert checkpoints(tmp_path) == ["step-000000001"]
    with Full():
        step(data[1])
        step.save(tmp_path)
        step(data[2])  # goes on
        with pytest.raises(zcc.Error, match="no checkpoint of step 2: .*too large"):
            step.save(tmp_path)
        with pytest.raises(zcc.Error, match="no checkpoint of step 3"):
            step.save(tmp_path, wait=True)
        step.save(tmp_path)
        with pytest.raises(zcc.Error, match="no checkpoint of step 3"):
            step.load(tmp_path)
        assert step.count == 3 and checkpoints(tmp_path) == ["step-000000001"]
    step.save(tmp_path)
    assert step(data[3]).step == 4
    step.save(tmp_path, wait=True)
    assert checkpoints(tmp_path) == [f"step-00000000{i}" for i in (1, 3, 4)]
    with Full():
        step(data[0])
        step.save(tmp_path)
        with pytest.raises(zcc.Error, match="no checkpoint of step 5"):
            step.close()
    step.close()
    capfd.readouterr()
    with zcc.compile(classify, params, data[0], quiet=True).load(tmp_path) as step:
        assert step.count == 4
    step = zcc.compile(classify, params, data[0], quiet=True).load(tmp_path)
    with Full(), pytest.raises(ValueError, match="the user's"), step:
        step(data[0])
        step.save(tmp_path)
        raise ValueError("the user's")
    assert "error: no checkpoint of step 5: " in capfd.readouterr().err


def test_a_checkpoint_has_the_values_of_its_step(tmp_path):
    params = {"w": np.ones((1024, 1024), "f")}
    x = np.ones((4, 1024), "f")

    def loss(p, b):
        return jax.numpy.mean(b @ p["w"])

    with zcc.compile(loss, params, x, optimizer=zcc.SGD(lr=1.0), quiet=True) as step, \
            zcc.compile(loss, params, x, optimizer=zcc.SGD(lr=1.0), quiet=True) as other:
        for _ in range(3):
            step(x)
            step.save(tmp_path / "c")
            expected = step.params["w"]
            step(x)
            assert np.array_equal(other.load(tmp_path / "c").params["w"], expected)  # a load of any step waits
            other.save(tmp_path / "c")


def test_the_end_of_the_process_waits(tmp_path):
    process = start("step(data[0]); step.save(sys.argv[2])", tmp_path)
    said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert checkpoints(tmp_path) == ["step-000000001"]
    code = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); step(data[0]); step.save(sys.argv[2])"
    process = start(code, tmp_path / "full")
    said = process.communicate(timeout=300)
    assert "error: no checkpoint of step 1: " in said[1] and checkpoints(tmp_path / "full") == [], said


def test_a_crash_leaves_no_half_checkpoint(tmp_path):
    code = "step(data[0]); step.save(sys.argv[2], wait=True); step(data[1]); step.save(sys.argv[2]); os.kill(os.getpid(), signal.SIGKILL)"
    process = start(code, tmp_path)
    process.communicate(timeout=300)
    assert process.returncode == -signal.SIGKILL
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True).load(tmp_path) as step:
        assert step.count in (1, 2)
        step.save(tmp_path, wait=True)
        assert all(name.startswith("step-") for name in checkpoints(tmp_path))  # what the other left is gone


# ------------------------------------------------------------ the end of a loop


def test_exceptions_say_which_checkpoint_is_the_last(tmp_path):
    params, data = make()

    def broken(count):
        yield from data[:count]
        raise ValueError("disk gone")

    with zcc.compile(classify, params, data[0], quiet=True) as step:
        with pytest.raises(zcc.Error, match="the iterable of batches raised ValueError: disk gone, after step 1; no checkpoint was written"):
            step.run(broken(1))
        with pytest.raises(zcc.Error, match=f"disk gone, after step 4; the last checkpoint is {tmp_path}/run/step-000000003$"):
            step.run(broken(3), checkpoint=tmp_path / "run", checkpoint_every=3)
        with pytest.raises(zcc.Error, match="the function lr raised ZeroDivisionError.*step-000000003"):
            step.run(data, lr=lambda done: 1 / 0)
        with Full(), pytest.raises(zcc.Error, match="disk gone, after step 6; the last checkpoint is .*step-000000003; no checkpoint of step 6"):
            step.run(broken(2), checkpoint=tmp_path / "run", checkpoint_every=6)
    with zcc.compile(classify, params, data[0], quiet=True, logger=lambda metrics: {}[metrics.step]).load(tmp_path / "run") as step:
        with pytest.raises(zcc.Error, match="the logger raised KeyError: 4, after step 4; the last checkpoint is .*step-000000003") as caught:
            step.run(data)
        assert isinstance(caught.value.__cause__, KeyError)
        with pytest.raises(zcc.Error, match="checkpoint_every needs checkpoint, a folder"):
            step.run(data, checkpoint_every=2)


INTERRUPTED = """
def endless():
    said = False
    while True:
        yield data[0]
        if step.count >= 3 and not said:  # this thread need not see each step
            said = True
            print("running", flush=True)
try:
    step.run(endless(), checkpoint=sys.argv[2])
except KeyboardInterrupt:
    print("count", step.count, "then", step(data[1]).step, flush=True)
    raise
"""


def test_interruption_in_a_loop(tmp_path):
    process = start(INTERRUPTED, tmp_path)
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    words = out.splitlines()[-1].split()
    count = int(words[1])
    assert words == ["count", str(count), "then", str(count + 1)] and count >= 3, (out, err)
    assert process.returncode == -signal.SIGINT and f"interrupted: the last checkpoint is {tmp_path}/step-{count:09}" in err, err
    assert checkpoints(tmp_path) == [f"step-{count:09}"]


def test_interruption_in_the_middle_of_a_step():
    # A step takes a second or so: the signal comes while it runs, and is answered when it has ended.
    code = """
import jax, threading
big = {"w": np.ones((1024, 1024), "f")}
x = np.ones((1024, 1024), "f")
slow = zcc.compile(lambda p, b: jax.numpy.mean(jax.lax.fori_loop(0, 8, lambda i, h: h @ p["w"] * 1e-3, b)), big, x, quiet=True, threads=1)
slow(x)
entered, run = [], slow._trainer.run
def timed(*arguments):
    entered.append(time.monotonic())
    threading.Timer(0.01, os.kill, (os.getpid(), signal.SIGINT)).start()
    found = run(*arguments)
    entered.append(time.monotonic())
    return found
slow._trainer.run = timed
try:
    slow(x)
    print("no interrupt")
except KeyboardInterrupt:
    slow._trainer.run = run
    print("interrupted", entered and slow.count, slow(x).step)
"""
    process = start(code)
    out, err = process.communicate(timeout=300)
    assert out == "interrupted 2 3\n", (out, err)


# ------------------------------------------------------------ iterables


def test_generators_are_read_ahead_and_no_further_than_needed():
    params, data = make()
    taken = []

    def generator():
        for i in range(100):
            taken.append(i)
            yield data[i % 4]

    with zcc.compile(classify, params, data[0], quiet=True) as step:
        batches_ = generator()
        step.run(batches_, steps=3)
        assert taken == [0, 1, 2]
        step.run(batches_, steps=5)
        assert taken == [0, 1, 2, 3, 4] and step.count == 5
        for batch in zcc.read_ahead(data):
            step(batch)
        assert step.count == 9


def test_what_is_ahead_is_read_while_a_step_runs():
    feed = zcc.read_ahead(iter(range(10)), depth=2)
    time.sleep(0.3)
    assert feed._items.qsize() == 2  # nobody has asked yet
    assert list(feed) == list(range(10)) and list(feed) == []


def test_loaders_of_torch():
    torch = pytest.importorskip("torch")
    params, data = make()
    rows = [{"x": torch.from_numpy(b["x"][i]), "y": int(b["y"][i])} for b in data for i in range(8)]
    for workers in (0, 1):
        loader = torch.utils.data.DataLoader(rows, batch_size=8, num_workers=workers, multiprocessing_context="spawn" if workers else None)
        with zcc.compile(classify, params, next(iter(loader)), quiet=True, optimizer=zcc.SGD(lr=0.1)) as step, \
                zcc.compile(classify, params, data[0], quiet=True, optimizer=zcc.SGD(lr=0.1)) as other:
            assert step.run(loader).loss == pytest.approx(other.run(data).loss, rel=1e-6) and step.count == 4


def test_iterators_of_datasets():
    datasets = pytest.importorskip("datasets")
    params, data = make()
    rows = datasets.Dataset.from_dict({n: np.concatenate([b[n] for b in data]) for n in ("x", "y")}).with_format("numpy")
    first = next(rows.iter(batch_size=8))
    with zcc.compile(classify, params, first, quiet=True, optimizer=zcc.SGD(lr=0.1)) as step, \
            zcc.compile(classify, params, data[0], quiet=True, optimizer=zcc.SGD(lr=0.1)) as other:
        expected = other.run(data).loss
        assert step.run(rows.iter(batch_size=8)).loss == pytest.approx(expected, rel=1e-6) and step.count == 4
        streamed = rows.to_iterable_dataset().with_format("numpy")
        assert step.run(streamed.iter(batch_size=8)).step == 8


# ------------------------------------------------------------ loggers


def test_tensorboard(monkeypatch, tmp_path):
    written, closed = [], []

    class SummaryWriter:
        def __init__(self, folder):
            written.append(folder)

        def add_scalar(self, name, value, step):
            written.append((name, value, step))

        def close(self):
            closed.append(True)

    fake = types.ModuleType("tensorboardX")
    fake.SummaryWriter = SummaryWriter
    for name in ("tensorboardX", "torch.utils.tensorboard"):
        written.clear()
        closed.clear()
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "tensorboardX", None)  # is not installed
            patch.setitem(sys.modules, name, fake)
            if name.startswith("torch"):
                for package in ("torch", "torch.utils"):
                    patch.setitem(sys.modules, package, types.ModuleType(package))
            logger = zcc.loggers.TensorBoard(tmp_path)
        logger(zcc.Metrics({"step": 3, "loss": 0.5, "lr": 0.1}))
        assert written == [tmp_path, ("loss", 0.5, 3), ("lr", 0.1, 3)] and not closed
        del logger
        assert closed == [True]


def test_weights_and_biases(monkeypatch):
    logged = []
    fake = types.ModuleType("wandb")
    fake.init = lambda **keywords: logged.append(keywords) or types.SimpleNamespace(log=lambda values, step: logged.append((values, step)))
    monkeypatch.setitem(sys.modules, "wandb", fake)
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True, logger=zcc.loggers.WeightsAndBiases(project="p")) as step:
        metrics = step(data[0])
    assert logged == [{"project": "p"}, (dict(metrics), 1)] and type(logged[1][0]) is dict


def test_lines_of_json(tmp_path):
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True, logger=zcc.loggers.JsonLines(tmp_path / "log")) as step:
        found = [step(batch) for batch in data[:2]]
        assert [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()] == found


# ------------------------------------------------------------ views


def test_views():
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", zero=0, quiet=True, optimizer=zcc.SGD(lr=0.1)) as step:
        view = step.view("0.w")
        before = view.copy()
        assert np.array_equal(view, params[0]["w"]) and view.dtype == np.float32
        with pytest.raises(ValueError, match="read-only"):
            view[0, 0] = 1
        step(data[0])
        assert not np.array_equal(view, before) and np.array_equal(view, step.params[0]["w"])
        step.params = params
        assert np.array_equal(view, before)
        with pytest.raises(zcc.Error, match='no parameter is called "0.v"; did you mean'):
            step.view("0.v")
    assert np.array_equal(view, before)  # the memory stays as long as the view
    with pytest.raises(zcc.Error, match="the step is closed"):
        step.view("0.w")
    with zcc.compile(classify, params, data[0], target="reference", quiet=True) as step:
        with pytest.raises(zcc.Error, match='no view of "0.w": it lies in the memory of the device; step.params has a copy'):
            step.view("0.w")
    for options, rows in (({"mesh": "data=2", "zero": 3}, 5), ({"mesh": "tensor=2", "shard": "0.w=tensor,-"}, 5)):
        with zcc.compile(classify, params, data[0], quiet=True, **options) as step:
            with pytest.raises(zcc.Error, match=rf'no view of "0.w": rank \d holds \[{rows}, 16\] of \[10, 16\]; step.params has a copy'):
                step.view("0.w")


def test_a_view_of_another_type():
    params, data = make()
    with zcc.compile(classify, params, data[0], precision="bf16", quiet=True) as step:
        assert np.array_equal(step.view("0.w"), params[0]["w"])  # the master's
    with zcc.compile(classify, jax.tree.map(lambda p: jax.numpy.asarray(p, "bfloat16"), params), data[0], quiet=True) as step:
        view = step.view("0.w")
        assert view.dtype.name in ("bfloat16", "float32") and np.allclose(view.astype("f"), params[0]["w"], atol=0.02)
    with zcc.compile(classify, jax.eval_shape(lambda: params), data[0], quiet=True) as step:
        with pytest.raises(zcc.Error, match="no values yet"):
            step.view("0.w")
