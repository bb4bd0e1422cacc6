# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs examples/pytorch: each ends, and its loss falls."""
import glob
import os
import re
import subprocess
import sys

import pytest

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "pytorch")
EXAMPLES = sorted(os.path.basename(f) for f in glob.glob(os.path.join(FOLDER, "*.py")))


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    for package in ("transformers", "peft"):
        pytest.importorskip(package)
    done = subprocess.run([sys.executable, os.path.abspath(os.path.join(FOLDER, name))], cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    losses = [float(x) for x in re.findall(r"step \d+: (?:loss|divergence) ([0-9.]+)", done.stdout)]
    assert len(losses) >= 3 and losses[-1] < losses[0], done.stdout
    if name == "llama_lora.py":
        assert os.path.exists(tmp_path / "llama-adapter" / "adapter_model.safetensors")


def test_the_guide(tmp_path):
    """The code of docs/pytorch.md runs as it stands there."""
    page = open(os.path.join(FOLDER, "..", "..", "docs", "pytorch.md"), encoding="utf-8").read()
    code = re.search(r"<!-- file: module.py -->\n```python\n(.*?)```", page, re.S)[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and re.match(r"loss [\d.]+, then [\d.]+; right \d+%", done.stdout), done.stdout + done.stderr[-2000:]
