# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The code blocks of a page, and the comments before them that say what is done with each (see run.py)."""
import re

COMMENT = re.compile(r"<!--\s*(not run|commands|output of|first|then|file)\s*(?::\s*(.*?))?\s*-->\s*\Z", re.S)


class Block:
    def __init__(self, page, line, lines):
        self.page, self.line, self.lines = page, line, lines
        self.comments = []  # (what, text), in their order

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    def comment(self, what):
        return next((text or "" for w, text in self.comments if w == what), None)


def commands(lines):
    """Splits lines into commands: a line that ends in a backslash goes on, and so does a document that is begun by <<."""
    out, end = [], None
    for line in lines:
        if out and (end or out[-1].endswith("\\")):
            out[-1] += "\n" + line
        elif line.strip():
            out.append(line)
        begun = re.search(r"<<-?\s*'?(\w+)'?", line)
        end = begun.group(1) if begun else None if end == line.strip() else end
    return out


def session(block):
    """[(command, lines of its output)] of a block whose commands begin with `$ `."""
    out, going_on = [], False
    for line in block.lines:
        if going_on:
            out[-1][0] += "\n" + line
        elif line.startswith("$ "):
            out.append([line[2:], []])
        else:
            out[-1][1].append(line)
            continue
        going_on = line.endswith("\\")
    return out


def comments_before(lines, i):
    """The comments that end right before line i; blank lines may stand between."""
    found = []
    while True:
        while i and not lines[i - 1].strip():
            i -= 1
        if not i or not lines[i - 1].rstrip().endswith("-->"):
            return found[::-1]
        begin = i - 1
        while "<!--" not in lines[begin]:
            begin -= 1
        m = COMMENT.match("\n".join(line.strip() for line in lines[begin:i]))
        if m:
            found.append(m.groups())
        i = begin


def blocks(page, text):
    """All code blocks: between fences, and indented by four (in a list by six) after a blank line."""
    lines, found, i = text.split("\n"), [], 0
    while i < len(lines):
        fence = re.match(r"( *)```", lines[i])
        if fence:
            end = next(k for k in range(i + 1, len(lines)) if lines[k].strip() == "```")
            block = Block(page, i + 1, [line[len(fence.group(1)):] for line in lines[i + 1:end]])
        elif lines[i].startswith("    ") and i and (not lines[i - 1].strip() or lines[i - 1].rstrip().endswith("-->")):
            end = i
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            while not lines[end - 1].strip():
                end -= 1
            indent = min(len(line) - len(line.lstrip()) for line in lines[i:end] if line.strip())
            block = Block(page, i + 1, [line[indent:] for line in lines[i:end]])
            end -= 1
        elif lines[i].lstrip().startswith("<!--"):
            while "-->" not in lines[i]:
                i += 1
            i += 1
            continue
        else:
            i += 1
            continue
        block.comments = comments_before(lines, i)
        found.append(block)
        i = end + 1
    return found
