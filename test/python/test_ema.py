# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Averages of the parameters: against the parameters of each step, on meshes, in evaluation and checkpoints."""
import jax
import numpy as np
import pytest

import zcc
from models import MESHES, batches, classify, logits, network

DECAY = 0.9


def make(seed=0):
    rng = np.random.default_rng(seed)
    return network(rng, 10, 16, 5), batches(rng)


def averaged(average, params):
    """The average after one more step, in f32."""
    kept, taken = np.float32(DECAY), np.float32(1 - DECAY)
    return jax.tree.map(lambda a, p: kept * a + taken * p, average, params)


def same(found, expected):
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)))


@pytest.mark.parametrize("options", MESHES, ids=str)
def test_to_the_bit_by_the_parameters_of_each_step(options):
    params, data = make()
    with zcc.compile(classify, params, data[0], optimizer=zcc.AdamW(lr=0.01), ema=DECAY, **options) as step:
        expected = params
        assert same(step.ema, params)
        for b in data:
            step(b)
            expected = averaged(expected, step.params)
            assert same(step.ema, expected)
        assert not same(step.ema, step.params)


def test_training_is_as_without():
    params, data = make()
    found = []
    for ema in ({}, {"ema": DECAY}):
        with zcc.compile(classify, params, data[0], mesh="data=2", zero=1, **ema) as step:
            found.append(([step(b).loss for b in data], step.params))
    assert found[0][0] == found[1][0] and same(found[0][1], found[1][1])


def test_evaluated_and_predicted():
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", zero=3, optimizer=zcc.SGD(lr=0.5), ema=DECAY) as step:
        for b in data:
            step(b)
        average, trained = step.ema, step.params
        loss, _ = classify(average, data[0])
        assert step.evaluate(data[0], ema=True).loss == pytest.approx(float(loss), rel=1e-5)
        assert step.evaluate(data[0], ema=True).loss != step.evaluate(data[0]).loss
        np.testing.assert_allclose(step.predict(data[0], logits, ema=True), logits(average, data[0]), atol=1e-5)
        np.testing.assert_allclose(step.predict(data[0], logits), logits(trained, data[0]), atol=1e-5)
        # Reading and evaluating them change nothing.
        assert same(step.ema, average) and same(step.params, trained)


def test_assigned():
    params, data = make()
    other, _ = make(1)
    with zcc.compile(classify, params, data[0], optimizer=zcc.SGD(lr=0.1), ema=DECAY) as step:
        step.params = other  # before the first step: the averages begin anew
        assert same(step.ema, other)
        step(data[0])
        average = step.ema
        step.params = params
        assert same(step.ema, average)
        step.ema = params
        assert same(step.ema, params) and same(step.params, params)
        step(data[1])
        assert same(step.ema, averaged(params, step.params))
        with pytest.raises(zcc.Error, match=r"ema: expected the leaves .*missing: 1\.b"):
            step.ema = [params[0], {"w": params[1]["w"]}]


def test_frozen_parameters_stand_for_themselves():
    params, data = make()
    with zcc.compile(classify, params, data[0], freeze="0.*", optimizer=zcc.SGD(lr=0.5), ema=DECAY) as step:
        step(data[0])
        found = step.ema
        assert np.array_equal(found[0]["w"], params[0]["w"]) and not np.array_equal(found[1]["w"], step.params[1]["w"])
        step.ema = jax.tree.map(np.zeros_like, params)
        assert np.array_equal(step.ema[0]["w"], params[0]["w"]) and not np.any(step.ema[1]["w"])


def test_narrow_types_are_averaged_in_f32():
    params, data = make()
    with zcc.compile(classify, params, data[0], precision="bf16", mesh="data=2", zero=2, optimizer=zcc.SGD(lr=0.1), ema=DECAY) as step:
        expected = params
        for b in data:
            step(b)
            expected = averaged(expected, step.params)
        assert same(step.ema, expected)


def test_in_checkpoints_of_any_mesh(tmp_path, capfd):
    params, data = make()
    with zcc.compile(classify, params, data[0], mesh="data=2", zero=3, ema=DECAY) as step:
        for b in data[:2]:
            step(b)
        step.save(tmp_path / "with")
        average, trained = step.ema, step.params
    with zcc.compile(classify, params, data[0], mesh="tensor=2", ema=DECAY).load(tmp_path / "with") as step:
        assert step.count == 2 and same(step.ema, average)
    with zcc.compile(classify, params, data[0]).load(tmp_path / "with") as step:
        assert same(step.params, trained)
        step.save(tmp_path / "without")
    with zcc.compile(classify, params, data[0], mesh="data=2", zero=1, ema=DECAY).load(tmp_path / "without") as step:
        assert same(step.ema, trained)
    assert "note: " in (said := capfd.readouterr().err) and "has no averages of 0.b, 0.w, 1.b, 1.w; they begin as the parameters" in said


def test_planned(tmp_path):
    params, data = make()
    shapes = jax.eval_shape(lambda: params)
    held = [zcc.plan(classify, shapes, data[0], mesh="data=2", zero=3, **ema).report["memory"]["optimizer"] for ema in ({}, {"ema": DECAY})]
    assert 1.4 < held[1] / held[0] < 1.6


def test_refused():
    params, data = make()
    with zcc.compile(classify, params, data[0]) as step:
        for call in (lambda: step.ema, lambda: setattr(step, "ema", params), lambda: step.evaluate(data[0], ema=True),
                     lambda: step.predict(data[0], ema=True)):
            with pytest.raises(zcc.Error, match=r"keeps no averages of its parameters; compile it with zcc\.compile\(\.\.\., ema=0\.999\)"):
                call()
    with pytest.raises(zcc.Error, match="--ema: expected a number of at least 0 and less than 1, as in 0.999, found '1.5'"):
        zcc.compile(classify, params, data[0], ema=1.5)
