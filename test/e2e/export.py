# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/export/jax.py: what it wrote once (test/data/export) trains with JAX's numbers; where jax can be imported, it
writes the same again, and custom derivatives are followed as JAX does. JAX_PYTHON names another Python."""
import array
import re

from harness import *

EXPORT = os.path.join(DATA, "export")
TOOL = os.path.join(HERE, "..", "..", "tools", "export", "jax.py")
PYTHON = os.environ.get("JAX_PYTHON", sys.executable)


def jax_version():
    """None, with a message, where jax is missing."""
    p = subprocess.run([PYTHON, "-c", "import jax, safetensors; print(jax.__version__)"], capture_output=True, text=True)
    if p.returncode != 0:
        print(f"skipped: {PYTHON} cannot import jax and safetensors")
        return None
    return p.stdout.strip()


def export(loss, *options):
    return subprocess.run([PYTHON, os.path.abspath(TOOL), f"model.py:{loss}", "--params", "model.py:params", "--batch", "model.py:batch",
                           "-o", path("out"), *options], cwd=EXPORT, capture_output=True, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


def without_places(text):
    """The text without its locations but for the names of arguments, which are the last thing that a release changes."""
    text = re.sub(r"(?m)^#loc.*\n", "", text)
    return re.sub(r' loc\((#loc\d*|unknown|"[^"]*"\(#loc\d+\))\)', "", text)


def check_numbers(folder):
    with open(os.path.join(EXPORT, "reference.json")) as f:
        reference = json.load(f)
    call("zcc", os.path.join(folder, "loss.mlir"), "--init", os.path.join(folder, "init.mlir"), "-o", path("x.zexe"), "--quiet")
    call("zrun", path("x.zexe"), "--params", os.path.join(folder, "params.safetensors"), "--batches",
         os.path.join(folder, "batches.safetensors"), "--steps", 1, "--log", path("log"), "--save-grads", path("grads"))
    with open(path("log")) as f:
        line = json.loads(f.readlines()[1])
    assert off([line["loss"], line["accuracy"]], [reference["loss"], reference["accuracy"]]) <= 1e-6, line
    got = read_safetensors(path("grads"))
    assert sorted(got) == sorted(reference["gradients"]), sorted(got)
    for k, want in reference["gradients"].items():
        error = math.dist(array.array("f", got[k][2]), want) / math.hypot(*want)
        assert error <= 1e-6, f"the gradient of {k} is off by {error:.1e}"
    call("zrun", path("x.zexe"), "--init-seed", 3, "--batches", os.path.join(folder, "batches.safetensors"), "--steps", 2)


def test_what_was_exported_trains():
    check_numbers(EXPORT)


def test_export():
    version = jax_version()
    if version is None:
        return
    p = export("loss", "--init", "model.py:init")
    assert p.returncode == 0, p.stderr
    check_numbers(path("out"))
    if version.startswith("0.10."):
        for name in ("loss.mlir", "init.mlir"):
            with open(os.path.join(EXPORT, name)) as old, open(os.path.join(path("out"), name)) as new:
                assert without_places(old.read()) == without_places(new.read()), f"{name} differs from test/data/export"


def test_scalar_parameters_and_some_never_read():
    if jax_version() is None:
        return
    p = export("scaled_loss", "--params", "model.py:scale")
    assert p.returncode == 0, p.stderr
    call("zcc", path("out/loss.mlir"), "-o", path("x.zexe"), "--quiet")
    call("zrun", path("x.zexe"), "--params", path("out/params.safetensors"), "--batches", path("out/batches.safetensors"))


def gradients(*options):
    """The gradients of the text in out/, by name."""
    call("zcc", path("out/loss.mlir"), "--optimizer=none", "-o", path("x.zexe"), "--quiet", *options)
    call("zrun", path("x.zexe"), "--params", path("out/params.safetensors"), "--batches", path("out/batches.safetensors"),
         "--steps", 1, "--save-grads", path("grads"))
    return {k: array.array("f", v[2]) for k, v in read_safetensors(path("grads")).items()}


def gradients_of_jax(loss, params="params"):
    """The same by JAX, in float64."""
    program = (f"import jax, json, model, numpy as np; jax.config.update('jax_enable_x64', True)\n"
               f"wide = lambda t: jax.tree.map(lambda a: np.asarray(a, np.float64) if a.dtype == np.float32 else a, t)\n"
               f"tree = jax.grad(model.{loss})(wide(model.{params}()), wide(model.batch()))\n"
               f"names = lambda p: '.'.join(str(getattr(k, 'key', getattr(k, 'idx', None))) for k in p)\n"
               f"print(json.dumps({{names(p): np.ravel(a).tolist() for p, a in jax.tree_util.tree_leaves_with_path(tree)}}))")
    p = subprocess.run([PYTHON, "-c", program], cwd=EXPORT, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert p.returncode == 0, p.stderr
    return json.loads(p.stdout.splitlines()[-1])


def exported(loss, *options):
    p = export(loss, *options)
    assert p.returncode == 0, p.stderr
    with open(path("out/loss.mlir")) as f:
        return f.read().count("@zcc.custom_derivative(")


def test_custom_derivatives_are_followed():
    if jax_version() is None:
        return
    for loss in ("loss_with_another_derivative", "rules_of_all_kinds"):
        assert exported(loss) > 0, f"{loss}: no rule is carried"
        for options in ((), ("--mesh=data=2",)):
            got, want = gradients(*options), gradients_of_jax(loss)
            assert sorted(got) == sorted(want), sorted(got)
            for k in want:
                assert math.dist(got[k], want[k]) <= 2e-6 * math.hypot(*want[k]), f"{loss} {options} {k}: {got[k]}, {want[k]} by JAX"


def test_rules_are_carried_where_they_differ():
    if jax_version() is None:
        return
    assert exported("equal_rules") == 0
    # The rule differs at one value, which the parameters pass to one of two calls.
    assert exported("loss_at_a_kink", "--params", "model.py:kink") == 1
    got, want = gradients(), gradients_of_jax("loss_at_a_kink", "kink")
    assert list(got["scale"]) == want["scale"] == [7], got["scale"]


def test_special_functions_have_the_derivatives_of_jax():
    if jax_version() is None:
        return
    exported("special_functions", "--params", "model.py:special")
    got, want = gradients(), gradients_of_jax("special_functions", "special")
    for k in want:
        for a, b in zip(got[k], want[k]):
            assert abs(a - b) <= 1e-5 * abs(b) + 1e-7, f"{k}: {list(got[k])}, {want[k]} by JAX"


def test_parameters_that_can_be_called_are_a_tree():
    if jax_version() is None:
        return
    assert exported("loss_of_model", "--params", "model.py:model") == 0
    assert sorted(read_safetensors(path("out/params.safetensors"))) == ["w"]


def test_a_file_runs_once():
    if jax_version() is None:
        return
    p = export("loss", "--init", "model.py:init")
    assert p.returncode == 0 and p.stdout.count("model.py runs") == 1, p.stdout + p.stderr


def test_attributes_of_arguments_and_results():
    """lower() adds them to @main, and leaves JAX as it was."""
    if jax_version() is None:
        return
    program = f"""
import sys, jax, model
text = jax.jit(model.loss).lower(model.params(), model.batch()).as_text()
sys.path.insert(0, {os.path.join(HERE, "..", "..", "python")!r})
from zcc import _derivatives
got = _derivatives.lower(model.scaled_loss, model.scale(), model.batch(), argument_attributes=[None, {{"zcc.state": "mean"}}, {{}}, None],
                         result_attributes=[{{"zcc.result": "loss"}}])
print(next(line for line in got.splitlines() if "@main" in line))
_derivatives.lower(model.loss, model.params(), model.batch())
assert text == jax.jit(model.loss).lower(model.params(), model.batch()).as_text(), "the text of JAX changed"
try:
    _derivatives.lower(model.scaled_loss, model.scale(), model.batch(), argument_attributes=[None])
except ValueError as error:
    print(error)
"""
    p = subprocess.run([PYTHON, "-c", program], cwd=EXPORT, capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert p.returncode == 0, p.stderr
    main, error = p.stdout.splitlines()[-2:]
    assert re.search(r'%arg1: tensor<f32> \{zcc.state = "mean"\}', main) and 'zcc.result = "loss"' in main and main.count("zcc.") == 2, main
    assert error == "expected attributes for 4 values in arg_attrs, got 1", error


def test_export_refuses():
    if jax_version() is None:
        return
    for loss, says in (("loss_with_a_broken_rule", "the custom derivative of 'broken' cannot be traced"), ("loss_that_is_none", "must return a float scalar"), ("nothing", "has no 'nothing'")):
        p = export(loss)
        assert p.returncode == 2 and "error:" in p.stderr and says in p.stderr, f"{loss}: exit {p.returncode}: {p.stderr}"


run(globals())
