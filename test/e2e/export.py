# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tools/export/jax.py: what it wrote once (test/data/export) trains with JAX's numbers; where jax can be imported, it
writes the same again and refuses what zcc could not differentiate as JAX does. JAX_PYTHON names another Python."""
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


def test_export_refuses():
    if jax_version() is None:
        return
    for loss, says in (("loss_with_another_derivative", "the custom derivative of 'doubled' is not that of its function"),
                       ("loss_that_is_none", "must return a float scalar"), ("nothing", "has no 'nothing'")):
        p = export(loss)
        assert p.returncode == 2 and "error:" in p.stderr and says in p.stderr, f"{loss}: exit {p.returncode}: {p.stderr}"


run(globals())
