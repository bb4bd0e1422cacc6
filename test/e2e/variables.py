# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of the loss that the step changes and no gradient trains: a running mean of inputs and a count of steps."""
from harness import *

ROWS, WIDTH, OUT, STEPS, RATE = 8, 4, 2, 5, 0.1

# Inputs are centered by the mean of earlier batches, and weighted by the number of the step.
TEXT = """
module @running {
  func.func public @main(%w: tensor<4x2xf32> {zcc.parameter = "w"}, %mean: tensor<4xf32> {zcc.state = "mean"},
      %count: tensor<i32> {zcc.state = "count"}, %x: tensor<8x4xf32> {zcc.input = "x"})
      -> (tensor<f32>, tensor<i32> {zcc.state = "count"}, tensor<f32>, tensor<4xf32> {zcc.state = "mean"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %count, %one : tensor<i32>
    %steps = stablehlo.convert %next : (tensor<i32>) -> tensor<f32>
    %old = stablehlo.broadcast_in_dim %mean, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %centered = stablehlo.subtract %x, %old : tensor<8x4xf32>
    %y = stablehlo.dot_general %centered, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x2xf32>
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x2xf32>, tensor<f32>) -> tensor<f32>
    %eighth = stablehlo.constant dense<0.125> : tensor<f32>
    %scaled = stablehlo.multiply %sum, %eighth : tensor<f32>
    %loss = stablehlo.divide %scaled, %steps : tensor<f32>
    %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %weight = stablehlo.constant dense<0.0625> : tensor<4xf32>
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %part = stablehlo.multiply %sums, %weight : tensor<4xf32>
    %kept = stablehlo.multiply %mean, %half : tensor<4xf32>
    %new = stablehlo.add %kept, %part : tensor<4xf32>
    return %loss, %next, %steps, %new : tensor<f32>, tensor<i32>, tensor<f32>, tensor<4xf32>
  }
}
"""

WEIGHTS = [math.sin(i + 1) for i in range(WIDTH * OUT)]
MEAN = [0.5, -0.25, 0.125, 0.0]
BATCHES = [[math.cos(7 * s + i) + 0.5 for i in range(ROWS * WIDTH)] for s in range(STEPS)]


def expected(steps):
    """Losses, the weights, the mean and the count after the steps of plain SGD."""
    w, mean, losses = list(WEIGHTS), list(MEAN), []
    for s in range(steps):
        rows = [BATCHES[s][i * WIDTH:(i + 1) * WIDTH] for i in range(ROWS)]
        centered = [[v - m for v, m in zip(row, mean)] for row in rows]
        y = [[sum(row[k] * w[k * OUT + j] for k in range(WIDTH)) for j in range(OUT)] for row in centered]
        losses.append(sum(v * v for row in y for v in row) / ROWS / (s + 1))
        gradient = [sum(2 * centered[i][k] * y[i][j] for i in range(ROWS)) / ROWS / (s + 1)
                    for k in range(WIDTH) for j in range(OUT)]
        w = [v - RATE * g for v, g in zip(w, gradient)]
        mean = [0.5 * m + 0.5 * sum(row[k] for row in rows) / ROWS for k, m in enumerate(mean)]
    return losses, w, mean, steps


def write_inputs():
    with open(path("running.mlir"), "w") as f:
        f.write(TEXT)
    write_safetensors(path("params"), {"w": ("F32", [WIDTH, OUT], WEIGHTS), "mean": ("F32", [WIDTH], MEAN),
                                       "count": ("I32", [], [0])})
    write_safetensors(path("batches"), {"x": ("F32", [STEPS, ROWS, WIDTH], [v for b in BATCHES for v in b])})


def compile_running(*options, optimizer="sgd"):
    write_inputs()
    call("zcc", path("running.mlir"), "-o", path("running.zexe"), "--quiet", f"--optimizer={optimizer}", *options)


def train_running(*options, steps=STEPS):
    """Runs the steps; returns the losses and the saved tensors."""
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("running.zexe"), "--batches", path("batches"), "--steps", steps, "--lr", RATE, "--momentum=0",
         "--save-params", path("after"), "--log", path("log"), *options)
    with open(path("log")) as f:
        lines = [json.loads(line) for line in f]
    saved = {name: array.array({"F32": "f", "I32": "i"}[kind], data).tolist()
             for name, (kind, _, data) in read_safetensors(path("after")).items()}
    return [line["loss"] for line in lines if "step" in line], saved


def check(found, steps, what, limit=2e-6):
    losses, w, mean, count = expected(steps)
    got, saved = found
    assert sorted(saved) == ["count", "mean", "w"], saved
    assert len(got) <= steps and off(got, losses[steps - len(got):]) < limit, f"{what}: {got}, expected {losses}"
    assert off(saved["w"], w) < limit and off(saved["mean"], mean) < limit, f"{what}: {saved}, expected {w}, {mean}"
    assert saved["count"] == [count], f"{what}: {saved['count']}, expected {count}"


def test_the_step_changes_them():
    compile_running()
    check(train_running("--params", path("params")), STEPS, "one device")


def test_devices_and_microbatches_change_nothing():
    for options in (["--mesh=data=2"], ["--mesh=tensor=2"], ["--mesh=data=2,tensor=2", "--zero=3"],
                    ["--mesh=4"], ["--microbatches=2"], ["--microbatches=4", "--mesh=data=2", "--zero=1"],
                    ["--mesh=pipe=2"], ["--mesh=pipe=2", "--microbatches=4"], ["--mesh=pipe=2,data=2", "--microbatches=2", "--zero=1"],
                    ["--mesh=pipe=2", "--microbatches=4", "--schedule=zb-h1"]):
        compile_running(*options)
        check(train_running("--params", path("params")), STEPS, " ".join(options))


# The new values are other variables, an input, and variables that are moved; the backward pass reads old ones.
MOVES = """
module @moves {
  func.func public @main(%w: tensor<4xf32> {zcc.parameter = "w"}, %a: tensor<4xf32> {zcc.state = "a"},
      %b: tensor<4xf32> {zcc.state = "b"}, %c: tensor<4xf32> {zcc.state = "c"}, %d: tensor<4xf32> {zcc.state = "d"},
      %e: tensor<2x2xf32> {zcc.state = "e"}, %k: tensor<4xf32> {zcc.state = "k"}, %x: tensor<8x4xf32> {zcc.input = "x"},
      %v: tensor<4xf32> {zcc.input = "v"})
      -> (tensor<f32>, tensor<4xf32> {zcc.state = "b"}, tensor<4xf32> {zcc.state = "a"}, tensor<4xf32> {zcc.state = "c"},
          tensor<4xf32> {zcc.state = "d"}, tensor<2x2xf32> {zcc.state = "e"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %aw = stablehlo.multiply %a, %w : tensor<4xf32>
    %kw = stablehlo.multiply %aw, %k : tensor<4xf32>
    %t = stablehlo.tanh %kw : tensor<4xf32>
    %ts = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %y = stablehlo.multiply %ts, %x : tensor<8x4xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x4xf32>
    %loss = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x4xf32>, tensor<f32>) -> tensor<f32>
    %twice = stablehlo.add %c, %c : tensor<4xf32>
    %turned = stablehlo.transpose %e, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %loss, %a, %b, %v, %twice, %turned : tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
  }
}
"""


def test_old_values_are_read_until_the_step_ends():
    with open(path("moves.mlir"), "w") as f:
        f.write(MOVES)
    start = {"w": [1, 1, 1, 1], "a": [1, 2, 3, 4], "b": [5, 6, 7, 8], "c": [9] * 4, "d": [0] * 4, "k": [2] * 4}
    write_safetensors(path("start"), {"e": ("F32", [2, 2], [1, 2, 3, 4]),
                                      **{name: ("F32", [4], values) for name, values in start.items()}})
    write_safetensors(path("rows"), {"x": ("F32", [3, 8, 4], [1] * 96), "v": ("F32", [3, 4], [1] * 4 + [2] * 4 + [3] * 4)})
    # In three steps: a and b are exchanged thrice, c is the last v, d twice the v before, e is turned thrice.
    end = {"a": start["b"], "b": start["a"], "c": [3] * 4, "d": [4] * 4, "e": [1, 3, 2, 4], "k": start["k"]}
    w = [1.0] * 4
    for s in range(3):  # the loss is 8 sum(tanh(k a w)^2)
        a = start["b" if s % 2 else "a"]
        w = [v - 0.001 * 16 * math.tanh(2 * u * v) * (1 - math.tanh(2 * u * v) ** 2) * 2 * u for v, u in zip(w, a)]
    for options in ([], ["--mesh=data=2"], ["--mesh=tensor=2"], ["--microbatches=2"], ["--mesh=data=2", "--microbatches=4"],
                    ["--mesh=pipe=2"], ["--mesh=pipe=2", "--microbatches=2"]):
        call("zcc", path("moves.mlir"), "-o", path("moves.zexe"), "--quiet", "--optimizer=sgd", "--not-batched=v", *options)
        call("zrun", path("moves.zexe"), "--params", path("start"), "--batches", path("rows"), "--steps=3", "--lr=0.001",
             "--momentum=0", "--save-params", path("end"))
        saved = {name: array.array("f", data).tolist() for name, (_, _, data) in read_safetensors(path("end")).items()}
        assert off(saved.pop("w"), w) < 2e-6, f"{options}: {saved}, expected w = {w}"
        assert saved == end, f"{options}: {saved}, expected {end}"


def test_a_count_is_exact_in_narrow_types():
    for precision in ("bf16", "f16"):
        compile_running(f"--precision={precision}")
        _, saved = train_running("--params", path("params"))
        assert saved["count"] == [STEPS], saved
        assert off(saved["mean"], expected(STEPS)[2]) < 2e-6, saved


def test_checkpoints_have_them():
    compile_running("--mesh=data=2")
    train_running("--params", path("params"), "--checkpoint", path("folder"), "--checkpoint-every=2", steps=2)
    compile_running("--microbatches=2")
    check(train_running("--checkpoint", path("folder"), "--resume"), STEPS, "resumed on another mesh")


def test_init_gives_them_values():
    with open(path("init.mlir"), "w") as f:
        f.write("""
module @init {
  func.func public @main(%key: tensor<2xui32>) -> (tensor<i32> {zcc.parameter = "count"}, tensor<4x2xf32> {zcc.parameter = "w"},
      tensor<4xf32> {zcc.parameter = "mean"}) {
    %count = stablehlo.constant dense<7> : tensor<i32>
    %w = stablehlo.constant dense<0.5> : tensor<4x2xf32>
    %row = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
    %last = stablehlo.slice %key [1:2] : (tensor<2xui32>) -> tensor<1xui32>
    %seed = stablehlo.convert %last : (tensor<1xui32>) -> tensor<1xf32>
    %seeds = stablehlo.broadcast_in_dim %seed, dims = [0] : (tensor<1xf32>) -> tensor<4xf32>
    %mean = stablehlo.add %row, %seeds : tensor<4xf32>
    return %count, %w, %mean : tensor<i32>, tensor<4x2xf32>, tensor<4xf32>
  }
}
""")
    for mesh in ("data=1", "data=2"):
        compile_running("--init", path("init.mlir"), f"--mesh={mesh}", optimizer="none")
        call("zrun", path("running.zexe"), "--init-seed=3", "--batches", path("batches"), "--steps=1", "--save-params", path("after"))
        saved = read_safetensors(path("after"))
        assert array.array("i", saved["count"][2]).tolist() == [7], saved
        assert array.array("f", saved["mean"][2]).tolist() == [4, 5, 6, 7], saved


def test_without_an_update_nothing_changes():
    for optimizer in ("none", "forward"):
        compile_running(optimizer=optimizer)
        described, _ = call("zrun", path("running.zexe"), "--check")
        assert "variables    2 (5 elements)" in described and "parameters   1 (8 elements" in described, described
        call("zrun", path("running.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps=2",
             "--save-params", path("after"))
        assert read_safetensors(path("after")) == read_safetensors(path("params"))


def test_files_without_them_are_refused():
    compile_running()
    write_safetensors(path("less"), {"w": ("F32", [WIDTH, OUT], WEIGHTS), "mean": ("F32", [WIDTH], MEAN)})
    refused("zrun", path("running.zexe"), "--params", path("less"), "--batches", path("batches"), "--steps=1",
            says="missing: count")


LAYERS = 4


def layers(rows, reads=None):
    """Layers that normalize by the mean of the batch and scale by a moving mean, which the backward pass reads, too. A count is of
    no layer. `reads`: layers that read another layer's moving mean."""
    arguments = [f"%w{i}: tensor<4x4xf32> {{zcc.parameter = \"w{i}\"}}" for i in range(LAYERS)]
    arguments += [f"%m{i}: tensor<4xf32> {{zcc.state = \"m{i}\"}}" for i in range(LAYERS)]
    x, v = f"tensor<{rows}x4xf32>", "tensor<4xf32>"
    lines, h = [], "%x"
    for i in range(LAYERS):
        scale = f"%m{(reads or {}).get(i, i)}"
        lines += [f"%h{i} = stablehlo.dot_general {h}, %w{i}, contracting_dims = [1] x [0] : ({x}, tensor<4x4xf32>) -> {x}",
                  f"%s{i} = stablehlo.reduce(%h{i} init: %zero) applies stablehlo.add across dimensions = [0] : ({x}, tensor<f32>) -> {v}",
                  f"%a{i} = stablehlo.divide %s{i}, %rows : {v}",
                  f"%b{i} = stablehlo.broadcast_in_dim %a{i}, dims = [1] : ({v}) -> {x}",
                  f"%c{i} = stablehlo.subtract %h{i}, %b{i} : {x}",
                  f"%d{i} = stablehlo.broadcast_in_dim {scale}, dims = [1] : ({v}) -> {x}",
                  f"%e{i} = stablehlo.multiply %c{i}, %d{i} : {x}",
                  f"%t{i} = stablehlo.tanh %e{i} : {x}",
                  f"%k{i} = stablehlo.add %m{i}, %a{i} : {v}",
                  f"%n{i} = stablehlo.multiply %k{i}, %half : {v}"]
        h = f"%t{i}"
    results = "".join(f", {v} {{zcc.state = \"m{i}\"}}" for i in range(LAYERS))
    return f"""
module @layers {{
  func.func public @main({", ".join(arguments)}, %n: tensor<i32> {{zcc.state = "n"}}, %x: {x} {{zcc.input = "x"}})
      -> (tensor<f32>{results}, tensor<i32> {{zcc.state = "n"}}) {{
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %half = stablehlo.constant dense<0.5> : {v}
    %rows = stablehlo.constant dense<{rows}.0> : {v}
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %n, %one : tensor<i32>
    {chr(10).join(lines)}
    %square = stablehlo.multiply {h}, {h} : {x}
    %sum = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [0, 1] : ({x}, tensor<f32>) -> tensor<f32>
    %all = stablehlo.constant dense<{rows}.0> : tensor<f32>
    %loss = stablehlo.divide %sum, %all : tensor<f32>
    return %loss, {", ".join(f"%n{i}" for i in range(LAYERS))}, %next : tensor<f32>{f", {v}" * LAYERS}, tensor<i32>
  }}
}}
"""


def layer_values():
    values = {f"w{i}": ("F32", [4, 4], [math.sin(5 * i + k + 1) for k in range(16)]) for i in range(LAYERS)}
    values.update({f"m{i}": ("F32", [4], [0.5 + 0.25 * math.cos(i + k) for k in range(4)]) for i in range(LAYERS)})
    return {**values, "n": ("I32", [], [0])}


def rows_of(steps, rows, first=0):
    return [2 * math.cos(7 * (first + s) + 0.7 * i) for s in range(steps) for i in range(rows * 4)]


def train_layers(options, values, x, steps, rows, source=None, start=("--params",)):
    """Trains the layers; returns the losses and the saved tensors."""
    with open(path("layers.mlir"), "w") as f:
        f.write(source or layers(rows))
    if values:
        write_safetensors(path("start"), values)
    write_safetensors(path("rows"), {"x": ("F32", [steps, rows, 4], x)})
    call("zcc", path("layers.mlir"), "-o", path("layers.zexe"), "--quiet", "--optimizer=sgd", *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("layers.zexe"), *([*start, path("start")] if start == ("--params",) else start), "--batches", path("rows"),
         "--steps", steps, "--lr", RATE, "--momentum=0", "--clip-norm=0", "--save-params", path("end"), "--log", path("log"))
    with open(path("log")) as f:
        losses = [line["loss"] for line in map(json.loads, f) if "step" in line]
    return losses, read_safetensors(path("end"))


def floats(saved, name):
    return array.array("f", saved[name][2]).tolist()


def test_each_microbatch_changes_what_follows_from_its_statistics():
    """A step of two microbatches has the gradients of two steps of half the batch, the second of which reads what the first has left."""
    x = rows_of(1, 8)
    for options in ([], ["--mesh=data=2"], ["--remat=full"], ["--schedule=gpipe", "--remat=full"], ["--mesh=pipe=2"], ["--mesh=pipe=2", "--remat=full"]):
        _, whole = train_layers(["--microbatches=2", "--per-microbatch=*", *options], layer_values(), x, 1, 8)
        halves, values = [], layer_values()
        for part in range(2):
            _, saved = train_layers([], values, x[16 * part:16 * part + 16], 1, 4)
            halves.append(saved)
            for i in range(LAYERS):
                values[f"m{i}"] = ("F32", [4], floats(saved, f"m{i}"))
        for i in range(LAYERS):
            mean = [(a + b) / 2 for a, b in zip(floats(halves[0], f"w{i}"), floats(halves[1], f"w{i}"))]
            assert off(floats(whole, f"w{i}"), mean) < 2e-6, f"{options}: w{i} {floats(whole, f'w{i}')}, expected {mean}"
            assert off(floats(whole, f"m{i}"), floats(halves[1], f"m{i}")) < 2e-6, f"{options}: m{i}"
            assert off(floats(whole, f"m{i}"), floats(halves[0], f"m{i}")) > 1e-3, f"m{i} does not change"
        assert array.array("i", whole["n"][2]).tolist() == [2], whole["n"]


def test_pipelines_change_variables_to_the_bit():
    x = rows_of(3, 8)
    common = ["--microbatches=4", "--per-microbatch=*"]
    alone = train_layers(common, layer_values(), x, 3, 8)
    for options in (["--mesh=pipe=2", f"--schedule={name}"] for name in ("gpipe", "1f1b", "interleaved:2", "zb-h1", "zb-h2", "zb-v")):
        for more in ([], ["--remat=full"]):
            assert train_layers([*common, *options, *more], layer_values(), x, 3, 8) == alone, options + more
    assert train_layers([*common, "--mesh=pipe=4"], layer_values(), x, 3, 8) == alone
    # A checkpoint of a pipeline goes on elsewhere.
    train_layers([*common, "--mesh=pipe=2"], layer_values(), x, 3, 8)
    call("zrun", path("layers.zexe"), "--params", path("start"), "--batches", path("rows"), "--steps=1", "--lr", RATE, "--momentum=0",
         "--clip-norm=0", "--checkpoint", path("piped"), "--checkpoint-every=1")
    again = train_layers(common, None, x, 3, 8, start=("--checkpoint", path("piped"), "--resume"))
    assert again == (alone[0][1:], alone[1]), again
    # Evaluation changes nothing.
    _, saved = train_layers(["--mesh=pipe=2", "--optimizer=forward", *common], layer_values(), x, 3, 8)
    assert saved == read_safetensors(path("start"))


def test_later_stages_are_sent_a_variable():
    x = rows_of(2, 8)
    common = ["--microbatches=4", "--per-microbatch=*"]
    alone = train_layers(common, layer_values(), x, 2, 8, source=layers(8, {3: 0}))
    for options in (["--mesh=pipe=2"], ["--mesh=pipe=2", "--schedule=gpipe", "--remat=full"], ["--mesh=pipe=2", "--schedule=interleaved:2"],
                    ["--mesh=pipe=4", "--schedule=zb-h1"]):
        assert train_layers([*common, *options], layer_values(), x, 2, 8, source=layers(8, {3: 0})) == alone, options


def test_what_changes_with_each_microbatch_may_be_refused():
    with open(path("early.mlir"), "w") as f:
        f.write(layers(8, {0: 3}))
    refused("zcc", path("early.mlir"), "-o", path("no.zexe"), "--mesh=pipe=2", "--microbatches=2", "--per-microbatch=*",
            says="not yet: the variable 'm3' is read here, on stage 0, but stage 1 makes its new value", leaves_no=path("no.zexe"))
    with open(path("number.mlir"), "w") as f:  # the second result is a mean of a batch
        f.write(layers(8).replace("-> (tensor<f32>,", "-> (tensor<f32>, tensor<f32>,").replace("return %loss,", "return %loss, %metric,")
                .replace(": tensor<f32>, tensor<4xf32>, tensor", ": tensor<f32>, tensor<f32>, tensor<4xf32>, tensor")
                .replace("    %all =", "    %metric = stablehlo.reduce(%a0 init: %zero) applies stablehlo.add across dimensions = [0] : "
                         "(tensor<4xf32>, tensor<f32>) -> tensor<f32>\n    %all ="))
    refused("zcc", path("number.mlir"), "-o", path("no.zexe"), "--microbatches=2", "--per-microbatch=*",
            says="is of one microbatch alone, because of --per-microbatch", leaves_no=path("no.zexe"))


def test_what_is_not_supported_is_refused():
    compile_running()
    source = path("running.mlir")
    refused("zcc", source, "-o", path("no.zexe"), "--mesh=data=2", "--shard=mean=data", says="matches 'mean'",
            leaves_no=path("no.zexe"))
    _, err = call("zcc", source, "-o", path("no.zexe"), "--quiet", "--mesh=data=2", "--explain=mean", status=2)
    assert "no parameter, input or location is called 'mean'" in err and err.count("'mean'") == 1, err
    with open(path("last.mlir"), "w") as f:  # the new mean is the first row of the batch
        f.write(TEXT.replace("%new = stablehlo.add %kept, %part : tensor<4xf32>",
                             "%row = stablehlo.slice %x [0:1, 0:4] : (tensor<8x4xf32>) -> tensor<1x4xf32>\n"
                             "    %new = stablehlo.reshape %row : (tensor<1x4xf32>) -> tensor<4xf32>"))
    refused("zcc", path("last.mlir"), "-o", path("no.zexe"), "--microbatches=2", says="needs the whole batch at once",
            leaves_no=path("no.zexe"))


run(globals())
