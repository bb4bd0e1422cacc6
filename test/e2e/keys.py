# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keys of random numbers: zrun makes the key of each step, as a file with the same keys has them."""
from harness import *

ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)


def fold_in(key, number):
    """jax.random.fold_in of threefry2x32."""
    words = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    x, y = words[0], (number + words[1]) % 2**32
    for i in range(20):
        x = (x + y) % 2**32
        r = ROTATIONS[i % 8]
        y = ((y << r | y >> 32 - r) ^ x) % 2**32
        if i % 4 == 3:
            n = i // 4 + 1
            x, y = (x + words[n % 3]) % 2**32, (y + words[(n + 1) % 3] + n) % 2**32
    return x, y


def prepare():
    """Writes a GPT-2 with dropout whose key is an input of that name, and batches without keys, and with those of seed 7."""
    assert fold_in((0, 7), 3) == (276534068, 1641862660)
    with open(model_text("gpt2-dropout")) as f:
        text = f.read()
    assert "batch['seed']" in text
    with open(path("keyed.mlir"), "w") as f:
        f.write(text.replace("batch['seed']", "key"))
    data = {name: ("I32", shape, array.array("i", bytes))
            for name, (kind, shape, bytes) in read_safetensors(os.path.join(DATA, "gpt2-dropout", "batches.safetensors")).items()
            if name in ("x", "y")}
    write_safetensors(path("xy"), data)
    steps = data["x"][1][0]
    keys = [word for t in range(1, steps + 1) for word in fold_in((0, 7), t)]
    write_safetensors(path("keyed"), {**data, "key": ("U32", [steps, 2], keys)})
    write_safetensors(path("fixed"), {**data, "key": ("U32", [steps, 2], fold_in((0, 7), 0) * steps)})


def compile_keyed(*options):
    call("zcc", path("keyed.mlir"), "-o", path("keyed.zexe"), "--quiet", *options)


def losses(*options, steps=6, params=True):
    if params:
        options += ("--params", os.path.join(DATA, "gpt2-dropout", "params.safetensors"))
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("keyed.zexe"), "--steps", steps, "--log", path("log"), "--quiet", "--lr", 1e-3, *options)
    with open(path("log")) as f:
        return [line["loss"] for line in map(json.loads, f) if "step" in line]


def test_made_keys_are_those_of_a_file_that_has_them():
    prepare()
    first = None
    for options in ([], ["--mesh=data=2", "--zero=1"], ["--microbatches=2"]):
        compile_keyed(*options)
        made = losses("--batches", path("xy"), "--key-seed", 7)
        assert made == losses("--batches", path("keyed")), options
        # The file's keys win.
        assert made == losses("--batches", path("keyed"), "--key-seed", 8), options
        other = losses("--batches", path("xy"))
        assert all(abs(a - b) > 1e-5 for a, b in zip(made, other)), (made, other)
        assert other == losses("--batches", path("xy"), "--key-seed", 0), options
        first = first or made
        assert off(made, first) < 1e-5, (options, made, first)


def test_resumed_with_the_keys_of_its_steps():
    prepare()
    compile_keyed("--mesh=data=2")
    whole = losses("--batches", path("xy"), "--key-seed", 7)
    run = ("--batches", path("xy"), "--key-seed", 7, "--checkpoint", path("ck"))
    assert losses(*run, "--checkpoint-every", 4, steps=4) == whole[:4]
    assert losses(*run, "--resume", params=False) == whole[4:]
    # The same on standard input, whose steps before the checkpoint are left out.
    with open(path("stream"), "wb") as f:
        data = read_safetensors(path("xy"))
        for step in range(6):
            write_safetensors(path("one"), {
                name: ("I32", shape[1:], array.array("i", values[step * len(values) // shape[0]:][:len(values) // shape[0]]))
                for name, (_, shape, values) in data.items()})
            with open(path("one"), "rb") as one:
                values = one.read()
            f.write(struct.pack("<Q", len(values)) + values)
    with open(path("stream"), "rb") as f:
        os.remove(path("log"))
        subprocess.run([os.path.join(BIN, "zrun"), path("keyed.zexe"), "--steps", "6", "--log", path("log"), "--quiet", "--lr", "1e-3",
                        "--batches", "-", "--key-seed", "7", "--params", os.path.join(DATA, "gpt2-dropout", "params.safetensors")],
                       stdin=f, check=True, timeout=300)
    with open(path("log")) as f:
        assert whole == [line["loss"] for line in map(json.loads, f) if "step" in line]


def test_evaluation_has_the_key_of_step_0():
    prepare()
    compile_keyed("--optimizer=forward")
    made = losses("--batches", path("xy"), "--key-seed", 7)
    assert made == losses("--batches", path("fixed"))
    compile_keyed()
    assert made[0] != losses("--batches", path("xy"), "--key-seed", 7)[0]


def test_tokens():
    prepare()
    compile_keyed()
    with open(path("tokens"), "wb") as f:
        f.write(bytes(i * i * 7 % 251 for i in range(9000)))
    run = ("--tokens", path("tokens"), "--token-type", "u8")
    made = losses(*run, "--key-seed", 7)
    assert made == losses(*run, "--key-seed", 7) and made[0] != losses(*run)[0]


def test_what_is_said():
    prepare()
    compile_keyed()
    out, _ = call("zrun", path("keyed.zexe"), "--check")
    assert "key u32 [2], a key: --key-seed" in out, out
    refused("zrun", path("keyed.zexe"), "--params", os.path.join(DATA, "gpt2-dropout", "params.safetensors"),
            says="the executable reads x i32 [8, 64], y i32 [8, 64]")
    compile_model("gpt2")
    refused("zrun", path("model.zexe"), "--params", os.path.join(DATA, "gpt2", "params.safetensors"), "--key-seed", 1, "--batches", path("xy"),
            says="--key-seed: expected an executable that reads a key of random numbers, this one reads x i32")


def test_random_numbers_of_no_input_are_warned_about():
    prepare()
    with open(path("keyed.mlir")) as f:
        text = f.read()
    _, err = call("zcc", path("keyed.mlir"), "-o", path("keyed.zexe"), "--quiet")
    assert "random numbers" not in err, err
    # The input becomes a constant, as jax.random.key(3) within the loss does.
    head, body = text.split("    %c = stablehlo.constant dense<0> : tensor<i32>", 1)
    argument = '%arg28: tensor<2xui32> loc("key"), '
    if argument not in head:
        argument = "%arg28: tensor<2xui32> loc(#loc29), "
    assert argument in head, head[-2000:]
    text = (head.replace(argument, "") + "    %arg28 = stablehlo.constant dense<[0, 3]> : tensor<2xui32>\n"
            "    %c = stablehlo.constant dense<0> : tensor<i32>" + body)
    with open(path("frozen.mlir"), "w") as f:
        f.write(text)
    _, err = call("zcc", path("frozen.mlir"), "-o", path("frozen.zexe"), "--quiet")
    assert err.count("warning: these random numbers depend on no input, so they are the same in every step") == 1, err
    assert "zoo.py:113" in err, err
    _, err = call("zcc", path("frozen.mlir"), "-o", path("frozen.zexe"), "--quiet", "--optimizer=forward")
    assert "random numbers" not in err, err


run(globals())
