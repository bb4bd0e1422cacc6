# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lion (Chen et al., Symbolic Discovery of Optimization Algorithms, 2023, algorithm 2) against the model mlp in float64."""
from harness import *

STEPS, RATE, DECAY, B1 = 6, 1e-3, 0.1, 0.9


def matrices(file):
    """{name: rows of numbers}; a vector is a list of them."""
    out = {}
    for name, (kind, shape, data) in read_safetensors(file).items():
        values = array.array({"F32": "f", "I32": "i"}[kind], data).tolist()
        out[name] = nested(values, shape)
    return out


def nested(values, shape):
    if len(shape) <= 1:
        return values
    size = len(values) // shape[0]
    return [nested(values[i * size:(i + 1) * size], shape[1:]) for i in range(shape[0])]


def flat(x):
    return [v for row in x for v in flat(row)] if isinstance(x, list) else [x]


def transposed(a):
    return [list(column) for column in zip(*a)]


def product(a, b):
    columns = transposed(b)
    return [[sum(map(float.__mul__, row, column)) for column in columns] for row in a]


def mapped(f, *trees):
    return [mapped(f, *parts) for parts in zip(*trees)] if isinstance(trees[0], list) else f(*trees)


def loss_and_gradients(p, images, labels):
    h0 = [[float(v) for v in flat(image)] for image in images]
    h1 = [[math.tanh(v + b) for v, b in zip(row, p["b1"])] for row in product(h0, p["w1"])]
    a2 = [[v + b for v, b in zip(row, p["b2"])] for row in product(h1, p["w2"])]
    h2 = mapped(lambda v: max(v, 0.0), a2)
    loss, d = 0, []
    for row, label in zip(product(h2, p["w3"]), labels):
        z = [v + b for v, b in zip(row, p["b3"])]
        e = [math.exp(v - max(z)) for v in z]
        loss -= math.log(e[label] / sum(e)) / len(labels)
        d.append([(v / sum(e) - (j == label)) / len(labels) for j, v in enumerate(e)])
    d2 = mapped(lambda v, a: v if a > 0 else 0.0, product(d, transposed(p["w3"])), a2)
    d1 = mapped(lambda v, h: v * (1 - h * h), product(d2, transposed(p["w2"])), h1)
    return loss, {"w3": product(transposed(h2), d), "b3": [sum(c) for c in zip(*d)],
                  "w2": product(transposed(h1), d2), "b2": [sum(c) for c in zip(*d2)],
                  "w1": product(transposed(h0), d1), "b1": [sum(c) for c in zip(*d1)]}


def expected(decay, b2):
    """Losses, parameters and moments, these two flat."""
    p = matrices(os.path.join(DATA, "mlp", "params.safetensors"))
    batches = matrices(os.path.join(DATA, "mlp", "batches.safetensors"))
    m = {k: mapped(lambda _: 0.0, v) for k, v in p.items()}
    losses = []
    for s in range(STEPS):
        loss, g = loss_and_gradients(p, batches["image"][s], batches["label"][s])
        losses.append(loss)
        for k in p:
            own = decay if isinstance(p[k][0], list) else 0

            def update(p, m, g):
                c = B1 * m + (1 - B1) * g
                return p - RATE * ((c > 0) - (c < 0) + own * p)
            p[k] = mapped(update, p[k], m[k], g[k])
            m[k] = mapped(lambda m, g: b2 * m + (1 - b2) * g, m[k], g[k])
    return losses, {k: flat(v) for k, v in p.items()}, {k: flat(v) for k, v in m.items()}


def check(options, want):
    losses, p, m = want
    ck = path("ck")
    subprocess.run(["rm", "-rf", ck])
    call("zrun", path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"),
         "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", STEPS, "--lr", RATE, "--log", path("log"),
         "--checkpoint", ck, "--checkpoint-every", STEPS, "--quiet", *options)
    with open(path("log")) as f:
        found = [line["loss"] for line in map(json.loads, f) if "step" in line]
    assert off(found, losses) < 2e-6, (found, losses)
    call("zrun", "--export", ck, "--with-moments", "-o", path("all"))
    state = {k: flat(v) for k, v in matrices(path("all")).items()}
    assert sorted(state) == sorted([*p, *("moment1:" + k for k in p)]), sorted(state)
    for k in p:
        # A sum that is nearly zero may have another sign in f32: the parameter is then 2 lr away.
        away = [abs(a - b) for a, b in zip(state[k], p[k])]
        far = sum(a > 1e-6 for a in away)
        assert far <= 0.002 * len(away) and max(away) < 2.1 * RATE * STEPS, (k, far, max(away))
        assert max(abs(a - b) for a, b in zip(state["moment1:" + k], m[k])) < 1e-4 * max(map(abs, m[k])) + 1e-7, k


def test_against_float64():
    compile_model("mlp", "--optimizer=lion")
    check(["--weight-decay", DECAY], expected(DECAY, 0.99))  # as the paper has it, if not given
    check(["--b1", B1, "--b2", 0.5], expected(0, 0.5))
    said, _ = call("zrun", path("model.zexe"), "--check")
    assert "lion (--b1 [0.9], --b2 [0.99], --weight-decay [0.0])" in said, said


def test_on_meshes():
    want = expected(DECAY, 0.99)
    for options in (["--mesh=data=2", "--zero=3"], ["--mesh=data=2,tensor=2", "--zero=1", "--microbatches=2"]):
        compile_model("mlp", "--optimizer=lion", *options)
        check(["--weight-decay", DECAY], want)


def test_resumed_to_the_bit_on_another_mesh():
    base = ["zrun", path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"),
            "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--lr", RATE, "--quiet"]
    compile_model("mlp", "--optimizer=lion", "--mesh=data=2", "--zero=3")
    call(*base, "--steps", 8, "--save-params", path("whole"))
    call(*base, "--steps", 4, "--checkpoint", path("half"), "--checkpoint-every", 4)
    compile_model("mlp", "--optimizer=lion", "--mesh=data=2", "--zero=1")
    call(*base, "--steps", 8, "--checkpoint", path("half"), "--resume", "--save-params", path("resumed"))
    assert read_safetensors(path("whole")) == read_safetensors(path("resumed"))


def test_settings_of_others_are_noted():
    compile_model("mlp", "--optimizer=lion")
    _, said = call("zrun", path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"),
                   "--batches", os.path.join(DATA, "mlp", "batches.safetensors"), "--steps", 1, "--momentum", 0.9, "--b1", 0.5, "--quiet")
    assert "note: --momentum: an executable of optimizer lion does not read it" in said and "--b1" not in said, said


run(globals())
