# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An executable for a processor that this one is not names the features that it lacks and runs nothing."""
from harness import *

WANTED = ["avx512dq", "avx512vl"]


def test_a_processor_that_this_one_is_not():
    compile_model("mlp", "--cpu=x86-64-v4")
    with open("/proc/cpuinfo") as f:
        info = f.read()
    flags = next(line for line in info.splitlines() if line.startswith("flags")).split()
    data = os.path.join(DATA, "mlp")
    command = [os.path.join(BIN, "zrun"), path("model.zexe"), "--params", os.path.join(data, "params.safetensors"),
               "--batches", os.path.join(data, "batches.safetensors"), "--steps", "1", "--save-params", path("after")]
    lacks = [name for name in WANTED if name not in flags]
    if not lacks:
        # In a mount namespace of its own /proc/cpuinfo is that of a processor without them.
        lacks = WANTED
        with open(path("cpuinfo"), "w") as f:
            f.write("".join(" ".join(w for w in line.split(" ") if w not in WANTED) for line in info.splitlines(True)))
        hide = ["unshare", "-rm", "sh", "-c", 'mount --bind "$0" /proc/cpuinfo && exec "$@"', path("cpuinfo")]
        try:
            subprocess.run([*hide, "true"], capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            print("skipped: this processor has every feature, and a namespace to hide some of them in is not allowed")
            return
        command = hide + command
    p = subprocess.run(command, capture_output=True, text=True)
    assert p.returncode == 2, f"exit {p.returncode}: {p.stderr}"
    assert "x86-64-v4" in p.stderr and "lacks" in p.stderr, p.stderr
    for name in lacks:
        assert name in p.stderr.split("lacks")[1], p.stderr
    assert not os.path.exists(path("after"))


run(globals())
