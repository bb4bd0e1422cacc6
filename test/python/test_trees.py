# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of leaves, with and without jax, and locations."""
import collections
import dataclasses
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import zcc
from zcc import _jax, _locations, _trees

Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Layer:
    w: object
    b: object


def examples():
    return [{"b": 1, "a": [2, (3, None)]}, Pair(1, {"x": 2}), 5, [], {"l": [Layer(1, 2), Layer(3, 4)]}, {1: 2}]


NAMES = [["a.0", "a.1.0", "b"], ["first", "second.x"], ["alone"], [], ["l.0.w", "l.0.b", "l.1.w", "l.1.b"], ["1"]]


def test_names_and_the_way_back():
    for tree, names in zip(examples(), NAMES):
        found = _trees.flatten(tree, "t", alone="alone")
        assert found.names == names and found.rebuild(found.leaves) == tree


def test_the_same_without_jax():
    code = ("import test_trees_examples as t; from zcc import _trees\n"
            "for tree, names in zip(t.examples(), t.NAMES):\n"
            "    found = _trees.flatten(tree, 't', alone='alone')\n"
            "    assert found.names == names and found.rebuild(found.leaves) == tree, (found.names, names)\n"
            "import sys; assert 'jax' not in sys.modules")
    source = open(__file__).read()
    kept = "\n".join(line for line in source[: source.index("def test_names")].split("\n")
                     if not line.startswith(("import jax", "import zcc", "from zcc", "import pytest")))
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "test_trees_examples.py"), "w") as f:
            f.write(kept)
        subprocess.run([sys.executable, "-c", code], check=True, cwd=folder,
                       env={**os.environ, "PYTHONPATH": folder + ":" + os.environ.get("PYTHONPATH", "")})


def test_two_leaves_of_one_name():
    with pytest.raises(zcc.Error, match="two leaves are named 'a.b'"):
        _trees.flatten({"a.b": 1, "a": {"b": 2}}, "params")


def loss(params, batch):
    return jnp.mean(jax.nn.gelu(batch @ params))


def test_any_text_is_a_key():
    name = 'a/b "c" \\ \n \t é'
    x = np.ones((8, 4), "f")
    with zcc.compile(lambda p, b: jnp.mean(b[name] @ p[name]), {name: np.ones((4, 2), "f")}, {name: x}) as step:
        assert step({name: x}).loss == 4 and list(step.params) == [name]


def test_the_other_order_of_bytes():
    x = np.ones((8, 4), ">f4")
    with zcc.compile(lambda p, b: jnp.mean(b @ p), np.ones((4, 2), ">f4"), x) as step:
        assert step(x).loss == 4 and step.params.shape == (4, 2)


def trace():
    return _jax.trace(loss, np.ones((4, 2), "f"), np.ones((8, 4), "f"), trains=True).text


def deeper():
    return trace()


def test_a_text_does_not_depend_on_the_call():
    text = trace()
    assert text == deeper() and "test_trees.py" in text and "_jax.py" not in text


def test_cutting_locations():
    text = """#loc1 = loc("user.py":3:1)
#loc2 = loc("/p/zcc/_jax.py":9:1)
#loc3 = loc("main.py":1:1)
#loc4 = loc(callsite(#loc2 at #loc3))
#loc5 = loc(callsite(#loc1 at #loc4))
#loc6 = loc("jit(f)/add"(#loc5))
module {
  add loc(#loc6)
  one loc(#loc4)
}
"""
    assert _locations.without_callers(text, "/p/zcc/") == """#loc = loc("user.py":3:1)
#loc1 = loc("jit(f)/add"(#loc))
#loc2 = loc("/p/zcc/_jax.py":9:1)
#loc3 = loc("main.py":1:1)
#loc4 = loc(callsite(#loc2 at #loc3))
module {
  add loc(#loc1)
  one loc(#loc4)
}
"""
