# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options for training a random graph: random ones, and for each mode those that vary and the options that it is compared with."""
import collections
import math
import random

from runner import compare, write_data

MESHES = ["data=2", "data=3", "data=4", "tensor=2", "tensor=3", "data=2,tensor=2", "data=2,tensor=3", "a=2,b=2", "a=2,b=2", "a=3,b=2",
          "data=2,a=2", "expert=2", "context=2", "data=2,context=2"]


def draw_mesh(r):
    text = r.choice(MESHES)
    return text, [pair.split("=")[0] for pair in text.split(",")]


def draw_constraints(r, graph, mesh):
    """Shardings of a few values that ops compute."""
    constraints = {}
    for op in graph.live()[0]:
        v = op.results[0]
        if op.name == "constant" or not v.rank or r.random() > 0.08:
            continue
        free = [axis for axis, _ in mesh]
        entries = [[] for _ in v.shape]
        for axis in r.sample(free, len(free)):
            if r.random() < 0.6:
                entries[r.randrange(v.rank)].append(f'"{axis}"')
        constraints[v.name] = "[" + ", ".join("[" + ", ".join(e + ['"?"'] * (r.random() < 0.5)) + "]" for e in entries) + "]"
    return constraints


def mesh_of(options):
    """Names and sizes of the axes, as --mesh has them."""
    given = [o.split("=", 1)[1] for o in options if o.startswith("--mesh=")]
    return [(pair.split("=")[0], int(pair.split("=")[1])) for pair in given[0].split(",")] if given else []


# Meshes for graphs in layers, in which some axis splits the products.
LAYER_MESHES = ["tensor=2", "tensor=2", "tensor=4", "a=2", "a=2", "data=2,tensor=2", "data=2,a=2", "a=2,b=2", "context=2",
                "expert=2", "expert=2", "expert=4", "data=2,expert=2"]


def draw_layer_options(r, graph):
    """Options of one variant of a graph in layers: weights are split so that products are followed by collectives."""
    mesh = r.choice(LAYER_MESHES)
    axes = [pair.split("=")[0] for pair in mesh.split(",")]
    options = [f"--mesh={mesh}", f"--microbatches={r.choice([1, 1, 1, 2, 2])}"]
    if r.random() < 0.6:
        options.append(f"--zero={r.randrange(4)}")
    if r.random() < 0.4:
        options.append(f"--remat={r.choice(['none', 'full'])}")
    if r.random() < 0.2:
        options.append("--disable=shard-sequence")
    split = [axis for axis in axes if axis in ("tensor", "a", "b")]
    if split and (split[0] != "tensor" or r.random() < 0.5):
        options += [f"--shard={name}=" + ",".join(split[-1] if d == dim else "-" for d in range(rank)) for name, rank, dim in graph.splits]
    if split[:1] == ["a"] and len(axes) > 1 and r.random() < 0.7:  # an axis without a role has the batch
        options += [f"--shard={v.name}=a" + ",-" * (v.rank - 1) for v in graph.inputs if v.batch == 0 and v.name in graph.live()[1]]
    return options


def draw_options(r, graph):
    """Options of one variant."""
    if graph.splits:
        return draw_layer_options(r, graph)
    mesh, axes = draw_mesh(r)
    options = [f"--mesh={mesh}"] if r.random() < 0.9 else []
    if r.random() < 0.7:
        options.append(f"--zero={r.randrange(4)}")
    options.append(f"--microbatches={r.choice([1, 1, 1, 2, 2, 3])}")
    if r.random() < 0.6:
        options.append(f"--remat={r.choice(['none', 'full'])}")
    if r.random() < 0.15:
        options.append("--exact")
    _, needed = graph.live()
    for v in graph.parameters + graph.inputs:
        chance = 0.6 if "a" in axes else 0.2
        if options[0].startswith("--mesh") and v.name in needed and v.rank and r.random() < chance:
            free = [a for a in axes if v.dtype == "f32" or a != "data"]
            entries = [[] for _ in v.shape]
            for axis in r.sample(free, len(free)):
                if r.random() < 0.7:
                    d = r.randrange(v.rank)
                    # The roles: data shards the batch only, tensor and context never do.
                    batch = v in graph.inputs and d == 0
                    if axis in ("a", "b") or (axis in ("tensor", "context") and not batch):
                        entries[d].append(axis)
            if any(entries):
                options.append(f"--shard={v.name}=" + ",".join("+".join(e) or "-" for e in entries))
    return options


NO_NARROW_SUMS = "--disable=narrow-sums"


class Case:
    """A graph and two sets of options whose results must agree: `exactly`, or within rounding. The base's are made of the others by
    `base_of`; it has no constraints."""

    def __init__(self, seed, graph, options, base_of, exactly, constraints={}):
        self.seed, self.graph, self.options, self.base_of, self.exactly = seed, graph, options, base_of, exactly
        self.constraints, self.facts = constraints, None

    @property
    def base(self):
        return self.base_of(self.options)

    def check(self, runner, one=None):
        """(what is wrong or None, what was refused or None); `one` is the outcome of the base, if known."""
        if one is None:
            with open(runner.path("graph.mlir"), "w") as f:
                f.write(self.graph.text())
            write_data(self.graph, self.seed, runner.work)
            one = runner.try_(self.base)
        with open(runner.path("sharded.mlir"), "w") as f:
            f.write(self.graph.text(mesh_of(self.options), self.constraints))
        if one.refused or one.bad:
            return (None, one.refused) if one.refused else ("the base: " + one.bad, None)
        other = runner.try_(self.options, "other")
        self.facts = other.facts
        if other.refused or other.bad:
            return other.bad, other.refused
        for budget in (int(o.split("=")[1]) for o in self.options if o.startswith("--memory=")):
            if other.facts.peak > budget:
                return f"{other.facts.peak} bytes within {budget}", None
        if not self.exactly:
            narrow = any(o.startswith(("--precision", "--compress")) for o in self.base)
            narrow_sums = any(o.startswith("--precision") for o in self.base) and NO_NARROW_SUMS not in self.options
            return compare(one, other, "--target=reference" in self.base, narrow, narrow_sums), None
        same = one.losses == other.losses and one.parameters == other.parameters
        return None if same else "other bits", None


# Functions that the CPU computes by polynomials, which round differently from libm's.
FUNCTIONS = {"tanh", "logistic", "sine", "cosine", "tan", "erf", "erfc", "erf_inv", "exponential", "exponential_minus_one", "log",
             "log_plus_one", "rsqrt", "cbrt", "power", "atan2", "attention"}


def replaced(options, *more):
    """`more` in the place of all options of their names."""
    names = {o.split("=")[0] for o in more}
    return [o for o in options if o.split("=")[0] not in names] + list(more)


def without(options, *names):
    return [o for o in options if o.split("=")[0] not in names]


# The draws of modes: each makes other options from those drawn so far, or None if there is nothing to compare.

def microbatches(r, options, graph, runner):
    """Draws microbatches: communication of each microbatch is hidden in other ways than that of the step."""
    return replaced(options, f"--microbatches={r.choice([2, 3, 4])}") if r.random() < 0.5 else options


def several(r, options, graph, runner):
    """Draws several microbatches, of one row if there are as many as rows, so that runs of two can take turns."""
    rows = next((v.shape[0] for v in graph.inputs if v.batch == 0 and v.rank), 0)
    counts = [n for n in (2, 3, 4, 8) if rows % n == 0 and n <= rows]
    return replaced(options, f"--microbatches={r.choice(counts)}") if counts else None


def target(r, options, graph, runner):
    return options + [f"--target={r.choice(['cpu', 'reference'])}"]


MACHINE = """name: "random"
ranks_share_node: true
peaks {{ type: "f32" flops: {flops:g} }}
memories {{ name: "device" bytes: 1e10 bandwidth: {memory:g} }}
links {{ name: "inner" devices: 2 latency: {latency:g} bandwidth: {link:g} }}
links {{ name: "outer" latency: {latency:g} bandwidth: {link:g} }}
"""


def slow_links(r, options, graph, runner):
    """A machine on which tiny programs communicate about as long as they compute. For graphs in layers, the messages of products
    take longer than a latency."""
    figures = dict(flops=1e10, memory=1e10, latency=1e-6, link=1e9)
    if graph.splits:
        flops = 10 ** r.uniform(9, 11)
        figures = dict(flops=flops, memory=1e11, latency=10 ** r.uniform(-8, -7), link=flops / 10 ** r.uniform(2.2, 3))
    return options + [runner.machine(MACHINE.format(**figures))]


def slow_links_perhaps(r, options, graph, runner):
    return slow_links(r, options, graph, runner) if r.random() < 0.7 else options


def offload(r, options, graph, runner):
    return options + ["--offload=" + ",".join(r.sample(["optimizer", "activations", "parameters"], r.randrange(1, 4)))]


def offload_perhaps(r, options, graph, runner):
    return offload(r, options, graph, runner) if r.random() < 0.7 else options


def within(share, options, runner):
    """Returns options with a memory between the peak where all is computed again and the peak where all is kept: None if one of the
    two is refused, and the options that fail if one fails otherwise."""
    low, top = (replaced(options, f"--remat={remat}") for remat in ("full", "none"))
    peaks = []
    for own in (low, top):
        peak, refused = runner.peak(own)
        if refused and own is low:  # where all is computed again nothing may be left to offload
            peak, refused = runner.peak(without(own, "--offload"))
        if peak is None:
            return None if refused else own
        peaks.append(peak)
    # Places are multiples of 64 bytes, and full recomputation may be luckier with them.
    least = peaks[0] + 512
    return without(options, "--remat") + [f"--memory={int(least + share * max(0, peaks[1] - least))}"]


def budget(r, options, graph, runner):
    return within(r.random(), options, runner)


def compress(r, options, graph, runner):
    return options + [f"--compress={r.choice(['bf16', 'f8', 'int8'])}"]


SCHEDULES = ["gpipe", "1f1b", "interleaved:2", "interleaved:2:4", "zb-h1", "zb-h2", "zb-v"]


def pipeline(r, options, graph, runner):
    """A cut into stages, and a schedule that may need as many microbatches as there are stages."""
    stages = r.choice([2, 2, 2, 3, 4])
    mesh = [o.split("=", 1)[1] for o in options if o.startswith("--mesh=")]
    axes = [f"pipe={stages}"] + (mesh if r.random() < 0.6 else [])
    drawn = [f"--mesh={','.join(axes if r.random() < 0.7 else axes[::-1])}", f"--schedule={r.choice(SCHEDULES)}",
             f"--microbatches={r.choice([1, 2, stages, 2 * stages])}"]
    # Annotations are of the axes that were left out.
    return replaced(options if len(axes) > 1 else without(options, "--shard"), *drawn)


def batch_shards(mesh):
    """The number of devices that the batch is split over."""
    return math.prod(int(size) for name, size in (pair.split("=") for pair in mesh.split(",")) if name in ("data", "expert"))


def one_row(r, options, graph, runner):
    """One row of the batch a microbatch and device, whose positions are divided among devices where sums meet, or which experts exchange, perhaps
    in stages."""
    x = next((v for v in graph.inputs if v.name == "x0"), None)
    if not graph.splits or not x or x.rank < 3 or x.shape[1] < 4:
        return None
    mesh = r.choice(["tensor=2", "tensor=2", "data=2,tensor=2", "pipe=2,tensor=2", "pipe=2,tensor=2", "expert=2", "expert=4", "pipe=2,expert=2"])
    rows = x.shape[0] // batch_shards(mesh)
    if rows == 0:
        return None
    drawn = [f"--mesh={mesh}", f"--microbatches={rows}"] + ([f"--schedule={r.choice(SCHEDULES)}"] if "pipe" in mesh else [])
    return replaced(without(options, "--shard", "--disable"), *drawn)


def rows_in_stages(r, options, graph, runner):
    """One row of the batch a microbatch and device, always in stages that split layers: gradients of weights, and the backward pass of the
    first stage, take turns with the runs beside them."""
    x = next((v for v in graph.inputs if v.name == "x0"), None)
    if not graph.splits or not x or x.rank < 2:
        return None
    mesh = r.choice(["pipe=2,tensor=2", "pipe=2,tensor=2", "pipe=3,tensor=2", "pipe=2,data=2,tensor=2", "pipe=2,context=2", "pipe=2,expert=2"])
    rows = x.shape[0] // batch_shards(mesh)
    schedules = ["zb-h1", "zb-h2", "zb-v", "1f1b", "interleaved:2", "gpipe"]
    return replaced(without(options, "--shard", "--disable"), f"--mesh={mesh}", f"--microbatches={rows}", f"--schedule={r.choice(schedules)}")


def deep_pipeline(r, options, graph, runner):
    """Stages on several nodes."""
    drawn = [f"--mesh=pipe={r.choice([4, 5, 6])}", f"--schedule={r.choice(SCHEDULES)}", f"--microbatches={r.choice([4, 8])}"]
    return replaced(without(options, "--shard"), *drawn)


NODES = """name: "nodes"
devices_per_node: {size}
peaks {{ type: "f32" flops: {flops:g} }}
memories {{ name: "device" bytes: 1e10 bandwidth: {flops:g} }}
memories {{ name: "host" bytes: 1e10 bandwidth: {flops:g} }}
links {{ name: "inner" devices: {size} latency: 1e-9 bandwidth: 1e12 }}
links {{ name: "outer" latency: {latency:g} bandwidth: {link:g} }}
"""


def nodes(r, options, graph, runner):
    """Between which messages take long."""
    return options + [runner.machine(NODES.format(size=r.choice([2, 3]), flops=10 ** r.uniform(9, 11), latency=10 ** r.uniform(-9, -6), link=10 ** r.uniform(6, 7.5)))]


def pipeline_perhaps(r, options, graph, runner):
    return pipeline(r, options, graph, runner) if r.random() < 0.3 else options


def plain(options):
    """Options without anything that memory decides. With one microbatch, all stages of ZeRO sum in the same order."""
    options = replaced(without(options, "--offload", "--memory"), "--remat=none") + ["--disable=overlap"]
    return replaced(options, "--zero=0") if "--microbatches=1" in options else options


# `draws` make the options of a program, `base` those of the program that it is compared with. `exact`: results must be equal to the
# bit (True), within rounding (False), or to the bit where all ops round alike (None). `layers`: the share of graphs in layers, of
# which half have steps in parts where there is overlap; `precisions`: some are of 16 bits. `skips`: all graphs are such layers,
# which read early values.
Mode = collections.namedtuple("Mode", "about draws base exact layers precisions skips", defaults=(True, 0.0, True, False))
reference = lambda options: replaced(options, "--target=reference")
MODES = {
    "reference": Mode("the targets reference and cpu", [], reference, False, precisions=False),
    "overlap": Mode("on a machine of slow links, on a target, with communication beside computation and without",
                    [microbatches, pipeline_perhaps, slow_links, target], lambda options: options + ["--disable=overlap"], layers=0.6),
    "rows": Mode("as overlap, with one row a microbatch and device", [one_row, slow_links, target],
                 lambda options: options + ["--disable=overlap"], layers=1.0),
    "turns": Mode("as overlap, with several microbatches and one stage, whose runs take turns", [several, slow_links, target],
                  lambda options: options + ["--disable=overlap"], layers=0.8),
    "stage-turns": Mode("as turns, in stages, with one row a microbatch and device", [rows_in_stages, slow_links, target],
                        lambda options: options + ["--disable=overlap"], layers=1.0),
    "budget": Mode("all kept for the backward pass, and a memory between what that needs and what full recomputation does", [budget],
                   lambda options: replaced(without(options, "--memory"), "--remat=none")),
    "compress": Mode("residuals in narrower types on the targets reference and cpu, to the bit where all ops round alike", [compress],
                     reference, None, precisions=False),
    "pipeline": Mode("one device, and a pipeline of random stages and schedules", [pipeline, slow_links_perhaps],
                     lambda options: [o for o in options if o.startswith(("--optimizer", "--precision"))], False, layers=0.4),
    "schedules": Mode("two schedules of one pipeline", [pipeline, slow_links_perhaps], lambda options: replaced(options, "--schedule=gpipe"), layers=0.4),
    "forward": Mode("a pipeline on slow nodes whose stages pass on what they read, and one where it is sent by those that make it",
                    [deep_pipeline, nodes], lambda options: options + ["--disable=forward-values"], skips=True),
    "offload": Mode("on a target, with and without some of it in the host's memory", [slow_links_perhaps, target, offload],
                    lambda options: without(options, "--offload")),
    "memory": Mode("a plain program, and one within a random memory with recomputation, offload, ZeRO and overlap",
                   [microbatches, slow_links_perhaps, target, offload_perhaps, budget], plain, layers=0.3),
}


def general(r, seed, graph, optimizer):
    """One device against a variant; and, on one mesh, two stages of ZeRO."""
    options = draw_options(r, graph)
    mesh = mesh_of(options)
    constraints = draw_constraints(r, graph, mesh) if mesh and r.random() < 0.3 else {}
    one_device = lambda options: [o for o in options if o.startswith(("--optimizer", "--precision"))]
    yield Case(seed, graph, optimizer + options, one_device, False, constraints)
    if any(o.startswith("--zero") for o in options) and "--microbatches=1" in options and options[0].startswith("--mesh"):
        other = f"--zero={r.randrange(4)}"
        if other not in options:
            yield Case(seed, graph, optimizer + options, lambda options: replaced(options, other), True)


def cases(seed, graph, variants, mode=None, runner=None):
    """The runs that are compared, by a mode's name; without one, those of `general`."""
    r = random.Random(seed * 104729 + 5)
    optimizer = [f"--optimizer={r.choice(['adamw', 'sgd'])}"]
    own = MODES.get(mode)
    if (not own or own.precisions) and r.random() < 0.3:
        optimizer.append(f"--precision={r.choice(['bf16', 'f16'])}")
        # Sums in 16 bits over devices have a bound of their own in runner.py; half of the programs have no such sums.
        if random.Random(seed * 7919 + 11).random() < 0.5:
            optimizer.append(NO_NARROW_SUMS)
    for _ in range(variants):
        if not own:
            yield from general(r, seed, graph, optimizer)
            continue
        options = optimizer + draw_options(r, graph)
        for draw in own.draws:
            options = options and draw(r, options, graph, runner)
        if options:
            exact = own.exact if own.exact is not None else not any(op.name in FUNCTIONS for op in graph.live()[0])
            yield Case(seed, graph, options, own.base, exact)
