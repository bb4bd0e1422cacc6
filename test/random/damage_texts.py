# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged texts of every phase: zcc refuses each at its place, or compiles it. Standard library only.

    damage_texts.py BIN_FOLDER [--first SEED] [--count N] [--phases graph,planned] [--keep FOLDER]

Seed by seed: the text of a phase of one of several models is damaged by tokens (exchanged, left out, repeated, replaced, numbers
extreme), types, attributes, lines and regions (an op moved to another function, a region's body put into another op's), and
resumed from that phase. zcc must end with status 0 or 2 within a minute, never by a signal; an error names a place or a thing.
BIN_FOLDER has zcc and run_many, which runs each text in a process of its own.
"""
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile

from sweep import finish, parser, sweep

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
PHASES = ["input", "graph", "step", "sharded", "partitioned", "tasks", "scheduled", "planned"]
MODELS = [("mlp", ["--mesh=data=2,tensor=2", "--zero=3", "--microbatches=2"]), ("mlp", ["--mesh=data=2", "--precision=bf16", "--target=reference"]),
          ("dlrm", ["--mesh=data=2,tensor=2", "--target=reference"]), ("moe", ["--mesh=expert=2", "--microbatches=2"]),
          ("llama", ["--mesh=context=2", "--target=reference"]), ("resnet", ["--mesh=data=2"]), ("gpt2-masked", ["--mesh=data=2", "--microbatches=2"])]
NUMBERS = ["0", "-1", "1", "2", "3", "7", "64", "4294967296", "16777217", "9223372036854775807", "-9223372036854775808", "18446744073709551616",
           "1.0e308", "-1.0e999", "0x7FC00000"]
TOKEN = re.compile(r'"[^"\n]*"|[%@#^!][\w$.]+(?:#\d+)?|-?\d[\d.]*(?:e[+-]?\d+)?|[A-Za-z_][\w.$]*|->|\S')
TYPE = re.compile(r"!exec\.buffer<tensor<[^<>]*>>|tensor<[^<>]*>")
ATTRIBUTE = re.compile(r'(?<=[{,<] )"?[\w.]+"?(?: = (?:\[[^\[\]]*\]|"[^"\n]*"|[^,{}\[\]<>]+))?(?=[,}>])|(?<=\{)[\w.]+ = [^,{}\[\]<>]+(?=[,}])')
TOKEN_KINDS = ["exchange", "delete", "repeat", "replace", "replace", "number", "number", "type", "attribute", "attribute"]
LINE_KINDS = ["move", "copy", "drop", "between", "between", "operand"]
REGION_KINDS = ["body", "body", "op", "regions"]


def kind_of(token):
    return token[0] if token[0] in '%@#^!"' else "0" if re.match(r"-?\d", token) else "a" if token[0].isalpha() else token


def damage_token(rng, lines, kind):
    at = rng.randrange(len(lines))
    line = lines[at]
    pattern = {"type": TYPE, "attribute": ATTRIBUTE}.get(kind, TOKEN)
    found = list(pattern.finditer(line))
    if kind == "number":
        found = [m for m in found if kind_of(m.group()) == "0"]
    if not found:
        return
    m = rng.choice(found)
    other_at = rng.choice([at, rng.randrange(len(lines))])
    others = list(pattern.finditer(lines[other_at]))
    if rng.random() < 0.8:  # of its kind: what the parser takes
        others = [o for o in others if kind_of(o.group()) == kind_of(m.group())]
    put = m.group()
    if kind in ("delete", "attribute"):
        put = ""
        if kind == "attribute" and others and rng.random() < 0.3:
            put = rng.choice(others).group()
    elif kind == "repeat":
        put = put + " " + put
    elif kind == "number":
        put = rng.choice(NUMBERS)
    elif others:
        other = rng.choice(others)
        put = other.group()
        if kind == "exchange" and other_at != at:
            lines[other_at] = lines[other_at][:other.start()] + m.group() + lines[other_at][other.end():]
    new = line[:m.start()] + put + line[m.end():]
    lines[at] = re.sub(r"([{,<] ), ", r"\1", new).replace(", }", "}") if kind == "attribute" else new


def region_at(lines, start):
    """The lines of the region that opens at the end of line `start`, or nothing."""
    depth = lines[start].count("{") - lines[start].count("}")
    if depth <= 0 or not re.search(r"\{\s*$", lines[start]):
        return None
    for end in range(start + 1, len(lines)):
        depth += lines[end].count("{") - lines[end].count("}")
        if depth <= 0:
            return start + 1, end
    return None


def regions(lines):
    return [r for i in range(1, len(lines)) for r in [region_at(lines, i)] if r]


def damage_lines(rng, lines, kind):
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines) + 1)
    if rng.random() < 0.5:  # nearby
        to = min(len(lines), max(0, at + rng.randint(-6, 6)))
    if kind == "move":
        lines.insert(to, lines.pop(at)) if to < len(lines) else None
    elif kind == "copy":
        lines.insert(to, lines[at])
    elif kind == "drop":
        del lines[at:at + rng.choice((1, 1, 1, 2, 5))]
    elif kind == "operand":  # a value is another one
        values = sorted(set(re.findall(r"%[\w$]+", "\n".join(lines[max(0, at - 40):at + 40]))))
        if len(values) > 1:
            lines[at] = re.sub(r"%[\w$]+", lambda m: rng.choice(values) if rng.random() < 0.4 else m.group(), lines[at])
    else:  # a line of one region in another
        found = regions(lines)
        if len(found) > 1:
            (a, b), (c, d) = rng.sample(found, 2)
            line = lines[rng.randrange(a, b)] if b > a else ""
            lines.insert(rng.randint(c, d), line)


def damage_regions(rng, lines, kind):
    found = regions(lines)
    if len(found) < 2:
        return
    (a, b), (c, d) = rng.sample(found, 2)
    if kind == "body":
        lines[c:d] = lines[a:b]
    elif kind == "regions":  # one after the other, where the second's body stood
        if b <= c:
            lines[a:d] = lines[c:d] + lines[b:c] + lines[a:b]
    else:  # an op with its regions
        start = rng.randrange(a, b) if b > a else a
        inner = region_at(lines, start)
        op = lines[start:inner[1] + 1 if inner else start + 1]
        lines[c:c] = op


def damaged(rng, text):
    lines = text.splitlines()
    # Locations are looked at seldom.
    body = next((i for i, line in enumerate(lines) if i and line.startswith("#loc") and lines[i - 1].startswith("}")), len(lines))
    head, tail = (lines, []) if rng.random() < 0.05 else (lines[:body], lines[body:])
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        family = rng.random()
        if not head:
            break
        if family < 0.5:
            damage_token(rng, head, rng.choice(TOKEN_KINDS))
        elif family < 0.8:
            damage_lines(rng, head, rng.choice(LINE_KINDS))
        else:
            damage_regions(rng, head, rng.choice(REGION_KINDS))
    return "\n".join(head + tail) + "\n"


class Bench:
    def __init__(self, folder, phases, keep):
        self.folder, self.work, self.keep = os.path.abspath(folder), tempfile.mkdtemp(prefix="zcc-damage-"), keep and os.path.abspath(keep)
        os.chdir(self.work)
        self.texts = []
        for i, (model, options) in enumerate(MODELS):
            file = os.path.join(DATA, model, "loss.mlir")
            subprocess.run([os.path.join(self.folder, "zcc"), file, *options, "--quiet", "--compile-to=planned", "-o", "x.mlir",
                            f"--dump-phases-to=phases-{i}"], check=True, stderr=subprocess.DEVNULL)
            for name in sorted(os.listdir(f"phases-{i}")):
                phase = re.sub(r"^\d+-|\.mlir$", "", name)
                if phase in phases:
                    with open(f"phases-{i}/{name}") as f:
                        self.texts.append((model, phase, options, f.read()))
        self.runs = subprocess.Popen([os.path.join(self.folder, "run_many")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def try_one(self, seed):
        """Returns an error or None, and true if the damage was refused."""
        rng = random.Random(seed)
        # Small ones oftener: they are quick.
        model, phase, options, text = rng.choices(self.texts, [1 / len(text) for *_, text in self.texts])[0]
        with open("damaged.mlir", "w") as f:
            f.write(damaged(rng, text))
        later = PHASES[PHASES.index(phase) + 1:] or ["planned"]
        to = rng.choice([later[0], "planned"] + (["executable"] if "--target=reference" in options else []))
        options = options if phase == "input" else []
        self.runs.stdin.write("\t".join(["said", "60", "damaged.mlir", f"--compile-from={phase}", f"--compile-to={to}", "-o", "out", "--quiet",
                                         *options]) + "\n")
        self.runs.stdin.flush()
        status = int(self.runs.stdout.readline())
        with open("said", errors="replace") as f:
            said = f.read()
        what = f"{model}, {phase}"
        problem = None
        errors = [line for line in said.splitlines() if "error: " in line]
        if status in (-signal.SIGXCPU, -signal.SIGALRM):
            problem = f"{what}: still running after 60 s"
        elif status not in (0, 2):
            problem = f"{what}: status {status}: {said[-600:]}"
        elif status and not errors:
            problem = f"{what}: refused without an error: {said[-300:]}"
        elif status and not any(re.search(r":\d+:\d+: error: |^\S+: error: |'|@|--", line) for line in errors):
            problem = f"{what}: refused without a place: {said[-300:]}"
        if problem and self.keep:
            os.makedirs(self.keep, exist_ok=True)
            shutil.copy("damaged.mlir", os.path.join(self.keep, f"{seed}-{phase}.mlir"))
        return problem, status != 0


def main():
    options = parser()
    options.add_argument("--phases", default=",".join(PHASES))
    options.add_argument("--keep", help="folder for the texts that fail")
    args = options.parse_args()
    bench = Bench(args.bin, args.phases.split(","), args.keep)
    failed, became = sweep(args, bench.try_one, bench.work)
    bench.runs.stdin.close()
    bench.runs.wait()
    finish(args, failed, became)


main()
