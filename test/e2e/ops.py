# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that no model of test/data has: the loss and the gradients of one step against float64."""
import array

from harness import *

OPS = os.path.join(DATA, "ops")


def test_losses_and_gradients():
    with open(os.path.join(OPS, "reference.json")) as f:
        cases = json.load(f)
    for name, case in cases.items():
        write_safetensors(path("params"), case["parameters"])
        write_safetensors(path("batches"), {k: (kind, [1, *shape], values) for k, (kind, shape, values) in case["inputs"].items()})
        call("zcc", os.path.join(OPS, name + ".mlir"), "-o", path("x.zexe"), "--quiet")
        call("zrun", path("x.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", 1,
             "--log", path("log"), "--save-grads", path("grads"))
        with open(path("log")) as f:
            loss = json.loads(f.readlines()[1])["loss"]
        assert off([loss], [case["loss"]]) <= 2e-6, f"{name}: loss {loss}, expected {case['loss']}"
        got = read_safetensors(path("grads"))
        assert sorted(got) == sorted(case["gradients"]), name
        for k, want in case["gradients"].items():
            values = array.array("f", got[k][2])
            error = math.dist(values, want) / math.hypot(*want)
            assert error <= 2e-6, f"{name}: the gradient of {k} is off by {error:.1e}"


run(globals())
