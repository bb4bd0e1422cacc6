# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that a program of --optimizer=forward returns: logits, losses by row and others, of any shape and type."""
from harness import *

ROWS, WIDTH, OUT, STEPS = 8, 4, 6, 3

# Row-wise results, one that mixes rows, one that reads only parameters, integers, truth values and numbers, in any order.
TEXT = """
module @predict {
  func.func public @main(%w: tensor<4x6xf32> {zcc.parameter = "w"}, %x: tensor<8x4xf32> {zcc.input = "x"})
      -> (tensor<8x6xf32> {jax.result_info = "result['logits']"}, tensor<8xf32> {jax.result_info = "result['rows']"},
          tensor<f32> {jax.result_info = "result['mean']"}, tensor<8x6xi1>, tensor<4x6xf32> {zcc.result = "weights"},
          tensor<8xi32> {jax.result_info = "result['best']"}, tensor<8x8xf32>, tensor<6xbf16> {zcc.result = "narrow"}) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %square = stablehlo.multiply %y, %y : tensor<8x6xf32>
    %rows = stablehlo.reduce(%square init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x6xf32>, tensor<f32>) -> tensor<8xf32>
    %sum = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    %eighth = stablehlo.constant dense<0.125> : tensor<f32>
    %mean = stablehlo.multiply %sum, %eighth : tensor<f32>
    %zeros = stablehlo.constant dense<0.0> : tensor<8x6xf32>
    %positive = stablehlo.compare GT, %y, %zeros : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x6xi1>
    %ones = stablehlo.convert %positive : (tensor<8x6xi1>) -> tensor<8x6xi32>
    %counts = stablehlo.reduce(%ones init: %none) applies stablehlo.add across dimensions = [1] : (tensor<8x6xi32>, tensor<i32>) -> tensor<8xi32>
    %grid = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
    %columns = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8x6xf32>, tensor<f32>) -> tensor<6xf32>
    %narrow = stablehlo.convert %columns : (tensor<6xf32>) -> tensor<6xbf16>
    return %y, %rows, %mean, %positive, %w, %counts, %grid, %narrow : tensor<8x6xf32>, tensor<8xf32>, tensor<f32>,
        tensor<8x6xi1>, tensor<4x6xf32>, tensor<8xi32>, tensor<8x8xf32>, tensor<6xbf16>
  }
}
"""

WEIGHTS = [math.sin(i + 1) for i in range(WIDTH * OUT)]
BATCHES = [[math.cos(7 * s + i) + 0.5 for i in range(ROWS * WIDTH)] for s in range(STEPS)]


def expected(batch):
    """The results of a batch by name: the type and shape, and the elements in order."""
    rows = [batch[i * WIDTH:(i + 1) * WIDTH] for i in range(ROWS)]
    y = [[sum(row[k] * WEIGHTS[k * OUT + j] for k in range(WIDTH)) for j in range(OUT)] for row in rows]
    return {"logits": ("F32", [ROWS, OUT], [v for row in y for v in row]),
            "rows": ("F32", [ROWS], [sum(v * v for v in row) for row in y]),
            "output3": ("BOOL", [ROWS, OUT], [v > 0 for row in y for v in row]),
            "weights": ("F32", [WIDTH, OUT], WEIGHTS),
            "best": ("I32", [ROWS], [sum(v > 0 for v in row) for row in y]),
            "output6": ("F32", [ROWS, ROWS], [sum(a * b for a, b in zip(p, q)) for p in rows for q in rows]),
            "narrow": ("BF16", [OUT], [sum(row[j] for row in y) for j in range(OUT)])}


def elements(kind, data):
    if kind == "BF16":
        return [struct.unpack("<f", b"\0\0" + data[i:i + 2])[0] for i in range(0, len(data), 2)]
    return array.array({"F32": "f", "I32": "i", "BOOL": "b"}[kind], data).tolist()


def compile_predict(*options, text=TEXT, optimizer="forward"):
    with open(path("predict.mlir"), "w") as f:
        f.write(text)
    write_safetensors(path("params"), {"w": ("F32", [WIDTH, OUT], WEIGHTS)})
    write_safetensors(path("batches"), {"x": ("F32", [STEPS, ROWS, WIDTH], [v for b in BATCHES for v in b])})
    return call("zcc", path("predict.mlir"), "-o", path("predict.zexe"), f"--optimizer={optimizer}", *options)


RUN = ["zrun", path("predict.zexe"), "--params", path("params"), "--batches", path("batches"), "--save-outputs", path("outputs")]


def check_outputs(*options, precise=1e-5):
    if os.path.exists(path("outputs")):
        os.remove(path("outputs"))
    out, _ = call(*RUN, *options)
    lines = [json.loads(line) for line in out.splitlines()]
    assert len(lines) == STEPS + 1 and all("loss" not in line for line in lines), lines
    saved = read_safetensors(path("outputs"))
    wanted = [expected(batch) for batch in BATCHES]
    assert list(saved) == list(wanted[0]) or sorted(saved) == sorted(wanted[0]), list(saved)
    for name, (kind, shape, data) in saved.items():
        assert (kind, shape) == (wanted[0][name][0], [STEPS, *wanted[0][name][1]]), (name, kind, shape)
        bar = 1e-2 if kind == "BF16" else precise
        for got, want in zip(elements(kind, data), [v for one in wanted for v in one[name][2]], strict=True):
            assert abs(got - want) <= bar * max(1, abs(want)), f"{name}: {got}, expected {want}"
    for line, want in zip(lines, wanted):
        mean = sum(want["rows"][2]) / ROWS
        assert abs(line["mean"] - mean) <= precise * mean, (line, mean)


def test_meshes():
    for options in [[], ["--mesh=data=2"], ["--mesh=data=2,tensor=2"], ["--mesh=data=4"], ["--mesh=tensor=4"], ["--mesh=4"]]:
        compile_predict(*options)
        check_outputs()


def test_the_batch_stays_split():
    compile_predict("--mesh=data=2", "--report", path("report.json"))
    with open(path("report.json")) as f:
        moved = [entry for entry in json.load(f)["collectives"] if "logits" in json.dumps(entry)]
    assert not moved, moved


def test_named_in_descriptions():
    compile_predict("--mesh=data=2")
    out, _ = call("zrun", path("predict.zexe"), "--check")
    for line in ["logits f32 [8, 6]", "rows f32 [8]", "output3 i1 [8, 6]", "weights f32 [4, 6]", "best i32 [8]", "output6 f32 [8, 8]",
                 "narrow bf16 [6]"]:
        assert any(own.split(None, 1) == ["output", line] for own in out.splitlines()), (line, out)


def test_types_and_precisions():
    """Values are of the same types in bf16, rounded as products are."""
    compile_predict("--mesh=data=2", "--precision=bf16")
    out, _ = call("zrun", path("predict.zexe"), "--check")
    assert "logits f32 [8, 6]" in out and "narrow bf16 [6]" in out, out
    call(*RUN, "--quiet")
    saved = read_safetensors(path("outputs"))
    wanted = [v for batch in BATCHES for v in expected(batch)["logits"][2]]
    assert all(abs(got - want) < 0.05 for got, want in zip(elements("F32", saved["logits"][2]), wanted, strict=True))


def test_a_loss_and_uneven_shards():
    """Rows that no number of ranks divides; the loss comes first; a row of no elements, and an output twice."""
    text = """
func.func public @main(%w: tensor<3xf32> {zcc.parameter = "w"}, %x: tensor<7x3xf32> {zcc.input = "x"})
    -> (tensor<f32>, tensor<7xf32> {zcc.result = "y"}, tensor<7xf32> {zcc.result = "again"}, tensor<7xi32> {zcc.result = "places"}, tensor<0x7xf32> {zcc.result = "none"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x3xf32>, tensor<3xf32>) -> tensor<7xf32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<f32>
  %places = stablehlo.iota dim = 0 : tensor<7xi32>
  %none = stablehlo.constant dense<> : tensor<0x7xf32>
  return %sum, %y, %y, %places, %none : tensor<f32>, tensor<7xf32>, tensor<7xf32>, tensor<7xi32>, tensor<0x7xf32>
}
"""
    x, w = [float(i % 5 - 2) for i in range(2 * 21)], [1.0, -2.0, 0.5]
    with open(path("uneven.mlir"), "w") as f:
        f.write(text)
    write_safetensors(path("uneven.params"), {"w": ("F32", [3], w)})
    write_safetensors(path("uneven.batches"), {"x": ("F32", [2, 7, 3], x)})
    wanted = [sum(x[3 * i + k] * w[k] for k in range(3)) for i in range(14)]
    for mesh in ["1", "data=2", "data=4", "data=3,tensor=2"]:
        call("zcc", path("uneven.mlir"), "-o", path("uneven.zexe"), "--quiet", "--optimizer=forward", f"--mesh={mesh}")
        out, _ = call("zrun", path("uneven.zexe"), "--params", path("uneven.params"), "--batches", path("uneven.batches"),
                      "--save-outputs", path("uneven.out"))
        losses = [json.loads(line).get("loss") for line in out.splitlines()][:2]
        assert losses == [sum(wanted[:7]), sum(wanted[7:])], (mesh, losses)
        saved = read_safetensors(path("uneven.out"))
        assert elements("F32", saved["y"][2]) == wanted == elements("F32", saved["again"][2]), (mesh, saved)
        assert elements("I32", saved["places"][2]) == 2 * list(range(7)), mesh
        assert saved["none"][:2] == ("F32", [2, 0, 7]), saved["none"]


def test_what_is_refused():
    refused("zcc", path("predict.mlir"), "-o", path("none.zexe"), says="cannot read", leaves_no=path("none.zexe"))
    compile_predict()
    for options, says in [(["--optimizer=sgd"], "expected the loss, a float scalar, as the first result"),
                          (["--optimizer=none"], "expected the loss, a float scalar, as the first result"),
                          (["--optimizer=forward", "--microbatches=2"], 'not yet: the output "'),
                          (["--optimizer=forward", "--mesh=pipe=2"], 'not yet: the output "logits", an array, on a mesh with an axis \'pipe\'')]:
        refused("zcc", path("predict.mlir"), "-o", path("none.zexe"), *options, says=says, leaves_no=path("none.zexe"))
    # The text of the phase graph says which results are arrays.
    call("zcc", path("predict.mlir"), "--optimizer=forward", "--compile-to=graph", "-o", path("graph.mlir"), "--quiet")
    refused("zcc", path("graph.mlir"), "--compile-from=graph", "-o", path("none.zexe"), says="expected a loss that is a floating-point scalar")
    call("zcc", path("graph.mlir"), "--compile-from=graph", "--optimizer=forward", "-o", path("predict.zexe"), "--quiet")
    check_outputs()
    refused("zrun", path("predict.zexe"), "--params", path("params"), "--batches", path("batches"), "--save-outputs",
            path("no/outputs"), says="no/outputs")


def test_programs_without_arrays():
    compile_model("mlp", "--optimizer=sgd")
    run_mlp = ["zrun", path("model.zexe"), "--params", os.path.join(DATA, "mlp", "params.safetensors"), "--batches",
               os.path.join(DATA, "mlp", "batches.safetensors"), "--save-outputs", path("none")]
    refused(*run_mlp, says="--save-outputs: the executable returns no arrays; compile a function that does with --optimizer forward",
            leaves_no=path("none"))
    compile_model("mlp", "--optimizer=forward")
    refused(*run_mlp, says="--save-outputs: the executable returns no arrays", leaves_no=path("none"))


def test_automatic_plans():
    """Microbatches and stages are not chosen, also where memory is short."""
    for options in [["--mesh=2", "--microbatches=auto"], ["--mesh=4", "--microbatches=auto"]]:
        compile_predict(*options)
        check_outputs()


def test_phases():
    """The text of each phase says all that the executable does."""
    compile_predict("--mesh=data=2,tensor=2", "--quiet")
    with open(path("predict.zexe"), "rb") as f:
        straight = f.read()
    for phase in ["graph", "step", "sharded", "partitioned", "tasks", "scheduled", "planned"]:
        compile_predict("--mesh=data=2,tensor=2", "--quiet")
        call("zcc", path("predict.mlir"), "--optimizer=forward", "--mesh=data=2,tensor=2", f"--compile-to={phase}", "-o", path("text.mlir"), "--quiet")
        call("zcc", path("text.mlir"), "--optimizer=forward", "--mesh=data=2,tensor=2", f"--compile-from={phase}", "-o", path("predict.zexe"), "--quiet")
        check_outputs()


def test_texts_that_lack_what_an_array_needs():
    compile_predict("--mesh=data=2", "--quiet")
    for phase in ["tasks", "planned"]:
        call("zcc", path("predict.mlir"), "--optimizer=forward", "--mesh=data=2", f"--compile-to={phase}", "-o", path("whole.mlir"), "--quiet")
        with open(path("whole.mlir")) as f:
            text = f.read()
        for old, new, says in [("global = tensor<8x6xf32>, ", "", "expected 'global' and 'sharding' of an output of kind array"),
                               ("global = tensor<8x6xf32>, ", "global = tensor<8xf32>, ", "a whole tensor of its element type and rank"),
                               ("global = tensor<8x6xf32>, kind = \"array\"", "global = tensor<8x6xf32>, kind = \"metric\"",
                                "expected no 'global' and 'sharding' of an output of kind metric")]:
            assert old in text, (old, [line for line in text.splitlines() if "dist.output" in line])
            with open(path("damaged.mlir"), "w") as f:
                f.write(text.replace(old, new, 1))
            refused("zcc", path("damaged.mlir"), f"--compile-from={phase}", "--optimizer=forward", "--mesh=data=2", "-o", path("none.zexe"),
                    says=says, leaves_no=path("none.zexe"))


def test_ranks_as_processes():
    """Rank 0 gets the shards of the others and writes the same file."""
    compile_predict("--mesh=data=2,tensor=2", "--quiet")
    check_outputs()
    with open(path("outputs"), "rb") as f:
        wanted = f.read()
    os.remove(path("outputs"))
    launch = os.path.join(HERE, "..", "tools", "launch.py")
    if not os.path.exists(os.path.join(BIN, "libzcc-gloo.so")):
        return
    p = subprocess.run([sys.executable, launch, "4", os.path.join(BIN, RUN[0]), *RUN[1:], "--quiet"],
                       capture_output=True, text=True, timeout=120)
    assert p.returncode == 0, p.stderr
    with open(path("outputs"), "rb") as f:
        assert f.read() == wanted


if __name__ == "__main__":
    run(globals())
