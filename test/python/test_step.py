# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps: losses, parameters, gradients, evaluation, checkpoints, and what is refused."""
import dataclasses
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc
from zcc import _library
from models import MESHES, batches, classify, logits, network, sgd_losses

RATE = 0.1


def make(seed=0):
    rng = np.random.default_rng(seed)
    return network(rng, 10, 16, 5), batches(rng)


def close(found, expected, limit=2e-6):
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit)


def test_libraries_of_nvidias_packages(monkeypatch, tmp_path):
    for name in ("cudnn/lib/libcudnn.so.9", "cu13/lib/libcublasLt.so.13", "other/lib/libother.so"):
        file = tmp_path / "nvidia" / name
        file.parent.mkdir(parents=True)
        file.touch()
    monkeypatch.setattr("sys.path", ["", "/nowhere", str(tmp_path)])
    assert _library.cuda_folders() == f"{tmp_path}/nvidia/cu13/lib:{tmp_path}/nvidia/cudnn/lib"


@pytest.mark.parametrize("options", MESHES, ids=str)
def test_losses_and_parameters_are_those_of_jax(options):
    params, data = make()
    expected, after = sgd_losses(classify, params, data, RATE)
    with zcc.compile(classify, params, data[0], optimizer=zcc.SGD(lr=RATE), **options) as step:
        found = [step(b) for b in data]
        close([m.loss for m in found], expected)
        assert step.count == 4 and [m.step for m in found] == [1, 2, 3, 4]
        assert found[0]["hits"] == found[0].hits and found[0].grad_norm > 0 and found[0].seconds > 0
        assert jax.tree.structure(step.params) == jax.tree.structure(params)
        for a, b in zip(jax.tree.leaves(step.params), jax.tree.leaves(after)):
            close(a, b)


def test_gradients_update_nothing():
    params, data = make()
    expected = jax.grad(lambda p, b: classify(p, b)[0])(params, data[0])
    with zcc.compile(classify, params, data[0], mesh="data=2") as step:
        found = step.gradients(data[0])
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
            close(a, b, 1e-6)
        assert step.count == 0
        for a, b in zip(jax.tree.leaves(step.params), jax.tree.leaves(params)):
            assert np.array_equal(a, b)


def test_gradients_of_what_is_not_trained_are_zeros():
    params = {"w": np.ones((4, 3), "f"), "frozen": np.ones((3, 2), "f"), "empty": np.ones((0, 3), "f"), "power": np.int32(2)}
    batch = np.ones((8, 4), "f")

    def loss(p, b):
        return jnp.mean((b @ p["w"] @ p["frozen"]) ** p["power"]) + p["empty"].sum()

    for options in MESHES[:2]:
        with zcc.compile(loss, params, batch, freeze="frozen", optimizer=zcc.SGD(lr=RATE), **options) as step:
            found = step.gradients(batch)
            close(found["w"], jax.grad(lambda w: loss({**params, "w": w}, batch))(params["w"]))
            assert found["frozen"].shape == (3, 2) and found["empty"].shape == (0, 3) and found["power"].shape == ()
            assert not np.any(found["frozen"]) and not found["power"]
            assert step(batch).loss == 144 and np.array_equal(step.params["frozen"], params["frozen"])


def test_the_rate_of_a_step():
    params, data = make()
    with zcc.compile(classify, params, data[0], optimizer=zcc.SGD(lr=RATE)) as step:
        assert step(data[0], lr=0.0).lr == 0
        for a, b in zip(jax.tree.leaves(step.params), jax.tree.leaves(params)):
            assert np.array_equal(a, b)
        assert step(data[0]).lr == pytest.approx(RATE)


def test_evaluation_and_prediction():
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", optimizer=zcc.SGD(lr=RATE)) as step:
        step(data[0])
        before = step.evaluate(data[1])
        assert before == {k: v for k, v in before.items()} and set(before) >= {"loss", "hits"}
        found = step.predict(data[1], logits)
        close(found, logits(step.params, data[1]), 1e-5)
        sums = step.evaluate(data[1], lambda p, b: {"sum": jnp.sum(b["x"])})
        close(sums["sum"], data[1]["x"].sum(), 1e-5)
        assert step.evaluate(data[1], lambda p, b: {"count": jnp.sum(b["y"] >= 0)})["count"] == 8
        by_row = step.predict(data[1], lambda p, b: (b["y"] * 2, {"z": logits(p, b)}))
        assert np.array_equal(by_row[0], data[1]["y"] * 2) and by_row[1]["z"].shape == (8, 5)
        assert step(data[1]).loss == pytest.approx(before.loss, rel=1e-6) and step.count == 2


def test_a_checkpoint_is_read_by_another_mesh(tmp_path):
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", zero=3) as step:
        for b in data[:2]:
            step(b)
        step.save(tmp_path / "c")
        expected = [step(b).loss for b in data[2:]]
    with zcc.compile(classify, params, data[0], mesh="tensor=2").load(tmp_path / "c") as step:
        assert step.count == 2
        close([step(b).loss for b in data[2:]], expected, 1e-5)


def test_parameters_are_assigned():
    params, data = make()
    with zcc.compile(classify, jax.eval_shape(lambda: params), data[0]) as step:
        with pytest.raises(zcc.Error, match="no values"):
            step(data[0])
        step.params = params
        close(step(data[0]).loss, float(classify(params, data[0])[0]))
        with pytest.raises(zcc.Error, match=r"missing: 1\.b"):
            step.params = [params[0], {"w": params[1]["w"]}]


def test_forms_of_trees():
    @dataclasses.dataclass
    class Layer:
        w: object
        b: object

    def loss(params, batch):
        return jnp.mean((batch @ params.w + params.b) ** 2)

    x = np.ones((8, 4), "f")
    for kind in (np.asarray, jnp.asarray):
        params = Layer(kind(np.ones((4, 2), "f")), kind(np.zeros(2, "f")))
        with zcc.compile(loss, params, x, optimizer=zcc.SGD(lr=0.1)) as step:
            assert step(x).loss == pytest.approx(16)
            assert isinstance(step.params, Layer) and type(step.params.w) is type(params.w)


def test_a_batch_is_any_array_of_its_type():
    params, data = make()
    with zcc.compile(classify, params, data[0], optimizer=zcc.SGD(lr=0.0)) as step:
        first = step(data[0]).loss
        assert step(jax.tree.map(jnp.asarray, data[0])).loss == first
        turned = {"x": np.asfortranarray(data[0]["x"]), "y": np.repeat(data[0]["y"], 2)[::2]}
        assert step(turned).loss == first
        # The other order of bytes, as files of some formats have it.
        assert step({"x": data[0]["x"].astype(">f4"), "y": data[0]["y"].astype(">i4")}).loss == first
        step.params = jax.tree.map(lambda leaf: leaf.astype(">f4"), params)
        assert step(data[0]).loss == first
    wide = {"x": data[0]["x"].astype("float64"), "y": data[0]["y"].astype("int64")}
    with zcc.compile(classify, params, wide, optimizer=zcc.SGD(lr=0.0)) as step:
        assert step(wide).loss == first


def test_state():
    def loss(params, state, batch):
        mean = (batch["x"] @ params["w"]).mean(0)
        new = {"mean": 0.9 * state["mean"] + 0.1 * mean, "steps": state["steps"] + 1}
        return jnp.mean(mean ** 2), (new, {"spread": jnp.max(mean)})

    rng = np.random.default_rng(1)
    params = {"w": rng.standard_normal((10, 4)).astype("f")}
    state = {"mean": np.zeros(4, "f"), "steps": np.int32(0)}
    data = batches(rng)
    expected = np.zeros(4)
    for b in data:
        expected = 0.9 * expected + 0.1 * (b["x"] @ params["w"]).mean(0)
    for options in MESHES:
        with zcc.compile(loss, params, {"x": data[0]["x"]}, state=state, optimizer=zcc.SGD(lr=0.0), **options) as step:
            assert [step({"x": b["x"]}).spread for b in data]
            close(step.state["mean"], expected, 1e-6)
            assert step.state["steps"] == 4
            assert step.evaluate({"x": data[0]["x"]}).spread == pytest.approx(float((data[0]["x"] @ params["w"]).mean(0).max()), rel=1e-5)
            step.state = state
            assert step.state["steps"] == 0


def test_a_loop(tmp_path):
    params, data = make()
    seen = []
    with zcc.compile(classify, params, data[0], logger=lambda m: seen.append(m.step)) as step:
        last = step.run((b for b in data), lr=lambda done: 1e-3 / (done + 1), checkpoint=tmp_path / "run", checkpoint_every=2)
        assert last.step == 4 and seen == [1, 2, 3, 4] and last.lr == pytest.approx(2.5e-4)
        assert step.run(data, steps=4) is None

        def broken():
            yield data[0]
            raise ValueError("disk gone")

        with pytest.raises(zcc.Error, match="ValueError: disk gone, after step 5; the last checkpoint is .*/run/step-000000004"):
            step.run(broken())
    with zcc.compile(classify, params, data[0]).load(tmp_path / "run") as step:
        assert step.count == 4


def test_one_call_at_a_time():
    params, data = make()
    entered, go = threading.Event(), threading.Event()
    with zcc.compile(classify, params, data[0]) as step:
        trainer = step._trainer
        original = trainer.run

        def slow(*arguments):
            entered.set()
            go.wait(10)
            return original(*arguments)

        trainer.run = slow
        thread = threading.Thread(target=step, args=(data[0],))
        thread.start()
        entered.wait(10)
        with pytest.raises(zcc.Error, match="one call at a time"):
            step(data[0])
        go.set()
        thread.join()
        assert step.count == 1


def test_import_takes_no_framework():
    import subprocess
    import sys

    code = "import sys, time; t = time.perf_counter(); import zcc; print(time.perf_counter() - t, 'jax' in sys.modules, 'torch' in sys.modules)"
    seconds, jax_, torch = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert (jax_, torch) == ("False", "False") and float(seconds) < 1


def test_keys_of_random_numbers():
    def loss(params, batch, key):
        return jnp.mean((batch["x"] * jax.random.bernoulli(key, 0.5, batch["x"].shape)) @ params["w"])

    params = {"w": np.ones((10, 1), "f")}
    batch = {"x": np.abs(batches(np.random.default_rng(3))[0]["x"])}
    seen = []
    for options in [*MESHES, {"microbatches": 2}]:
        with zcc.compile(loss, params, batch, optimizer=zcc.SGD(lr=0.0), seed=7, **options) as step:
            expected = [float(loss(params, batch, jax.random.fold_in(jax.random.key(7), t))) for t in range(4)]
            assert step.evaluate(batch).loss == pytest.approx(expected[0], rel=1e-5)
            gradient = step.gradients(batch)["w"]
            close(gradient, jax.grad(loss)(params, batch, jax.random.fold_in(jax.random.key(7), 1))["w"], 1e-5)
            seen.append([step(batch).loss for _ in range(3)])
            close(seen[-1], expected[1:], 1e-5)
            assert step.evaluate(batch, lambda p, b: {"x": jnp.sum(b["x"])}).x > 0
    with zcc.compile(loss, params, batch, optimizer=zcc.SGD(lr=0.0), seed=8) as step:
        assert step(batch).loss != seen[0][0]


def test_a_key_in_the_batch():
    def loss(params, batch):
        noise = jax.random.normal(jax.random.wrap_key_data(batch["key"]), (10, 1))
        return jnp.mean((batch["x"] @ (params["w"] + noise)) ** 2)

    params, data = {"w": np.ones((10, 1), "f")}, batches(np.random.default_rng(3))
    keyed = [{"x": b["x"], "key": np.array([3, t], "uint32")} for t, b in enumerate(data)]
    for options in [*MESHES, {"microbatches": 2}]:
        with zcc.compile(loss, params, keyed[0], optimizer=zcc.SGD(lr=0.0), quiet=True, **options) as step:
            for b in keyed:
                close(step(b).loss, loss(params, b), 1e-5)
            close(step.gradients(keyed[2])["w"], jax.grad(loss)(params, keyed[2])["w"], 1e-5)
            close(step.evaluate(keyed[1]).loss, loss(params, keyed[1]), 1e-5)
            assert step.evaluate(keyed[1], lambda p, b: {"x": jnp.sum(b["x"])}).x == pytest.approx(keyed[1]["x"].sum(), rel=1e-5)
            with pytest.raises(zcc.Error, match=r"'key' is uint32\[3\], expected uint32\[2\]"):
                step({**keyed[0], "key": np.zeros(3, "uint32")})


def test_derivatives_of_the_users_own():
    @jax.custom_vjp
    def clipped(x):
        return x * 3.0

    clipped.defvjp(lambda x: (x * 3.0, None), lambda _, g: (jnp.clip(g, -0.01, 0.01),))

    @jax.custom_jvp
    def straight(x):
        return jnp.round(x * 4) / 4

    straight.defjvp(lambda p, t: (straight(*p), t[0]))

    def loss(params, batch):
        h = straight(batch @ params["a"])
        h = h + jax.lax.stop_gradient(jnp.max(h, -1, keepdims=True)) * h
        return jnp.mean((clipped(h @ params["b"]) - 1.0) ** 2)

    rng = np.random.default_rng(4)
    params = {"a": 0.3 * rng.standard_normal((10, 8)).astype("f"), "b": 0.3 * rng.standard_normal((8, 3)).astype("f")}
    x = rng.standard_normal((8, 10)).astype("f")
    expected = jax.grad(loss)(params, x)
    for options in [*MESHES, {"microbatches": 2}]:
        with zcc.compile(loss, params, x, **options) as step:
            found = step.gradients(x)
            for n in expected:
                assert np.abs(found[n] - expected[n]).max() <= 2e-6 * np.abs(expected[n]).max(), (options, n)


@pytest.mark.parametrize("frozen", (["*"], ["*.w"]))
def test_gradients_of_frozen_parameters_are_zeros(frozen):
    rng = np.random.default_rng(8)
    params, data = network(rng, 10, 8, 5), batches(rng)
    with zcc.compile(classify, params, data[0], mesh="data=2", freeze=frozen) as step:
        gradients = step.gradients(data[0])
        step(data[0])
        for layer, before, found in zip(gradients, params, step.params):
            assert not layer["w"].any() and np.array_equal(found["w"], before["w"])
            assert layer["b"].any() == (frozen != ["*"])
