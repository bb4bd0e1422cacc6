# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests blocks.py and compare.py, of which run.py is made: pages that are wrong must be reported, and outputs that differ only by
the machine must be accepted."""
from blocks import blocks, session
from compare import missing, missing_json

PAGE = """Text.

```
$ zcc a \\
  b
one
$ zrun
```

- item

      $ in a list

<!-- not run: needs two hosts -->

    zrun x

<!-- first: M=1 -->
<!-- output of:
zcc $M
-->
```
error: no
```
"""


def main():
    found = blocks("p.md", PAGE)
    assert [b.line for b in found] == [3, 12, 16, 22], [b.line for b in found]
    assert session(found[0]) == [["zcc a \\\n  b", ["one"]], ["zrun", []]]
    assert found[1].lines == ["$ in a list"]
    assert found[2].comment("not run") == "needs two hosts"
    assert found[3].comment("first") == "M=1" and found[3].comment("output of").strip() == "zcc $M"
    assert not found[0].comments

    output = "memory   3.37 MB\npredicted   47 ms a step, MFU 39 %\nloss 5.5618\nplan: chosen among 3, more"
    assert missing(["memory 3.37 MB", "plan: ... more"], output, True) is None
    assert missing(["memory 3.38 MB"], output, True) == "memory 3.38 MB"
    assert missing(["plan: chosen among 5, more"], output, True)
    assert missing(["loss 5.5618", "memory 3.37 MB"], output, True) == "memory 3.37 MB"  # the order
    assert missing(["predicted 12 ms a step, MFU 1 %"], output, True) is None
    assert missing(["predicted 12 ms a step, MFU 1 %"], output, False)  # a machine that was named
    assert missing(["batch 8 x 128 tokens, 21.7k tokens/s predicted"], "batch 8 x 128 tokens, 900 tokens/s predicted", True) is None
    assert missing(["batch 8 x 128 tokens, 1k tokens/s predicted"], "batch 8 x 128 tokens, 2k tokens/s predicted", False)
    assert missing(["mesh data=2 (2 devices, Intel(R) Xeon(R), 2 cores)"], "mesh data=2 (2 devices, AMD EPYC, 8 cores)", True) is None
    assert missing(["loss 5.5620"], output, True) is None and missing(["loss 5.7"], output, True)
    assert missing(["z.whl: 34.0 MB, 86.2 MB installed"], "z.whl: 35.1 MB, 90.0 MB installed", False) is None
    assert missing(["plan: chosen", "    among 3, more"], output, True) is None  # a line that is broken

    report = '{"collectives": [{"kind": "permute", "bytes": 8, "why": "so"}], "seconds": 0.1}'
    assert missing_json(['{"kind": "permute",', ' "bytes": 8}'], report) is None
    assert missing_json(['{"kind": "permute", "bytes": 9}'], report)
    assert missing_json(['{"seconds": 0.7}'], report) is None


main()
