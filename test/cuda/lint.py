# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the machine code of the kernels that zcc generates for GPUs, and refuses what is known to be slow there.

    lint.py REPOSITORY ZCC WRITE_KERNEL_FACTS [--cudnn=WRITE_CUDNN_PLANS] [--list] [MODEL...]

In kernels that read or write a tensor of a million elements of 16 bits, or as many bytes, and more it refuses

    narrow      loads or stores of one or two bytes inside a loop
    order       a load after a store inside the body of a loop (the load waits for the store)
    blocks      fewer blocks than the multiprocessors of an H100 (132)

and in all kernels

    local       local memory (registers that are spilled)
    tensor      attention, a product or a convolution in bf16 without instructions of tensor cores (HMMA, HGMMA)

The last rule is tried on a program without libraries, whose attention multiplies in f32. With --cudnn, cuDNN plans the attention that
it computes for an H100, and the lint refuses

    engine      a plan other than one kernel of fused attention with instructions of Hopper's tensor cores (sm90_flash_..., wgmma)

--list prints what every kernel has. Exit status 77: there is no ptxas or no nvdisasm (PyPI: nvidia-cuda-nvcc, nvidia-cuda-nvdisasm).
Needs the standard library only.
"""
import glob
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

MILLION = 1 << 20
MULTIPROCESSORS = 132
ELF, CUDA_MACHINE = b"\x7fELF", 190
OPTIONS = ["--target=cuda", "--cuda-arch=sm_90", "--precision=bf16"]
LARGE = {"gpt-1.3b": ["--mesh=data=64", "--zero=1", "--microbatches=4"]}  # a model that does not fit one device
# Kernels that may break a rule: those that touch few elements of a large tensor, or that add into memory in a prescribed order. By
# model and the name of their op.
MULTIPLIES = re.compile(r"k\d+_(attention|dot_general|convolution)")  # kernels by the name of their op
ALLOWED = {
    ("gpt-1.3b", "reduce"): ("blocks",),  # the loss picks one logit of a row
}


def find_tool(name):
    """Returns the path of a program of the CUDA toolkit: from PATH, the toolkit's folder, or the packages of this Python."""
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    packages = [os.path.join(p, "nvidia", "*", "bin", name) for p in sys.path]
    return found or next((one for p in packages for one in glob.glob(p)), None)


def cubins(data):
    """Yields the cubins inside an executable of zcc: ELF files for NVIDIA's machines (System V ABI, ELF header)."""
    at = data.find(ELF)
    while at >= 0:
        machine, = struct.unpack_from("<H", data, at + 18)
        program_at, section_at = struct.unpack_from("<QQ", data, at + 32)
        program_size, programs, section_size, sections = struct.unpack_from("<HHHH", data, at + 54)
        if machine == CUDA_MACHINE:
            yield data[at:at + max(program_at + program_size * programs, section_at + section_size * sections)]
        at = data.find(ELF, at + 4)


def disassemble(nvdisasm, cubin, folder):
    """Returns of each kernel its name, its instructions (pairs of an address and a text, in order), and the addresses of labels."""
    file = os.path.join(folder, "x.cubin")
    with open(file, "wb") as f:
        f.write(cubin)
    text = subprocess.run([nvdisasm, "-c", "-hex", file], capture_output=True, text=True, check=True).stdout
    kernels, own, labels = {}, None, {}
    for line in text.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.(\S+?),", line):
            own = kernels.setdefault(section[1], [])
        elif own is not None and (label := re.match(r"\s*(\.L_x_\d+):", line)):
            labels[label[1]] = None  # its address is that of the next instruction
        elif own is not None and (one := re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line)):
            address = int(one[1], 16)
            for name, known in labels.items():
                labels[name] = address if known is None else known
            own.append((address, one[2]))
    return [(name, code, labels) for name, code in kernels.items()]


def innermost_loops(code, labels):
    """Returns the address ranges of backward branches that contain no other such range."""
    loops = set()
    for address, text in code:
        if to := re.search(r"\bBRA\b.*?(\.L_x_\d+)", text):
            if labels.get(to[1]) is not None and labels[to[1]] < address:
                loops.add((labels[to[1]], address))
    return [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]


def faults(name, code, labels, launch):
    """Yields the rules that a kernel breaks, with a reason."""
    if MULTIPLIES.match(name) and not any(re.match(r"(@!?U?P\d+ )?HG?MMA\b", text) for _, text in code):
        yield "tensor", "no HMMA"
    if local := next((text for _, text in code if re.search(r"\b(LDL|STL)\b", text)), None):
        yield "local", local
    if launch["elements"] < MILLION:
        return
    if launch["blocks"] < MULTIPROCESSORS:
        yield "blocks", f"{launch['blocks']} blocks for {launch['elements']} elements"
    for begin, end in sorted(innermost_loops(code, labels)):
        body = [text for address, text in code if begin <= address <= end]
        for text in body:
            if re.search(r"\b(LDG|STG)\.E\.[US](8|16)\b", text):
                yield "narrow", text
                break
        stored = None
        for text in body:
            if re.search(r"\bSTG\b", text):
                stored = text
            elif stored and re.search(r"\bLDG\b", text) and "desc" in text:
                yield "order", f"{text} after {stored}"
                break


def plan_faults(words):
    """Yields kernels and reasons for the plans that `write_cudnn_plans` prints, and that are not fused attention. `words` may be ''."""
    for line in words.splitlines():
        name, *kernels = line.split()
        direction = "bprop" if name.endswith("gradient") else "fprop"
        if len(kernels) != 1 or not re.search(rf"sm90_flash_{direction}_wgmma", kernels[0]):
            yield name, " ".join(kernels)


def read_launches(words):
    """Reads what `write_kernel_facts --launches` prints: a kernel's name, its blocks and their threads, and the bytes of its largest buffer."""
    lines = (line.split() for line in words.splitlines())
    return {name: {"blocks": int(blocks), "elements": int(size) // 2} for name, blocks, threads, size in lines}


def models(repository, folder, only):
    """Yields names and texts: those of the tests, unpacked where they are packed, and the bundled GPT."""
    texts = sorted(glob.glob(os.path.join(repository, "test/data/*/loss.mlir*"))) + [os.path.join(repository, "examples/gpt/loss.mlir")]
    for text in texts:
        name = os.path.basename(os.path.dirname(text))
        if only and name not in only or ".generic." in text:
            continue
        if text.endswith(".xz"):
            with lzma.open(text) as packed, open(os.path.join(folder, f"{name}.mlir"), "wb") as unpacked:
                unpacked.write(packed.read())
            text = unpacked.name
        yield name, text


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    plans = next((a.partition("=")[2] for a in sys.argv[1:] if a.startswith("--cudnn=")), None)
    repository, zcc, facts, *only = arguments
    ptxas, nvdisasm = find_tool("ptxas"), find_tool("nvdisasm")
    if not ptxas or not nvdisasm:
        print(f"skipped: no {'ptxas' if not ptxas else 'nvdisasm'}; pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm")
        return 77
    read = wrong = planned = 0
    with tempfile.TemporaryDirectory(prefix="lint-") as folder:
        def kernels(model, text, *options):
            """Yields name, instructions, labels and launch of each kernel."""
            out = os.path.join(folder, "x.zexe")
            subprocess.run([zcc, text, *OPTIONS, *LARGE.get(model, ()), *options, f"--ptxas={ptxas}", "--quiet", "-o", out], check=True)
            launches = read_launches(subprocess.run([facts, "--launches", out], capture_output=True, text=True, check=True).stdout)
            with open(out, "rb") as f:
                data = f.read()
            for cubin in cubins(data):
                for name, code, labels in disassemble(nvdisasm, cubin, folder):
                    yield name, code, labels, launches.get(name)

        for model, text in models(repository, folder, only):
            matched = 0
            for name, code, labels, launch in kernels(model, text):
                read += 1
                matched += launch is not None
                launch = launch or {"blocks": 0, "elements": 0}  # launches of batches have none of their own
                if "--list" in sys.argv:
                    print(model, name, json.dumps(launch), sum("LDG" in t for _, t in code), "loads", sum("STG" in t for _, t in code), "stores")
                for rule, why in faults(name, code, labels, launch):
                    if rule not in ALLOWED.get((model, re.sub(r"^k\d+_", "", name)), ()):
                        print(f"error: {model}: {name}: {rule}: {why}")
                        wrong += 1
            if plans:  # of the program that was compiled last
                words = subprocess.run([plans, os.path.join(folder, "x.zexe")], capture_output=True, text=True, check=True).stdout
                planned += len(words.splitlines())
                if "--list" in sys.argv:
                    print(model, words)
                for name, why in plan_faults(words):
                    print(f"error: {model}: {name}: engine: {why}")
                    wrong += 1
            if not matched:
                print(f"error: {model}: no kernel of the machine code is launched")
                wrong += 1
            if model == "attention" and not any(
                    rule == "tensor" for name, code, labels, launch in kernels(model, text, "--disable=libraries") if launch
                    for rule, _ in faults(name, code, labels, launch)):
                print(f"error: {model}: without libraries, no kernel lacks instructions of tensor cores")
                wrong += 1
    # A plan of several kernels, as products with a softmax between them, is refused.
    assert list(plan_faults("k1_attention sm80_gemm softmax\nk2_attention none\nk3_attention_gradient sm90_flash_fprop_wgmma"))[2:]
    if plans and not only and not planned:
        print("error: no model has attention that cuDNN computes")
        wrong += 1
    print(f"{read} kernels and {planned} plans read, {wrong} wrong")
    return 1 if wrong or not read else 0


if __name__ == "__main__":
    sys.exit(main())
