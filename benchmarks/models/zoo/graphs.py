# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of graphs and molecules. A batch has several graphs of equal size, whose nodes stand in one array, as the libraries expect."""
import jax.numpy as jnp
import numpy as np

from . import inputs, integers, model, normal

GRAPHS, NODES, EDGES = 8, 12, 40


def ends(rng):
    """One end of each edge, in its own graph. Nodes are counted over all graphs."""
    return (rng.integers(0, NODES, (GRAPHS, EDGES)) + NODES * np.arange(GRAPHS)[:, None]).reshape(-1).astype("int32")


def jraph_graph(batch):
    import jraph

    return jraph.GraphsTuple(nodes=batch["nodes"], edges=batch["edges"], senders=batch["senders"], receivers=batch["receivers"],
                             globals=jnp.zeros((GRAPHS, 1)), n_node=jnp.full(GRAPHS, NODES), n_edge=jnp.full(GRAPHS, EDGES))


GRAPH = inputs(nodes=normal(GRAPHS * NODES, 5), edges=normal(GRAPHS * EDGES, 3), senders=ends, receivers=ends)


@model("jraph/graph-network", "jraph, haiku")
def graph_network():
    import haiku as hk
    import jax
    import jraph

    def network(graph):
        mlp = lambda name, n: hk.nets.MLP([32, n], name=name)
        edge, node, total = mlp("edge", 16), mlp("node", 16), mlp("total", 4)
        net = jraph.GraphNetwork(jraph.concatenated_args(edge), jraph.concatenated_args(node), jraph.concatenated_args(total))
        return hk.Linear(1)(net(graph).globals)

    f = hk.without_apply_rng(hk.transform(network))
    example = GRAPH(np.random.default_rng(0))

    def loss(params, batch):
        return jnp.mean((f.apply(params, jraph_graph(batch)) - batch["target"]) ** 2)

    return loss, f.init(jax.random.key(0), jraph_graph(example)), lambda rng: {**GRAPH(rng), "target": normal(GRAPHS, 1)(rng)}


@model("jraph/attention", "jraph, flax (linen)")
def graph_attention():
    import flax.linen as nn
    import jax
    import jraph
    import optax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, graph):
            for width in (16, 16):
                weigh, query = nn.Dense(1), nn.Dense(width)
                net = jraph.GAT(attention_query_fn=query, attention_logit_fn=lambda s, r, e: nn.leaky_relu(weigh(jnp.concatenate([s, r], -1))),
                                node_update_fn=nn.elu)
                graph = net(graph)
            return nn.Dense(3)(graph.nodes)

    f = Network()

    def loss(params, batch):
        logits = f.apply(params, jraph_graph(batch))
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()

    example = GRAPH(np.random.default_rng(0))
    return loss, f.init(jax.random.key(0), jraph_graph(example)), lambda rng: {**GRAPH(rng), "label": integers(3, GRAPHS * NODES)(rng)}


def geometric(name, layer, **options):
    @model(f"torch-geometric/{name}", "torch_geometric")
    def make():
        import torch
        import torch_geometric.nn as gnn

        from .pytorch import torch_loss

        class Network(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.second = getattr(gnn, layer)(5, 16, **options), getattr(gnn, layer)(16, 16, **options)
                self.out = torch.nn.Linear(16, 3)

            def forward(self, x, edges):
                return self.out(self.second(self.first(x, edges).relu(), edges).relu())

        def loss_of(m, nodes, senders, receivers, label):
            return torch.nn.functional.cross_entropy(m(nodes, torch.stack([senders.long(), receivers.long()])), label.long())

        loss, params = torch_loss(Network, loss_of)
        return loss, params, inputs(nodes=normal(GRAPHS * NODES, 5), senders=ends, receivers=ends, label=integers(3, GRAPHS * NODES))


geometric("sage", "SAGEConv")
geometric("graph-conv", "GraphConv")


@model("e3nn/molecule", "e3nn-jax")
def e3nn_molecule():
    """Equivariant convolutions over all pairs of atoms; the energy is a sum over atoms."""
    import e3nn_jax as e3nn
    import flax.linen as nn
    import jax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, positions, kinds):
            x = e3nn.IrrepsArray("6x0e", nn.Embed(4, 6)(kinds))
            between = positions[:, None] - positions[None] + 1e-3 * jnp.eye(6)[..., None]
            harmonics = e3nn.spherical_harmonics("0e + 1o + 2e", e3nn.IrrepsArray("1o", between), normalize=True)
            distance = jnp.sqrt(jnp.sum(between ** 2, -1) + 1e-6)
            radial = e3nn.bessel(distance, 6, 4.) * jnp.exp(-distance)[..., None]
            for _ in range(2):
                messages = e3nn.tensor_product(e3nn.flax.Linear("4x0e + 4x1o")(x)[None], harmonics, filter_ir_out="0e + 1o + 2e")
                weights = nn.Dense(messages.irreps.num_irreps)(jax.nn.silu(nn.Dense(16)(radial)))
                gathered = e3nn.sum(messages * weights, axis=1) / 6
                x = e3nn.gate(e3nn.flax.Linear("8x0e + 4x0e + 4x1o")(gathered))
            return e3nn.flax.Linear("1x0e")(x).array.sum()

    f = Network()

    def loss(params, batch):
        energy = jax.vmap(lambda p, k: f.apply(params, p, k))(batch["positions"], batch["kinds"])
        return jnp.mean((energy - batch["energy"]) ** 2)

    params = f.init(jax.random.key(0), jnp.ones((6, 3)), jnp.zeros(6, jnp.int32))
    return loss, params, inputs(positions=normal(GRAPHS, 6, 3), kinds=integers(4, GRAPHS, 6), energy=normal(GRAPHS))
