# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables of figures in pages of Markdown, between two comments."""


def renew(file, marks, table):
    """Puts the text `table` between the two comments `marks` of a page, in the place of what is there."""
    with open(file) as f:
        before, _, rest = f.read().partition(marks[0])
        after = rest.partition(marks[1])[2]
    with open(file, "w") as f:
        f.write(f"{before}{marks[0]}\n{table}\n{marks[1]}{after}")
