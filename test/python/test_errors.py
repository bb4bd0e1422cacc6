# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refusals: their text and place, and that the step lives on."""
import math
import os
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc
from models import batches, classify, network


def make():
    rng = np.random.default_rng(2)
    return network(rng, 10, 8, 5), batches(rng)


def refused(match, function, *arguments, **keywords):
    with pytest.raises(zcc.Error, match=match) as caught:
        function(*arguments, **keywords)
    return caught.value


def here(error):
    return error.place is not None and os.path.basename(error.place).startswith("test_errors.py:")


def test_options():
    params, data = make()
    error = refused('no option is called "zerro"; did you mean "zero"?', zcc.compile, classify, params, data[0], zerro=3)
    assert here(error)
    assert here(refused("--mesh", zcc.compile, classify, params, data[0], mesh="data=two"))
    refused("--exact: expected True or False, found 1", zcc.compile, classify, params, data[0], exact=1)
    refused("--mesh: expected one value", zcc.compile, classify, params, data[0], mesh=["data=2"])
    refused("adamw", zcc.compile, classify, params, data[0], optimizer="adam")
    refused("optimizer: expected zcc.AdamW", zcc.compile, classify, params, data[0], optimizer=3)
    refused("a device needs", zcc.compile, classify, params, data[0], memory="1kB")
    refused("does not read it", zcc.compile, classify, params, data[0], optimizer=zcc.AdamW(), momentum=0.5)


def test_losses():
    params, data = make()
    error = refused("'vector' must return a float scalar.*got float32", zcc.compile, vector, params, data[0])
    assert here(error)
    refused("must return a float scalar", zcc.compile, lambda p, b: jnp.sum(b["y"]), params, data[0])
    refused(r"'<lambda>' must return numbers as metrics, got float32\[8,10\] as 'x': return a number of it", zcc.compile,
            lambda p, b: (jnp.mean(p[0]["w"]), {"x": b["x"]}), params, data[0])
    refused("must return numbers as metrics, got str as 'name'", zcc.compile, lambda p, b: (jnp.mean(p[0]["w"]), {"name": "a"}), params, data[0])
    refused("called 'step', which every step has", zcc.compile, lambda p, b: (jnp.mean(p[0]["w"]), {"step": 1.0}), params, data[0])
    refused(r"'<lambda>' must take \(params, batch\): too many", zcc.compile, lambda p: 1.0, params, data[0])
    refused(r"'vector' must take \(params, state, batch\): too many", zcc.compile, vector, params, data[0], state={"n": np.float32(0)})
    refused(r"must take \(params, batch\): missing a required argument: 'b'", zcc.compile, lambda p, s, b: 1.0, params, data[0])
    refused("expected a function, found list", zcc.compile, params, params, data[0])
    refused("called 'lr', which every step has", zcc.compile, lambda p, b: (jnp.mean(p[0]["w"]), {"lr": 1.0}), params, data[0])
    refused("'x': expected an array|x: expected an array", zcc.compile, classify, params, {"x": "text", "y": data[0]["y"]})


def vector(params, batch):
    return batch["x"] @ params[0]["w"]


def test_batches():
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2") as step:
        assert here(refused(r"'x' is float32\[4,10\], expected float32\[8,10\]", step, {"x": data[0]["x"][:4], "y": data[0]["y"]}))
        refused("'x' has no values: it is a ShapeDtypeStruct", step, jax.eval_shape(lambda: data[0]))
        refused("missing: y", step, {"x": data[0]["x"]})
        refused("surplus: z", step, {**data[0], "z": data[0]["x"]})
        refused(r"'x' is int32\[8,10\], expected float32", step, {"x": data[0]["x"].astype("int32"), "y": data[0]["y"]})
        refused("exceed|table|bounds|below", step, {"x": data[0]["x"], "y": data[0]["y"] + 100})
        assert math.isfinite(step(data[0]).loss) and step.count == 1


def test_arguments_of_a_step(tmp_path):
    params, data = make()
    with zcc.compile(classify, params, data[0]) as step:
        assert here(refused("lr: expected a number, found 'fast'", step, data[0], lr="fast"))
        refused("lr: expected a number, found True", step, data[0], lr=True)
        refused("lr: expected a number, found ndarray", step, data[0], lr=np.ones(2))
        refused("lr: expected a number, found str|lr: expected a number, found 'fast'", step.run, data, lr="fast")
        refused("steps: expected a whole number of at least 0, found 2.5", step.run, data, steps=2.5)
        refused("save: expected a path, found int", step.save, 3)
        refused("load: expected a path, found NoneType", step.load, None)
        refused("function: expected a function, found str", step.evaluate, data[0], "loss")
        refused("the function returns no number: step.predict", step.evaluate, data[0], lambda p, b: b["x"])
        refused("must return arrays or numbers, got none", step.predict, data[0], lambda p, b: None)
        assert step(data[0]).step == 1


def test_trees():
    params, data = make()
    refused("params: Comparator raised", zcc.compile, classify, {0: params, "a": params}, data[0])
    refused(r"k: expected numbers, found key<fry>: pass the words of a key, jax.random.key_data\(key\)", zcc.compile, classify, params,
            {**data[0], "k": jax.random.key(0)})
    refused("options: expected a dictionary, found str", zcc.compile, classify, params, data[0], options="zero=3")


def test_arrays_of_other_kinds():
    """Values that zcc would read in another sense than numpy, or not at all."""
    params = {"w": np.ones((10, 4), "f")}
    x = np.arange(80, dtype="f").reshape(8, 10)

    def loss(p, b):
        return jnp.mean((b["x"] @ p["w"]) ** 2)

    masked, words = np.ma.masked_array(x, mask=x > 70), np.full((8, 10), "a")
    hidden = "x: expected an array, found one of numpy.ma with 9 masked elements: .*let the function take the mask"
    for match, value in ((hidden, masked), (r"x: expected an array of numbers, found object\[8,10\]; the types are bool", x.astype(object)),
                         (r"x: expected an array of numbers, found str32\[8,10\]", words), (r"x: expected real numbers, found complex64", x.astype("c8"))):
        assert here(refused(match, zcc.compile, loss, params, {"x": value}))
        assert here(refused(match.replace("x:", "w:").replace("8,10", "10,8"), zcc.compile, lambda p, b: jnp.mean(b["x"]), {"w": value.T}, {"x": x}))
    with zcc.compile(loss, params, {"x": x}) as step:
        expected = step.evaluate({"x": x}).loss
        refused(hidden, step, {"x": masked})
        for value in (x.astype(object), words, x.astype("c8")):
            assert here(refused(rf"'x' is {value.dtype.name}\[8,10\], expected float32", step, {"x": value}))
            refused("w: expected", setattr, step, "params", {"w": value.T[:, :4]})
        refused("w: expected an array, found one of numpy.ma", setattr, step, "params", {"w": masked.T[:, -4:]})
        deleted = jnp.asarray(x)
        deleted.delete()
        assert here(refused("x: .* cannot be read: Array has been deleted", step, {"x": deleted}))
        # The same values, however they lie in memory.
        unaligned = np.frombuffer(b"\0" + x.tobytes(), "u1")[1:].view("f").reshape(x.shape)
        for same in (np.ma.masked_array(x), np.asfortranarray(x), x.astype(">f4"), x[::-1].copy()[::-1], np.repeat(x, 2, 1)[:, ::2], unaligned):
            assert step.evaluate({"x": same}).loss == expected


def test_copies_of_steps_and_plans():
    import copy
    import pickle

    params, data = make()
    with zcc.compile(classify, params, data[0]) as step:
        plan = zcc.plan(classify, params, data[0], mesh="data=2", quiet=True)
        for function in (copy.copy, copy.deepcopy, pickle.dumps):
            refused("a step .* can be neither copied nor pickled: step.params is a copy", function, step)
            refused("a plan can be neither copied nor pickled", function, plan)
        metrics = step(data[0])
        for function in (copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))):
            assert function(metrics) == metrics and function(metrics).loss == metrics.loss


def test_keywords_of_other_types():
    params, data = make()
    for seed in ("a", -1, 1.5, 1 << 64, True):
        assert here(refused(rf"seed: expected a whole number from 0 to 2\^64 - 1, found {seed!r}", zcc.compile, classify, params, data[0], seed=seed))
    for name in ("cache", "local_batch", "quiet", "progress"):
        assert here(refused(f"{name}: expected True or False, found 'yes'", zcc.compile, classify, params, data[0], **{name: "yes"}))
    refused("cannot write '/nowhere/r.json': No such file", zcc.plan, classify, params, data[0], report="/nowhere/r.json")
    with zcc.compile(classify, params, data[0]) as step:
        for steps in (-1, "a", True, np.array([1, 2])):
            assert here(refused(f"steps: expected a whole number of at least 0, found {re.escape(repr(steps))}", step.run, data, steps=steps))
        for every in (0, -1, 1.5, "a"):
            refused(f"checkpoint_every: expected a whole number of at least 1, found {every!r}", step.run, data, checkpoint="c", checkpoint_every=every)
        refused("checkpoint: expected a path, found int", step.run, data, checkpoint=3)
        refused("'<lambda>' must return arrays or numbers, got str as 'output'", step.predict, data[0], lambda p, b: "text")
        assert here(refused("the iterable of batches raised TypeError: 'int' object is not iterable", step.run, 3))
        assert step.count == 0


def test_closed_and_missing(tmp_path):
    params, data = make()
    step = zcc.compile(classify, params, data[0])
    refused("nothing|no such|cannot|not", step.load, tmp_path / "none")
    step.close()
    step.close()
    refused("the step is closed", step, data[0])


def test_a_forked_process_is_refused():
    params, data = make()
    with zcc.compile(classify, params, data[0]) as step:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                step(data[0])
                os.write(write, b"ran")
            except zcc.Error as error:
                os.write(write, str(error).encode())
            finally:
                os._exit(0)
        os.close(write)
        said = b""
        while part := os.read(read, 4096):
            said += part
        os.waitpid(child, 0)
        assert b"forked" in said
        assert math.isfinite(step(data[0]).loss)


def test_a_library_of_another_version(tmp_path):
    import subprocess
    import sys

    source = tmp_path / "other.c"
    source.write_text("int zcc_version(void) { return 999; }\n")
    library = tmp_path / "libzcc.so"
    subprocess.run(["clang-22", "-shared", "-fPIC", "-o", library, source], check=True)
    code = "import zcc\ntry:\n  zcc.__version__\nexcept zcc.Error as e:\n  print(e)"
    said = subprocess.run([sys.executable, "-c", code], env={**os.environ, "ZCC_LIBRARY": str(library)}, capture_output=True, text=True)
    assert "expected version 1 of the C interface, found 999" in said.stdout, said


def test_parameters_that_the_loss_ignores(capfd):
    params = {"a": np.ones((10, 5), "f"), "b": np.ones(3, "f")}
    x = np.ones((8, 10), "f")
    with zcc.compile(lambda p, b: jnp.mean(b @ p["a"]), params, x, optimizer=zcc.AdamW(weight_decay=0.1)) as step:
        said = capfd.readouterr().err
        assert "test_errors.py" in said and "does not read the parameters b: they have no gradient" in said
        step(x)
        assert np.array_equal(step.params["b"], params["b"]) and not np.any(step.gradients(x)["b"])


def test_options_that_contradict_each_other():
    params, data = make()

    def says(match, **options):
        assert here(refused(match, zcc.compile, classify, params, data[0], **options))

    says("--lr: given twice, by optimizer=SGD.*and by a keyword", optimizer=zcc.SGD(lr=0.1), lr=0.2)
    says("--no-decay: given twice, by optimizer=AdamW", optimizer=zcc.AdamW(no_decay=["*.b"]), no_decay=["*"])
    says(r"--zero: given twice, by options=\{...\} and by a keyword", options={"zero": 1}, zero=3)
    says("--key-seed: zcc.compile.* makes it of its keyword seed", key_seed=3)
    says("--decay needs --steps, the step at which it ends", decay="cosine")
    says("axis 'data' stands twice", mesh="data=2,data=2")
    says("cannot read inputs in the caller's memory", target="cuda", inputs="caller")
    says("names the axis 'tensor'; the mesh has data", mesh="data=2", shard="0.w=tensor,-")
    says("a device needs .* more than the budget", memory="1kB", remat="none")
    with zcc.compile(classify, params, data[0], optimizer=zcc.SGD(lr=0.1), clip_norm=1.0) as step:
        assert step(data[0]).lr == pytest.approx(0.1)


def test_a_fork_before_the_first_use():
    import subprocess
    import sys

    code = """
import os, zcc
child = os.fork()
if child == 0:
    print("child", zcc.__version__, flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", zcc.__version__)
child = os.fork()
if child == 0:
    try:
        zcc.plan(None, {}, {}, mesh="2")
    except zcc.Error as error:
        print("later", error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100).stdout.splitlines()
    version = zcc.__version__
    assert said[:2] == [f"child {version}", f"parent {version}"] and said[2].startswith("later this process was forked"), said


def test_a_library_that_is_older(tmp_path):
    import shutil
    import subprocess
    import sys

    source = tmp_path / "other.c"
    source.write_text("int zcc_version(void) { return 1; }\n")
    library = tmp_path / "libzcc.so"
    compiler = shutil.which("clang-22") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    code = "import zcc\ntry:\n  zcc.__version__\nexcept zcc.Error as e:\n  print(e)"
    for path, message in ((library, f"{library}: has no function zcc_"), (tmp_path / "none.so", "cannot load libzcc.so: .*ZCC_LIBRARY")):
        said = subprocess.run([sys.executable, "-c", code], env={**os.environ, "ZCC_LIBRARY": str(path)}, capture_output=True, text=True)
        assert re.search(message, said.stdout), said


def test_an_executable_of_another_version(tmp_path, monkeypatch):
    """The cache of another version is not read, but compiled anew."""
    import hashlib
    import json

    monkeypatch.setenv("ZCC_CACHE", str(tmp_path))
    params, data = make()
    with zcc.compile(classify, params, data[0], quiet=True) as step:
        expected = step(data[0]).loss
    [file] = tmp_path.glob("*.zcc")
    head, _, body = file.read_bytes().partition(b"\n")
    for foreign in (body[:8] + bytes([body[8] ^ 0x7F]) + body[9:], b"of something else"):
        facts = {**json.loads(head), "size": len(foreign), "sha256": hashlib.sha256(foreign).hexdigest()}
        file.write_bytes(json.dumps(facts).encode() + b"\n" + foreign)
        with zcc.compile(classify, params, data[0], quiet=True) as step:
            assert step(data[0]).loss == expected
        assert file.read_bytes().partition(b"\n")[2] == body


def test_the_kernel_that_made_a_nan():
    def broken(p, b):
        return jnp.mean(jnp.log(b["x"] @ p["w"]) ** 2)

    params, batch = {"w": -np.ones((4, 2), "f")}, {"x": np.ones((8, 4), "f")}
    with zcc.compile(broken, params, batch, mesh="data=2", on_nan="find") as step:
        refused(r'step 1: the loss is NaN.*; NaN begins in ".*test_errors.py:\d+.*" on rank [01]', step, batch)
    # Without a NaN of its own the step tells which value had one, and steps with neither end as ever.
    params = {"w": np.full((4, 2), np.nan, "f")}
    with zcc.compile(broken, params, batch, on_nan="find") as step:
        refused('"w" has a NaN before any kernel of this process made one', step, batch)
    params = {"w": np.ones((4, 2), "f")}
    with zcc.compile(broken, params, batch, on_nan="find") as step:
        assert math.isfinite(step(batch).loss)
        assert "NaN" in str(refused(r'"x" has a NaN before any kernel of this process made one', step, {"x": np.full((8, 4), np.nan, "f")}))
    refused('--on-nan find: expected an executable for the target "cpu", got one for "reference"', zcc.compile, broken, params, batch,
            target="reference", on_nan="find")
    refused("--on-nan: expected one of", zcc.compile, broken, params, batch, on_nan="search")
