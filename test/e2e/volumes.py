# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bytes that plans of named axes send are at most those of the published hand-written plans (test/data/volumes).

Only compiles. A row of the table is compared with what plays its part in the report: the same tensors (gradients,
parameters, activations of a part of the model) on the same axis in the same phase, whatever collectives zcc chose.
Bytes sent by a device as the table counts them, by rings: 2(n-1)/n of an all-reduce, (n-1)/n of the others.
Run with the name `show` instead of a test's to print every row.
"""
import csv
import fnmatch

import texts
from harness import *

CONFIGS = {"gpt350M": dict(layers=24, hidden=1024, heads=16, seq=1024), "gpt1.3B": dict(layers=24, hidden=2048, heads=16, seq=2048),
           "gpt175B": dict(layers=96, hidden=12288, heads=96, seq=2048)}
MESHES = {"d8": {"data": 8}, "d64": {"data": 64}, "d8_t8": {"data": 8, "tensor": 8}, "d64_t8": {"data": 64, "tensor": 8}}
NARROW = ("--precision=bf16", "--gradient-type=compute")  # the table's 2 bytes an element
LINES = {f"gpt.py:{n}": part for part, n in texts.GPT_LINES.items()}
OUTSIDE_LAYERS = ("embedding", "norm", "head", "entropy")

# Limits that are exceeded: components, collective or None, phase or None, meshes or None; by at most how much (a factor, or
# "wide"), and why. All others must hold.
EXCEEDED = [
    (("zero1", "zero2", "zero3_fsdp"), "all_gather", None, ("d8",), "wide",
     "the step reads positions, biases and norms in f32: narrower, they would be other numbers"),
]
reports = {}


def table():
    with open(os.path.join(DATA, "volumes", "collectives.csv")) as f:
        return list(csv.DictReader(f))


def mesh_option(mesh):
    return "--mesh=" + ",".join(f"{k}={v}" for k, v in mesh.items())


def plan(text, *options):
    """The report of a text's plan; enough memory that nothing but the options decides."""
    key = (text, options)
    if key not in reports:
        with open(path("volumes.mlir"), "w") as f:
            f.write(text)
        call("zcc", path("volumes.mlir"), "-o", os.devnull, "--compile-to=partitioned", "--report", path("volumes.json"), "--quiet",
             "--machine=h100-dgx", "--memory=100TB", "--microbatches=1", "--remat=none", *options)
        with open(path("volumes.json")) as f:
            reports[key] = json.load(f)
    return reports[key]


def sent(report, axis, keep=lambda c: True):
    """Bytes that one device sends in the collectives on this axis that `keep` takes."""
    total = 0
    for c in report["collectives"]:
        n = math.prod(report["mesh"][a] for a in c["axes"])
        if axis in c["axes"] and keep(c):
            total += c["bytes"] * c["times"] * ({"all-reduce": 2}.get(c["kind"], 1) * (n - 1) / n if c["kind"] in
                                                ("all-reduce", "all-gather", "reduce-scatter", "all-to-all") else 1)
    return total


def part(c):
    return LINES.get(c["value"].split("#")[0])


def activation(phase, parts=None):
    return lambda c: c["what"] == "activation" and c["tasks"] == phase and (parts is None or part(c) in parts)


def of(what, phase=None, names="*"):
    return lambda c: c["what"] == what and phase in (None, c["tasks"]) and fnmatch.fnmatch(c["value"], names)


def gpt_plan(row, *options):
    return plan(texts.gpt(**CONFIGS[row["config"]], batch=int(row["global_batch"])), mesh_option(MESHES[row["mesh"]]), *NARROW, *options)


def wide_bytes(row):
    """Two bytes more an element of the positions, biases and norms, gathered."""
    shape, n = CONFIGS[row["config"]], int(row["group_size"])
    return 2 * (shape["seq"] + 13 * shape["layers"]) * shape["hidden"] * (n - 1) / n


def expected(row):
    limit = float(row["sent_bytes_per_device_per_step"])
    for components, collective, phase, meshes, factor, _ in EXCEEDED:
        if (row["component"] in components and collective in (None, row["collective"]) and phase in (None, row["phase"]) and
                (not meshes or row["mesh"] in meshes)):
            return limit + wide_bytes(row) if factor == "wide" else limit * factor
    return limit


def check(components, measure, large=False):
    """measure(row) is what zcc sends in the row's stead, or None if no plan of named axes does what the row says.

    The largest model has one batch, and tests of its own.
    """
    rows = [r for r in table() if r["component"] in components and (r["config"] == "gpt175B") == large and (not large or r["paired"] == "1")]
    over = []
    assert rows
    for row in rows:
        got, limit = measure(row), float(row["sent_bytes_per_device_per_step"])
        line = " ".join(row[k] for k in ("component", "config", "global_batch", "mesh", "collective", "phase")) + f" {row['tensor']!r}: "
        if SHOW:
            print(line + ("none" if got is None else f"{got:.0f} of {limit:.0f} ({got / limit:.4f})"))
        if got is not None and got > expected(row):
            over.append(line + f"{got:.0f} bytes, at most {expected(row):.0f}, the table's {limit:.0f} ({got / limit:.4f})")
    assert not over, f"{len(over)} of {len(rows)} rows exceed the table:\n" + "\n".join(over)


def measure_data(row):
    zero = {"dp": 0, "zero1": 1, "zero2": 2, "zero3_fsdp": 3}[row["component"]]
    report = gpt_plan(row, f"--zero={zero}")
    assert report["zero"] == zero
    if zero:
        whole = [c for c in report["collectives"] if c["what"] == "gradient" and c["kind"] == "all-reduce" and "data" in c["axes"]]
        assert not whole, f"stage {zero} on {row['mesh']}: {whole[0]}"
    if row["tensor"] == "gradients":
        return sent(report, "data", of("gradient"))
    return sent(report, "data", of("parameter", row["phase"] if zero == 3 else None))


def test_data_parallel():
    check(["dp"], measure_data)


def test_zero():
    """From stage 1 on no gradient is all-reduced over the data axis, either."""
    check(["zero1", "zero2", "zero3_fsdp"], measure_data)


def test_data_parallel_large():
    check(["dp", "zero1", "zero2", "zero3_fsdp"], measure_data, large=True)


def measure_tensor(row):
    report = gpt_plan(row, "--zero=0", "--disable=deal-sequences")  # what that moves besides is tested below
    layers = lambda kind=None: lambda c: (c["what"] == "activation" and c["tasks"] == row["phase"] and part(c) not in OUTSIDE_LAYERS and
                                          kind in (None, c["kind"]))
    if row["component"] == "tp":
        return sent(report, "tensor", layers())
    if row["component"] == "tp_embedding":
        scalars = row["tensor"].startswith("cross entropy")
        return sent(report, "tensor", activation(row["phase"], ("entropy",) if scalars else ("embedding", "norm", "head")))
    if not sent(report, "tensor", lambda c: c["kind"] == "reduce-scatter" and c["what"] == "activation"):
        return None  # the sequence is not sharded
    if row["component"] == "sp":
        return sent(report, "tensor", layers(row["collective"].replace("_", "-")))
    if row["component"] == "sp_extra_gather":  # beyond the gathers of sp
        return sent(report, "tensor", layers("all-gather")) - float(row["sent_bytes_per_device_per_step"])
    # By size, which the norm's scalars have not.
    return sent(report, "tensor", lambda c: c["tasks"] == "update" and c["bytes"] >= 1024)


TENSOR = ("tp", "tp_embedding", "sp", "sp_extra_gather", "sp_replicated_grads")


def test_tensor_parallel():
    """tp: all-reduces, or what sequence sharding makes of them; then also the rows of sp, by phase and kind."""
    check(TENSOR, measure_tensor)


def test_dealt_sequences():
    """A sequence that is dealt to the devices needs the table of positions on all of them: a twentieth more than the layers move."""
    row = next(r for r in table() if r["config"] == "gpt350M" and r["mesh"] == "d64_t8")
    dealt, whole = (sent(gpt_plan(row, "--zero=0", *more), "tensor") for more in ([], ["--disable=deal-sequences"]))
    assert whole < dealt <= 1.05 * whole, (dealt, whole)


def test_tensor_parallel_large():
    check(TENSOR, measure_tensor, large=True)


def test_tensor_parallel_of_separate_projections():
    """Llama: queries, keys and values, and the gate and what it gates, are products of one value each, whose gradients are parts
    of one sum. Two sums a layer and direction, and those of the embedding and the head, whole or as pairs of scatters and gathers."""
    shape = dict(layers=3, hidden=4096, heads=32, kv_heads=8, inner=14336, seq=2048, batch=64, vocab=32000)
    for mesh, options, width in ((MESHES["d8_t8"], NARROW, 2), (MESHES["d8_t8"], (), 4), ({"tensor": 4}, NARROW, 2)):
        report, n = plan(texts.llama(**shape), mesh_option(mesh), "--zero=0", *options), mesh["tensor"]
        one = shape["batch"] // mesh.get("data", 1) * shape["seq"] * shape["hidden"] * width * 2 * (n - 1) / n
        for phase in ("forward", "backward"):
            got, limit = sent(report, "tensor", activation(phase)), (2 * shape["layers"] + 1) * one
            line = f"{mesh} {width} bytes, {phase}: {got:.0f} of {limit:.0f} ({got / limit:.4f})"
            if SHOW:
                print(line)
            assert got <= limit * 1.001, line  # but for scalars


def check_experts(make, large=False):
    def measure(row):
        report, axis = make(row)
        if row["component"] == "ep_dense_dp":
            return sent(report, axis, lambda c: c["what"] == "gradient" and "experts.w" not in c["value"])
        # Everything but the gradients that ep_dense_dp counts: what the experts' parameters move, too.
        moved = sent(report, axis, lambda c: c["tasks"] == row["phase"] and c["what"] in ("activation", "parameter"))
        return moved + (sent(report, axis, of("gradient", names="*experts.w*")) if row["phase"] == "backward" else 0)
    check(["ep", "ep_dense_dp"], measure, large)


def moe(row, **options):
    return texts.gpt(**CONFIGS[row["config"]], batch=int(row["global_batch"]), experts=8, **options)


def experts_plan(row):
    return plan(moe(row), "--mesh=expert=8", "--zero=0", *NARROW), "expert"


def test_experts():
    check_experts(experts_plan)


def test_experts_large():
    check_experts(experts_plan, large=True)


def test_experts_annotated_once():
    """One sharding, of the experts' dimension of their parameters, on an axis that has no role: no full activation is gathered."""
    sharding = '[{"data"}, {}, {}]'
    check_experts(lambda row: (plan(moe(row, expert_sharding=sharding, mesh=MESHES["d8"]), "--mesh=data=8", "--zero=0", *NARROW), "data"))


def test_tables():
    """DLRM with rows or columns of its tables sharded; the latter moves what whole tables on devices do.

    The rows of the indices are none of a plan of named axes: it gathers them, 4 bytes each, instead of sorting them by owner.
    """
    def measure(row):
        batch, mesh = int(row["global_batch"]), MESHES[row["mesh"]]
        if row["tensor"].startswith("lookup indices"):
            return None
        shard = "-,data" if row["component"] == "dlrm_table_wise" else "data,-"
        report = plan(texts.dlrm(batch), mesh_option(mesh), "--zero=0", f"--shard=tables.*={shard}")
        if row["component"] == "dlrm_mlp_dp":
            return sent(report, "data", lambda c: c["what"] == "gradient" and "tables" not in c["value"])
        indices = lambda c: c["bytes"] == batch * 4 and c["kind"] == "all-gather"
        moved = sent(report, "data", lambda c: c["tasks"] == row["phase"] and c["what"] == "activation" and not indices(c))
        return moved + (sent(report, "data", of("gradient", names="*tables*")) if row["phase"] == "backward" else 0)
    check(["dlrm_row_wise", "dlrm_table_wise", "dlrm_mlp_dp"], measure)


def test_sequence_annotation():
    """The sequence asked for once, after the embedding or of every layer: no axis carries more than without."""
    for config, batch, mesh in (("gpt350M", 64, "d8_t8"), ("gpt1.3B", 512, "d8_t8"), ("gpt1.3B", 64, "d64_t8")):
        shape, options = {**CONFIGS[config], "layers": 4, "batch": batch}, (mesh_option(MESHES[mesh]), "--zero=0", *NARROW)
        free = plan(texts.gpt(**shape), *options)
        for where in ("embedding", "residual"):
            for sharding in ('[{"data"}, {"tensor"}, {}]', '[{?}, {"tensor"}, {?}]'):
                asked = plan(texts.gpt(**shape, annotate={where: sharding}, mesh=MESHES[mesh]), *options)
                for axis in ("tensor", "data"):
                    before, after = sent(free, axis), sent(asked, axis)
                    line = f"{config} {batch} {mesh}, {sharding} at {where}: {after:.0f} bytes on {axis}, {before:.0f} without ({after / before:.4f})"
                    if SHOW:
                        print(line)
                    assert after <= before * 1.0001, line  # but for scalars


def test_sums_cross_as_they_are_read():
    """In bf16 half as many bytes of activations cross the tensor axis as in f32, also where parts are rounded, widened and added to others."""
    for model, *options in (("llama", "--mesh=data=2,tensor=2", "--disable=shard-sequence"), ("llama", "--mesh=context=2,tensor=2"),
                            ("gpt2", "--mesh=data=2,tensor=2", "--disable=shard-sequence")):
        with open(model_text(model)) as f:
            text = f.read()
        for phase in ("forward", "backward"):
            wide, narrow = (sent(plan(text, "--zero=0", f"--precision={t}", *options), "tensor", activation(phase)) for t in ("f32", "bf16"))
            line = f"{model} {' '.join(options)} {phase}: {narrow:.0f} bytes in bf16, {wide:.0f} in f32 ({narrow / wide:.4f})"
            if SHOW:
                print(line)
            assert narrow <= 0.51 * wide, line  # but for statistics of rows


def test_uneven():
    """Dims that do not divide are padded, not replicated, and the report says what is wasted."""
    shape = dict(layers=2, hidden=1024, heads=10, seq=1000, batch=60, vocab=50257)
    shape["hidden"] = 1000
    report = plan(texts.gpt(**shape), "--mesh=data=8,tensor=8", "--zero=1", *NARROW)
    padded = report.get("waste", [])
    assert {(p["values"], p["extent"], p["padded"]) for p in padded} >= {("blocks.{0-1}.attn.wqkv", 10, 16)}, padded
    if SHOW:
        print(report["waste"])
    whole = texts.gpt(**{**shape, "heads": 16, "hidden": 1024, "seq": 1024, "batch": 64, "vocab": 51200})
    even = plan(whole, "--mesh=data=8,tensor=8", "--zero=1", *NARROW)
    assert not even.get("waste"), even["waste"]
    # The bytes sent are at most those of the next size that divides.
    for axis in ("data", "tensor"):
        assert sent(report, axis) <= 1.05 * sent(even, axis), f"{axis}: {sent(report, axis):.0f} bytes, {sent(even, axis):.0f} where all divides"


SHOW = "show" in sys.argv
sys.argv = [a for a in sys.argv if a != "show"]
run(globals())
