# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A ResNet with running statistics of its batches, trained for 50 steps and evaluated with the statistics, as JAX does both."""
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc

STEPS, RATE, MOMENTUM, KEPT = 50, 0.02, 0.9, 0.9
SLACK = 10  # how many times the error of JAX's float32 ours may be
CLASSES, WIDTH, SIDE, ROWS = 4, 8, 12, 32


def network():
    """Returns parameters and state: a stem, three blocks of two convolutions, of which two halve the picture, and a head."""
    random = np.random.default_rng(0)
    conv = lambda k, i, o: (random.standard_normal((k, k, i, o)) * math.sqrt(2 / (k * k * i))).astype("f")
    norm = lambda c: {"scale": np.ones(c, "f"), "bias": np.zeros(c, "f")}
    running = lambda c: {"mean": np.zeros(c, "f"), "var": np.ones(c, "f")}
    params = {"stem": conv(3, 3, WIDTH), "norm": norm(WIDTH), "blocks": []}
    state = {"norm": running(WIDTH), "blocks": [], "steps": np.int32(0)}
    for inputs, outputs in ((WIDTH, WIDTH), (WIDTH, 2 * WIDTH), (2 * WIDTH, 4 * WIDTH)):
        block = {"conv1": conv(3, inputs, outputs), "norm1": norm(outputs), "conv2": conv(3, outputs, outputs), "norm2": norm(outputs)}
        statistics = {"norm1": running(outputs), "norm2": running(outputs)}
        if inputs != outputs:
            block |= {"skip": conv(1, inputs, outputs), "norm3": norm(outputs)}
            statistics |= {"norm3": running(outputs)}
        params["blocks"].append(block)
        state["blocks"].append(statistics)
    params["head"] = {"w": (random.standard_normal((4 * WIDTH, CLASSES)) / math.sqrt(4 * WIDTH)).astype("f"), "b": np.zeros(CLASSES, "f")}
    return params, state


def convolve(x, w, stride=1):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalize(p, running, x, trains):
    """Returns x by the statistics of the batch, or by the running ones, and the new running ones."""
    if trains:
        mean, var = x.mean((0, 1, 2)), x.var((0, 1, 2))
        count = x.size // x.shape[-1]
        running = {"mean": KEPT * running["mean"] + (1 - KEPT) * mean, "var": KEPT * running["var"] + (1 - KEPT) * var * count / (count - 1)}
    else:
        mean, var = running["mean"], running["var"]
    return (x - mean) * jax.lax.rsqrt(var + 1e-5) * p["scale"] + p["bias"], running


def logits(params, state, images, trains):
    new = {"blocks": [], "steps": state["steps"] + 1}
    x, new["norm"] = normalize(params["norm"], state["norm"], convolve(images, params["stem"]), trains)
    x = jax.nn.relu(x)
    for p, s in zip(params["blocks"], state["blocks"]):
        stride, after = 2 if "skip" in p else 1, {}
        h, after["norm1"] = normalize(p["norm1"], s["norm1"], convolve(x, p["conv1"], stride), trains)
        h, after["norm2"] = normalize(p["norm2"], s["norm2"], convolve(jax.nn.relu(h), p["conv2"]), trains)
        if "skip" in p:
            x, after["norm3"] = normalize(p["norm3"], s["norm3"], convolve(x, p["skip"], stride), trains)
        x = jax.nn.relu(x + h)
        new["blocks"].append(after)
    return x.mean((1, 2)) @ params["head"]["w"] + params["head"]["b"], new


def cross_entropy(z, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(z), labels[:, None], 1))


def loss(params, state, batch):
    z, new = logits(params, state, batch["images"], True)
    return cross_entropy(z, batch["labels"]), (new, {"hits": jnp.mean((jnp.argmax(z, -1) == batch["labels"]).astype("float32"))})


def evaluated(params, state, batch):
    z, _ = logits(params, state, batch["images"], False)
    return {"entropy": cross_entropy(z, batch["labels"]), "logits": z}


def batches():
    """A bright square in one of four corners."""
    random = np.random.default_rng(1)
    for _ in range(STEPS + 1):
        labels = random.integers(0, CLASSES, ROWS).astype("int32")
        images = random.standard_normal((ROWS, SIDE, SIDE, 3)).astype("f")
        for image, label in zip(images, labels):
            row, column = SIDE // 2 * (label // 2), SIDE // 2 * (label % 2)
            image[row:row + SIDE // 2, column:column + SIDE // 2] += 0.5
        yield {"images": images, "labels": labels}


def by_jax(data, dtype, draw=0):
    """Returns losses, and parameters, state and evaluation after the last step. With a `draw`, weights differ in their last bit."""
    cast = lambda tree: jax.tree.map(lambda a: jnp.asarray(a, dtype if np.issubdtype(a.dtype, np.floating) else a.dtype), tree)
    params, state = map(cast, network())
    if draw:
        random = np.random.default_rng(draw)
        params = jax.tree.map(lambda a: (a * (1 + 6e-8 * random.integers(-1, 2, a.shape))).astype(dtype), params)
    velocity = jax.tree.map(jnp.zeros_like, params)

    @jax.jit
    def step(params, velocity, state, batch):
        (value, (state, _)), gradients = jax.value_and_grad(loss, has_aux=True)(params, state, batch)
        velocity = jax.tree.map(lambda v, g: MOMENTUM * v + g, velocity, gradients)
        return value, jax.tree.map(lambda p, v: p - RATE * v, params, velocity), velocity, state

    losses = []
    for batch in data[:-1]:
        value, params, velocity, state = step(params, velocity, state, cast(batch))
        losses.append(float(value))
    return losses, params, state, evaluated(params, state, cast(data[-1]))


def errors(found, exact):
    """Returns the relative error, in the norm, of each of losses, parameters, state and evaluation."""
    flat = lambda tree: np.concatenate([np.ravel(np.asarray(x, np.float64)) for x in jax.tree.leaves(tree)])
    return [np.linalg.norm(flat(a) - flat(b)) / np.linalg.norm(flat(b)) for a, b in zip(found, exact)]


@pytest.fixture(scope="module")
def trained():
    data = list(batches())
    with jax.enable_x64(True):
        exact = jax.tree.map(np.asarray, by_jax(data, np.float64))
    # The end of a training in float32 is one draw of its rounding.
    return data, exact, np.max([errors(by_jax(data, np.float32, draw), exact) for draw in range(3)], 0)


@pytest.mark.parametrize("options", [{}, {"mesh": "data=2"}, {"mesh": "data=2", "zero": 3}], ids=str)
def test_fifty_steps_are_those_of_jax(trained, options):
    data, exact, own = trained
    assert exact[0][-1] < exact[0][0] / 2 and exact[2]["steps"] == STEPS
    params, state = network()
    with zcc.compile(loss, params, data[0], state=state, optimizer=zcc.SGD(lr=RATE, momentum=MOMENTUM), **options) as step:
        losses = [step(batch).loss for batch in data[:-1]]
        found = losses, step.params, step.state, step.predict(data[-1], evaluated)
        off = errors(found, exact)
        print(f"errors of losses, parameters, state and evaluation: {off}, of JAX's float32: {own}")
        assert all(a <= SLACK * b for a, b in zip(off, own)), (off, own)
        assert step.state["steps"] == STEPS
        assert step.evaluate(data[-1], evaluated).entropy == pytest.approx(float(exact[3]["entropy"]), rel=1e-4)
