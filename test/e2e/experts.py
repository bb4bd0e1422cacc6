# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mixtures of experts whose tokens are sorted by their expert: no mesh and no microbatch needs the sort."""
import random

from harness import *

BATCH, LENGTH, WIDTH, HIDDEN, EXPERTS, CHOSEN, LAYERS = 8, 4, 8, 12, 4, 2, 2
TOKENS, ROWS = BATCH * LENGTH, BATCH * LENGTH * CHOSEN
STEPS = 3
BY_ROW = "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"


class Text:
    """A text of StableHLO, line by line."""

    def __init__(self):
        self.lines, self.count = [], 0

    def __call__(self, line, results=1):
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name}{f':{results}' if results > 1 else ''} = {line}")
        return name

    def constant(self, value, kind):
        return self(f"stablehlo.constant dense<{value}> : tensor<{kind}>")

    def binary(self, op, x, y, kind):
        return self(f"stablehlo.{op} {x}, {y} : tensor<{kind}>")

    def reshape(self, x, old, new):
        return self(f"stablehlo.reshape {x} : (tensor<{old}>) -> tensor<{new}>")

    def spread(self, x, old, new, dims):
        return self(f"stablehlo.broadcast_in_dim {x}, dims = {dims} : (tensor<{old}>) -> tensor<{new}>")

    def total(self, x, old, new, dims):
        return self(f"stablehlo.reduce({x} init: %zero) applies stablehlo.add across dimensions = {dims} : (tensor<{old}>, tensor<f32>) -> tensor<{new}>")

    def rows_of(self, x, at, count, width):
        """Rows of x ([count, width], or [count] without width)."""
        tail, offset = (f"x{width}", "offset_dims = [1], ") if width else ("", "")
        sizes = f"1, {width}" if width else "1"
        return self(f'"stablehlo.gather"({x}, {at}) <{{dimension_numbers = #stablehlo.gather<{offset}collapsed_slice_dims = [0], '
                    f'start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: {sizes}>}}> : '
                    f'(tensor<{count}{tail}xf32>, tensor<{ROWS}x1xi32>) -> tensor<{ROWS}{tail}xf32>')

    def scatter(self, x, at, updates, kind, updated, numbers, combined):
        element = kind.split("x")[-1]
        body = (f"%s{self.count} = stablehlo.add %a{self.count}, %b{self.count} : tensor<{element}> "
                f"stablehlo.return %s{self.count} : tensor<{element}>" if combined else f"stablehlo.return %b{self.count} : tensor<{element}>")
        return self(f'"stablehlo.scatter"({x}, {at}, {updates}) <{{scatter_dimension_numbers = #stablehlo.scatter<{numbers}>}}> '
                    f'({{ ^bb0(%a{self.count}: tensor<{element}>, %b{self.count}: tensor<{element}>): {body} }}) : '
                    f'(tensor<{kind}>, tensor<{ROWS}x1xi32>, tensor<{updated}>) -> tensor<{kind}>')


def layer(t, i, x, spelling):
    """Adds to the tokens x the results of their experts. Returns it, and the probabilities of the router."""
    flat = f"{TOKENS}x{WIDTH}xf32"
    logits = t(f"stablehlo.dot_general {x}, %router{i}, contracting_dims = [1] x [0] : (tensor<{flat}>, tensor<{WIDTH}x{EXPERTS}xf32>) -> tensor<{TOKENS}x{EXPERTS}xf32>")
    scores = f"{TOKENS}x{EXPERTS}xf32"
    weights = t(f"stablehlo.exponential {logits} : tensor<{scores}>")
    weights = t.binary("divide", weights, t.spread(t.total(weights, scores, f"{TOKENS}xf32", [1]), f"{TOKENS}xf32", scores, [0]), scores)
    t.lines.append(f"%best{i}, %at{i} = chlo.top_k({weights}, k = {CHOSEN}) : tensor<{scores}> -> (tensor<{TOKENS}x{CHOSEN}xf32>, tensor<{TOKENS}x{CHOSEN}xi32>)")
    ids = t.reshape(f"%at{i}", f"{TOKENS}x{CHOSEN}xi32", f"{ROWS}xi32")
    share = t.reshape(f"%best{i}", f"{TOKENS}x{CHOSEN}xf32", f"{ROWS}xf32")
    iota = t(f"stablehlo.iota dim = 0 : tensor<{ROWS}xi32>")
    t.lines.append(f'%sorted{i}:2 = "stablehlo.sort"({ids}, {iota}) <{{dimension = 0 : i64, is_stable = true}}> ({{ '
                   f'^bb0(%p{i}: tensor<i32>, %q{i}: tensor<i32>, %r{i}: tensor<i32>, %s{i}: tensor<i32>): '
                   f'%less{i} = stablehlo.compare LT, %p{i}, %q{i} : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %less{i} : tensor<i1> '
                   f'}}) : (tensor<{ROWS}xi32>, tensor<{ROWS}xi32>) -> (tensor<{ROWS}xi32>, tensor<{ROWS}xi32>)')
    permutation = f"%sorted{i}#1"
    chosen = t.spread(t.constant(CHOSEN, f"{ROWS}xi32"), f"{ROWS}xi32", f"{ROWS}xi32", [0])
    token = t.binary("divide", permutation, chosen, f"{ROWS}xi32")
    column = lambda v: t.reshape(v, f"{ROWS}xi32", f"{ROWS}x1xi32")
    rows = t.rows_of(x, column(token), TOKENS, WIDTH)
    share = t.rows_of(share, column(permutation), ROWS, None)
    # The number of rows of each expert.
    if spelling == "added":  # of the keys; ones are added up
        sizes = t.scatter(t.constant(0, f"{EXPERTS}xi32"), column(ids), t.constant(1, f"{ROWS}xi32"), f"{EXPERTS}xi32", f"{ROWS}xi32", BY_ROW, True)
    else:  # of the sorted keys, compared with each expert; then the ends of the groups, and differences of them
        grid = f"{ROWS}x{EXPERTS}"
        same = t(f"stablehlo.compare EQ, {t.spread(f'%sorted{i}#0', f'{ROWS}xi32', f'{grid}xi32', [0])}, "
                 f"{t(f'stablehlo.iota dim = 1 : tensor<{grid}xi32>')} : (tensor<{grid}xi32>, tensor<{grid}xi32>) -> tensor<{grid}xi1>")
        same = t(f"stablehlo.convert {same} : (tensor<{grid}xi1>) -> tensor<{grid}xf32>")
        ends = t(f"stablehlo.convert {t.total(same, f'{grid}xf32', f'{EXPERTS}xf32', [0])} : (tensor<{EXPERTS}xf32>) -> tensor<{EXPERTS}xi32>")
        step = 1
        while step < EXPERTS:
            before = t(f"stablehlo.pad {ends}, %none, low = [{step}], high = [-{step}], interior = [0] : (tensor<{EXPERTS}xi32>, tensor<i32>) -> tensor<{EXPERTS}xi32>")
            ends = t.binary("add", ends, before, f"{EXPERTS}xi32")
            step *= 2
        first = t(f"stablehlo.slice {ends} [0:{EXPERTS - 1}] : (tensor<{EXPERTS}xi32>) -> tensor<{EXPERTS - 1}xi32>")
        first = t(f"stablehlo.concatenate {t.constant(0, '1xi32')}, {first}, dim = 0 : (tensor<1xi32>, tensor<{EXPERTS - 1}xi32>) -> tensor<{EXPERTS}xi32>")
        sizes = t.binary("subtract", ends, first, f"{EXPERTS}xi32")
    ragged = lambda v, w, n, m: t(
        f'"chlo.ragged_dot"({v}, {w}, {sizes}) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], '
        f'rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}}> : '
        f'(tensor<{ROWS}x{n}xf32>, tensor<{EXPERTS}x{n}x{m}xf32>, tensor<{EXPERTS}xi32>) -> tensor<{ROWS}x{m}xf32>')
    made = ragged(rows, f"%up{i}", WIDTH, HIDDEN)
    if spelling != "added":
        bias = t(f'"stablehlo.gather"(%bias{i}, {column(f"%sorted{i}#0")}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
                 f'collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {HIDDEN}>}}> : '
                 f'(tensor<{EXPERTS}x{HIDDEN}xf32>, tensor<{ROWS}x1xi32>) -> tensor<{ROWS}x{HIDDEN}xf32>')
        made = t.binary("add", made, bias, f"{ROWS}x{HIDDEN}xf32")
    made = t(f"stablehlo.tanh {made} : tensor<{ROWS}x{HIDDEN}xf32>")
    made = ragged(made, f"%down{i}", HIDDEN, WIDTH)
    made = t.binary("multiply", made, t.spread(share, f"{ROWS}xf32", f"{ROWS}x{WIDTH}xf32", [0]), f"{ROWS}x{WIDTH}xf32")
    if spelling == "added":
        made = t.scatter(t.constant("0.0", flat), column(token), made, flat, f"{ROWS}x{WIDTH}xf32", "update_window_dims = [1], " + BY_ROW, True)
    else:
        back = t.scatter(t.constant(0, f"{ROWS}xi32"), column(permutation), iota, f"{ROWS}xi32", f"{ROWS}xi32", BY_ROW, False)
        made = t.rows_of(made, column(back), ROWS, WIDTH)
        if spelling == "neighbors":  # the order of the sorted rows matters
            wrong = t(f"stablehlo.reverse {t.spread(share, f'{ROWS}xf32', f'{ROWS}x{WIDTH}xf32', [0])}, dims = [0] : tensor<{ROWS}x{WIDTH}xf32>")
            made = t.binary("add", made, wrong, f"{ROWS}x{WIDTH}xf32")
        made = t.reshape(made, f"{ROWS}x{WIDTH}xf32", f"{TOKENS}x{CHOSEN}x{WIDTH}xf32")
        made = t.total(made, f"{TOKENS}x{CHOSEN}x{WIDTH}xf32", flat, [1])
    return t.binary("add", x, made, flat), weights


def write_text(spelling="added", router=False):
    """The text of a loss; with `router` it has a term of the router that multiplies means over the batch."""
    t = Text()
    cube, flat, scores = f"{BATCH}x{LENGTH}x{WIDTH}xf32", f"{TOKENS}x{WIDTH}xf32", f"{TOKENS}x{EXPERTS}xf32"
    t.lines += ["%zero = stablehlo.constant dense<0.0> : tensor<f32>", "%none = stablehlo.constant dense<0> : tensor<i32>"]
    x = t.reshape("%x", cube, flat)
    terms = []
    for i in range(LAYERS):
        x, weights = layer(t, i, x, spelling)
        mean = t.total(weights, scores, f"{EXPERTS}xf32", [0])
        terms.append(t.total(t.binary("multiply", mean, mean, f"{EXPERTS}xf32"), f"{EXPERTS}xf32", "f32", [0]))
    gap = t.binary("subtract", t.reshape(x, flat, cube), "%y", cube)
    loss = t.total(t.binary("multiply", gap, gap, cube), cube, "f32", [0, 1, 2])
    loss = t.binary("divide", loss, t.constant(f"{BATCH}.0", "f32"), "f32")
    if router:
        for term in terms:
            loss = t.binary("add", loss, t.binary("multiply", term, t.constant("1.0e-3", "f32"), "f32"), "f32")
    arguments = [f'%{name}: tensor<{"x".join(map(str, shape))}xf32> {{zcc.parameter = "{name}"}}' for name, shape in shapes(spelling)]
    arguments += [f'%{name}: tensor<{cube}> {{zcc.input = "{name}"}}' for name in ("x", "y")]
    with open(path("experts.mlir"), "w") as f:
        f.write("module {\nfunc.func @main(" + ", ".join(arguments) + ") -> tensor<f32> {\n" + "\n".join(t.lines) + f"\nreturn {loss} : tensor<f32>\n}}\n}}\n")
    return path("experts.mlir")


def shapes(spelling):
    found = []
    for i in range(LAYERS):
        found += [(f"router{i}", (WIDTH, EXPERTS)), (f"up{i}", (EXPERTS, WIDTH, HIDDEN)), (f"down{i}", (EXPERTS, HIDDEN, WIDTH))]
        if spelling != "added":
            found.append((f"bias{i}", (EXPERTS, HIDDEN)))
    return found


def train_experts(spelling, *options):
    """Losses and norms of a few steps, and the report."""
    draw = random.Random(2)
    numbers = lambda *shape: ("F32", list(shape), [draw.gauss(0, 0.5) for _ in range(math.prod(shape))])
    write_safetensors(path("params"), {name: numbers(*shape) for name, shape in shapes(spelling)})
    write_safetensors(path("batches"), {name: numbers(STEPS, BATCH, LENGTH, WIDTH) for name in ("x", "y")})
    call("zcc", write_text(spelling), "-o", path("experts.zexe"), "--quiet", "--report", path("report.json"), *options)
    if os.path.exists(path("log")):
        os.remove(path("log"))
    call("zrun", path("experts.zexe"), "--params", path("params"), "--batches", path("batches"), "--steps", STEPS, "--log", path("log"))
    with open(path("log")) as f, open(path("report.json")) as g:
        lines = [json.loads(line) for line in f.readlines()[1:]]
        return [[line[k] for line in lines if "step" in line] for k in ("loss", "grad_norm")], json.load(g)


def executed(report):
    return report["flops"]["executed"] / report["flops"]["model"]


def check(spelling):
    want, _ = train_experts(spelling, "--disable=unsort")
    for options in (), ("--mesh=data=2",), ("--mesh=data=2", "--zero=3"), ("--mesh=expert=2",), ("--microbatches=2",), \
            ("--mesh=data=2", "--microbatches=4"), ("--mesh=pipe=2", "--microbatches=2"):
        got, report = train_experts(spelling, *options)
        for a, b in zip(got, want):
            assert off(a, b) <= 1e-5, f"{spelling} {options}: {a}, expected {b}"
        assert executed(report) <= 1.1, f"{spelling} {options}: {report['flops']}"


def test_rows_are_added_to_their_tokens():
    check("added")


def test_rows_are_brought_back_by_the_inverse():
    check("inverse")


def test_order_that_matters():
    """A sum with the sorted rows in another order needs the sort: devices have all rows for it, and microbatches are refused."""
    want, _ = train_experts("neighbors", "--disable=unsort")
    got, report = train_experts("neighbors", "--mesh=data=2")
    assert all(off(a, b) <= 1e-5 for a, b in zip(got, want)), (got, want)
    assert [c for c in report["collectives"] if "train.sort" in c["why"]], report["collectives"]
    refused("zcc", path("experts.mlir"), "--microbatches=2", "-o", path("none"), says="train.sort cannot be split into microbatches",
            leaves_no=path("none"))


def test_a_router_that_needs_the_whole_batch():
    text = write_text(router=True)
    call("zcc", text, "--mesh=data=2", "-o", path("router.zexe"), "--quiet")
    refused("zcc", text, "--microbatches=2", "-o", path("none"), says="needs the whole batch at once, and depends on 'router0'",
            leaves_no=path("none"))


run(globals())
