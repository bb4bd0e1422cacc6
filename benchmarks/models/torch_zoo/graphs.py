# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of torch_geometric in classifiers of nodes."""
import numpy as np
import torch

from . import WHOLE_BATCH, With, floats, ids, module


NODES, EDGES = 48, 160


def graph(name, build, why=""):
    """A classifier of nodes; edges are an input."""
    @module(f"torch-geometric/{name}", "graphs", refused=WHOLE_BATCH)
    def make():
        import torch_geometric

        model = With(build(torch_geometric.nn), lambda m, x, edge_index, y: torch.nn.functional.cross_entropy(m(x, edge_index), y))
        return model, lambda rng: {"x": floats(rng, NODES, 8), "edge_index": ids(rng, 2, EDGES, below=NODES), "y": ids(rng, NODES, below=5)}


graph("gcn", lambda nn: nn.GCN(8, 16, num_layers=2, out_channels=5))
graph("gat", lambda nn: nn.GAT(8, 16, num_layers=2, out_channels=5, heads=2))
graph("gin", lambda nn: nn.GIN(8, 16, num_layers=2, out_channels=5, norm=None))
graph("sage", lambda nn: nn.GraphSAGE(8, 16, num_layers=2, out_channels=5))


class Layers(torch.nn.Module):
    """Two layers of one kind with a ReLU between; `make` is given the numbers of inputs and outputs."""

    def __init__(self, make):
        super().__init__()
        self.first, self.second = make(8, 16), make(16, 5)

    def forward(self, x, edge_index):
        return self.second(self.first(x, edge_index).relu(), edge_index)


graph("edge-cnn", lambda nn: nn.EdgeCNN(8, 16, num_layers=2, out_channels=5))
graph("pna", lambda nn: nn.PNA(8, 16, num_layers=2, out_channels=5, aggregators=["mean", "min", "max", "std"], scalers=["identity", "amplification"],
                               deg=torch.tensor([2, 10, 20, 16])))
for name, make in {
        "graph-conv": lambda nn: lambda a, b: nn.GraphConv(a, b), "tag": lambda nn: lambda a, b: nn.TAGConv(a, b, K=2),
        "arma": lambda nn: lambda a, b: nn.ARMAConv(a, b, num_stacks=2, num_layers=2), "sg": lambda nn: lambda a, b: nn.SGConv(a, b, K=2),
        "gatv2": lambda nn: lambda a, b: nn.GATv2Conv(a, b, heads=2, concat=False), "graph-transformer": lambda nn: lambda a, b: nn.TransformerConv(a,
        b, heads=2, concat=False),
        "res-gated": lambda nn: lambda a, b: nn.ResGatedGraphConv(a, b), "film": lambda nn: lambda a, b: nn.FiLMConv(a,
        b), "le": lambda nn: lambda a, b: nn.LEConv(a, b),
        "gen": lambda nn: lambda a, b: nn.GENConv(a, b, norm="layer"),
        "general": lambda nn: lambda a, b: nn.GeneralConv(a, b), "ssg": lambda nn: lambda a, b: nn.SSGConv(a, b, alpha=.1, K=2),
        "sage-max": lambda nn: lambda a, b: nn.SAGEConv(a, b, aggr="max"),
        "edge-conv": lambda nn: lambda a, b: nn.EdgeConv(torch.nn.Linear(2 * a, b)),
        "eg": lambda nn: lambda a, b: nn.EGConv(a, b, num_heads=1, num_bases=2),
        "feast": lambda nn: lambda a, b: nn.FeaStConv(a, b, heads=2), "cheb": lambda nn: lambda a, b: nn.ChebConv(a, b, K=3)}.items():
    graph(name, lambda nn, make=make: Layers(make(nn)))


@module("torch-geometric/appnp", "graphs", refused=WHOLE_BATCH)
def appnp():
    import torch_geometric

    layers = torch_geometric.nn
    model = torch_geometric.nn.Sequential("x, edge_index", [(torch.nn.Linear(8, 16), "x -> x"), torch.nn.ReLU(), (torch.nn.Linear(16, 5), "x -> x"),
                                                            (layers.APPNP(K=3, alpha=.1), "x, edge_index -> x")])
    return (With(model, lambda m, x, edge_index, y: torch.nn.functional.cross_entropy(m(x, edge_index), y)),
            lambda rng: {"x": floats(rng, NODES, 8), "edge_index": ids(rng, 2, EDGES, below=NODES), "y": ids(rng, NODES, below=5)})


def edged(name, make, dims=3):
    """A classifier of nodes by layers that also read numbers of the edges."""
    @module(f"torch-geometric/{name}", "graphs", refused=WHOLE_BATCH)
    def build():
        import torch_geometric

        model = With(make(torch_geometric.nn), lambda m, x, edge_index, e, y: torch.nn.functional.cross_entropy(m(x, edge_index, e), y))

        def batch(rng):
            begin = ids(rng, EDGES, below=NODES)
            # No edge is a loop. If a node has several loops, torch_geometric takes the weight of one, and PyTorch gives all of them its gradient.
            end = (begin + 1 + ids(rng, EDGES, below=NODES - 1)) % NODES
            return {"x": floats(rng, NODES, 8), "edge_index": np.stack([begin, end]), "e": rng.random((EDGES, dims)).astype(np.float32),
                    "y": ids(rng, NODES, below=5)}

        return model, batch


edged("nn-conv", lambda nn: nn.NNConv(8, 5, torch.nn.Linear(3, 40)))
edged("gine", lambda nn: nn.GINEConv(torch.nn.Linear(8, 5), edge_dim=3))
edged("gmm", lambda nn: nn.GMMConv(8, 5, dim=3, kernel_size=2))
edged("pdn", lambda nn: nn.PDNConv(8, 5, edge_dim=3, hidden_channels=8))
edged("cg", lambda nn: nn.CGConv(8, dim=3))
edged("gat-edges", lambda nn: nn.GATConv(8, 5, edge_dim=3, add_self_loops=False))


@module("torch-geometric/pooled-gin", "graphs", refused=WHOLE_BATCH)
def pooled_gin():
    """A classifier of graphs, whose nodes are pooled."""
    import torch_geometric

    class Classifier(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.head = torch_geometric.nn.GIN(8, 16, num_layers=2, norm=None), torch.nn.Linear(16, 5)

        def forward(self, x, edge_index, graph, y):
            pooled = torch_geometric.nn.global_mean_pool(self.body(x, edge_index), graph, size=6)
            return torch.nn.functional.cross_entropy(self.head(pooled), y)
    return Classifier(), lambda rng: {"x": floats(rng, NODES, 8), "edge_index": ids(rng, 2, EDGES, below=NODES), "graph": np.arange(NODES) // 8,
                                      "y": ids(rng, 6, below=5)}


@module("torch-geometric/rgcn", "graphs", refused=WHOLE_BATCH)
def rgcn():
    import torch_geometric

    model = torch_geometric.nn.FastRGCNConv(8, 5, num_relations=3)
    return (With(model, lambda m, x, edge_index, kind, y: torch.nn.functional.cross_entropy(m(x, edge_index, kind), y)),
            lambda rng: {"x": floats(rng, NODES, 8), "edge_index": ids(rng, 2, EDGES, below=NODES), "kind": ids(rng, EDGES, below=3), "y": ids(rng,
            NODES, below=5)})


@module("torch-geometric/light-gcn", "graphs", refused=WHOLE_BATCH)
def light_gcn():
    import torch_geometric

    model = torch_geometric.nn.LightGCN(NODES, 16, 2)
    return (With(model, lambda m, edge_index, y: torch.nn.functional.binary_cross_entropy_with_logits(m(edge_index), y)),
            lambda rng: {"edge_index": ids(rng, 2, EDGES, below=NODES), "y": (rng.random(EDGES) < .5).astype(np.float32)})


@module("torch-geometric/schnet", "graphs", refused=WHOLE_BATCH)
def schnet():
    import torch_geometric

    block = torch_geometric.nn.models.schnet.InteractionBlock(16, 8, 16, 10.0)
    return (With(block, lambda m, x, edge_index, d, r, y: ((m(x, edge_index, d, r) - y) ** 2).mean()),
            lambda rng: {"x": floats(rng, NODES, 16), "edge_index": ids(rng, 2, EDGES, below=NODES), "d": 5 * rng.random(EDGES).astype(np.float32),
                         "r": floats(rng, EDGES, 8), "y": floats(rng, NODES, 16)})
