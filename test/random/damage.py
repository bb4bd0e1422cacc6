# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damaged checkpoints, weight sets and rename files: zrun refuses each at its place, or runs. Standard library only.

    damage.py BIN_FOLDER [--first SEED] [--count N] [--zcc PROGRAM]

Seed by seed: one file of a checkpoint, of a sharded set of weights or a rename file is cut, flipped, overwritten, shortened
or lengthened; the JSON in it may be changed so that it stays JSON. zrun must end with status 0 or 2, never by a signal, and
an error must begin with the file's path. Damage that a checksum shows must never be taken: an older checkpoint is, with a
warning.
"""
import json
import os
import random
import struct
import subprocess
import tempfile

from sweep import finish, parser, sweep

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "mlp")


def contents(path):
    with open(path, "rb") as f:
        return f.read()


def write(path, data):
    with open(path, "wb") as f:
        f.write(data)


def bytes_damaged(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(6)
        if kind == 0:
            del data[at:]
        elif kind == 1 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at:at + rng.randint(1, 64)] = b""
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.randint(1, 64))
        elif kind == 4:
            data[at:at + 8] = struct.pack("<Q", rng.choice([0, 1, 2**31, 2**32, 2**63, 2**64 - 1]))
        else:
            data[at:at + 512] = bytes(len(data[at:at + 512]))
    return bytes(data)


ODD = [0, 1, -1, 2**31, 2**62, 2**63, 2**64, 1e300, "", "x", "../x", "/etc/passwd", [], {}, None, True, [1], "F32", "U8"]


def json_damaged(rng, value):
    """One place in the tree becomes something else."""
    if rng.random() < 0.25 or not isinstance(value, (dict, list)) or not value:
        return rng.choice(ODD)
    if isinstance(value, dict):
        key = rng.choice(sorted(value))
        new = dict(value)
        kind = rng.random()
        if kind < 0.1:
            del new[key]
        elif kind < 0.2:
            new[key + "x"] = new.pop(key)
        else:
            new[key] = json_damaged(rng, value[key])
        return new
    new = list(value)
    at = rng.randrange(len(new))
    if rng.random() < 0.1:
        del new[at]
    else:
        new[at] = json_damaged(rng, value[at])
    return new


def damaged(rng, path, data):
    if rng.random() < 0.5:
        if path.endswith(".json"):
            return json.dumps(json_damaged(rng, json.loads(data))).encode()
        if path.endswith(".safetensors"):
            (n,) = struct.unpack("<Q", data[:8])
            text = json.dumps(json_damaged(rng, json.loads(data[8:8 + n]))).encode()
            return struct.pack("<Q", len(text)) + text + data[8 + n:]
    return bytes_damaged(rng, data)


class Bench:
    def __init__(self, folder, zcc):
        self.zrun = os.path.abspath(os.path.join(folder, "zrun"))
        zcc = os.path.abspath(zcc or os.path.join(folder, "zcc"))
        self.work = tempfile.mkdtemp(prefix="zcc-damage-")
        os.chdir(self.work)
        subprocess.run([zcc, os.path.join(DATA, "loss.mlir"), "-o", "model.zexe", "--mesh=data=2", "--zero=1", "--quiet"], check=True)
        self.base = [self.zrun, "model.zexe", "--batches", os.path.join(DATA, "batches.safetensors"), "--quiet"]
        params = os.path.join(DATA, "params.safetensors")
        subprocess.run([*self.base, "--params", params, "--steps", "2", "--checkpoint", "ck", "--checkpoint-every", "1"], check=True)
        whole = contents(params)
        (n,) = struct.unpack("<Q", whole[:8])
        header, body = json.loads(whole[8:8 + n]), whole[8 + n:]
        header.pop("__metadata__", None)
        names, index = sorted(header), {}
        for i, part in enumerate((names[:3], names[3:])):
            out, data = {}, b""
            for name in part:
                begin, end = header[name]["data_offsets"]
                out["m." + name] = {**header[name], "data_offsets": [len(data), len(data) + end - begin]}
                data += body[begin:end]
                index["m." + name] = f"part-{i}.safetensors"
            text = json.dumps(out).encode()
            write(f"part-{i}.safetensors", struct.pack("<Q", len(text)) + text + data)
        write("m.index.json", json.dumps({"weight_map": index}).encode())
        write("names", b"b{i} = m.b{i}\nw1 = transpose(transpose(m.w1), 1, 0)  # and back\nw2 = concat(0, split(m.w2, 0, 2, 0), "
                       b"slice(m.w2, 0, 32, 64))\nw3 = reshape(m.w3, 64, 10)\n")
        newest = "ck/step-000000002"
        self.checkpoint = [f"{newest}/{f}" for f in sorted(os.listdir(newest))]
        self.weights = ["part-0.safetensors", "part-1.safetensors", "m.index.json", "names"]
        self.lines = {True: [*self.base, "--checkpoint", "ck", "--resume", "--steps", "1"],
                      False: [*self.base, "--params", "m.index.json", "--rename", "names", "--steps", "1", "--on-nan", "continue"]}
        for line in self.lines.values():
            p = subprocess.run(line, capture_output=True, text=True)
            assert p.returncode == 0 and "warning" not in p.stderr, p.stderr

    def try_one(self, seed):
        """Returns an error or None, and true if zrun printed something."""
        rng = random.Random(seed)
        path = rng.choice(self.checkpoint * 2 + self.weights)
        whole = contents(path)
        data = damaged(rng, path, whole)
        if data == whole:
            return None, False
        write(path, data)
        try:
            has_sums = path in self.checkpoint
            p = subprocess.run(self.lines[has_sums], capture_output=True, text=True, errors="replace", timeout=60)
        finally:
            write(path, whole)
        said = p.stderr.strip().splitlines()
        if p.returncode not in (0, 2):
            return f"{path}: exit {p.returncode}: {p.stderr[-2000:]}", False
        errors = [line for line in said if line.startswith(("error: ", "warning: "))]
        if has_sums and not (p.returncode == 0 and any(line.startswith(f"warning: {path}: ") for line in errors)):
            return f"{path}: the damage was not seen: {p.stderr[-500:]}", False
        # An error of a set may stand at another of its files than the one that was changed.
        if p.returncode == 2 and not errors[-1].startswith(tuple(f"error: {f}:" for f in self.weights)) \
                and not (path == "m.index.json" and errors[-1].startswith("error: ")):
            return f"{path}: refused without a place: {p.stderr[-500:]}", False
        return None, "error: " in p.stderr or "warning: " in p.stderr


def main():
    args = parser("compiles the model, where the programs under test are slow").parse_args()
    bench = Bench(args.bin, args.zcc)
    finish(args, *sweep(args, bench.try_one, bench.work))


main()
