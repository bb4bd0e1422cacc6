# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of reinforcement learning: losses of rlax, policies of distrax."""
import jax.numpy as jnp

from . import inputs, integers, model, normal

B, OBSERVED, ACTIONS = 8, 6, 4


def uniform(*shape):
    return lambda rng: rng.uniform(size=shape).astype("float32")


def network(widths, out):
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            for n in widths:
                x = nn.relu(nn.Dense(n)(x))
            return [nn.Dense(n)(x) for n in out]

    return Network()


@model("rlax/double-q", "rlax, flax (linen)")
def double_q():
    import jax
    import rlax

    f = network([32, 32], [ACTIONS])

    def loss(params, batch):
        q, = f.apply(params, batch["now"])
        following, = f.apply(params, batch["next"])
        errors = jax.vmap(rlax.double_q_learning)(q, batch["action"], batch["reward"], batch["discount"], jax.lax.stop_gradient(following) * 0.9, following)
        return jnp.mean(rlax.huber_loss(errors))

    return loss, f.init(jax.random.key(0), jnp.zeros((B, OBSERVED))), inputs(
        now=normal(B, OBSERVED), next=normal(B, OBSERVED), action=integers(ACTIONS, B), reward=normal(B), discount=uniform(B))


@model("rlax/ppo", "rlax, distrax")
def ppo():
    import distrax
    import jax
    import rlax

    f = network([32], [ACTIONS, 1])

    def loss(params, batch):
        logits, value = f.apply(params, batch["seen"])
        policy = distrax.Categorical(logits=logits)
        ratio = jnp.exp(policy.log_prob(batch["action"]) - batch["log_prob"])
        clipped = rlax.clipped_surrogate_pg_loss(ratio, batch["advantage"], 0.2)
        return clipped + 0.5 * jnp.mean((value[:, 0] - batch["return"]) ** 2) - 0.01 * jnp.mean(policy.entropy())

    return loss, f.init(jax.random.key(0), jnp.zeros((B, OBSERVED))), inputs(
        **{"seen": normal(B, OBSERVED), "action": integers(ACTIONS, B), "log_prob": lambda rng: -1 - rng.uniform(size=B).astype("float32"),
           "advantage": normal(B), "return": normal(B)})


@model("rlax/impala", "rlax, flax (linen)")
def impala():
    """V-trace over unrolled episodes."""
    import jax
    import rlax

    T = 6
    f = network([32], [ACTIONS, 1])

    def one(params, seen, action, log_prob, reward, discount):
        logits, value = f.apply(params, seen)
        value = value[:, 0]
        mine = jnp.take_along_axis(jax.nn.log_softmax(logits[:-1]), action[:, None], 1)[:, 0]
        ratio = jnp.exp(mine - log_prob)
        traced = rlax.vtrace_td_error_and_advantage(value[:-1], value[1:], reward, discount, ratio, 0.9)
        policy = rlax.policy_gradient_loss(logits[:-1], action, traced.pg_advantage, jnp.ones(T))
        return policy + 0.5 * jnp.mean(traced.errors ** 2) + 0.01 * rlax.entropy_loss(logits[:-1], jnp.ones(T))

    def loss(params, batch):
        each = jax.vmap(lambda *a: one(params, *a))
        return jnp.mean(each(batch["seen"], batch["action"], batch["log_prob"], batch["reward"], batch["discount"]))

    return loss, f.init(jax.random.key(0), jnp.zeros((B, OBSERVED))), inputs(
        seen=normal(B, T + 1, OBSERVED), action=integers(ACTIONS, B, T), log_prob=lambda rng: -1 - rng.uniform(size=(B, T)).astype("float32"),
        reward=normal(B, T), discount=uniform(B, T))


@model("rlax/distributional", "rlax, haiku")
def distributional():
    """C51: categorical projections of the return's distribution."""
    import haiku as hk
    import jax
    import rlax

    atoms = jnp.linspace(-3., 3., 11)
    f = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([32, ACTIONS * 11])(x).reshape(-1, ACTIONS, 11)))

    def loss(params, batch):
        now, following = f.apply(params, batch["now"]), f.apply(params, batch["next"])
        q = jnp.sum(jax.nn.softmax(following) * atoms, -1)
        each = jax.vmap(rlax.categorical_double_q_learning, in_axes=(None, 0, 0, 0, 0, None, 0, 0))
        return jnp.mean(each(atoms, now, batch["action"], batch["reward"], batch["discount"], atoms, following, q))

    return loss, f.init(jax.random.key(0), jnp.zeros((B, OBSERVED))), inputs(
        now=normal(B, OBSERVED), next=normal(B, OBSERVED), action=integers(ACTIONS, B), reward=normal(B), discount=uniform(B))


@model("distrax/squashed-policy", "distrax, flax (linen)")
def squashed():
    """The actor of soft actor-critic: a normal squashed by tanh, with its correction."""
    import distrax
    import jax

    f, critic = network([32], [3, 3]), network([32], [1])

    def loss(params, batch):
        mean, scale = f.apply(params["actor"], batch["seen"])
        scale = jnp.exp(jnp.clip(scale, -4, 1))
        policy = distrax.Transformed(distrax.MultivariateNormalDiag(mean, scale), distrax.Block(distrax.Tanh(), 1))
        action, log_prob = jnp.tanh(mean + scale * batch["noise"]), None
        log_prob = policy.log_prob(0.999 * action)
        value, = critic.apply(params["critic"], jnp.concatenate([batch["seen"], action], -1))
        return jnp.mean(0.2 * log_prob - value[:, 0]) + 0.5 * jnp.mean((value[:, 0] - batch["return"]) ** 2)

    params = {"actor": f.init(jax.random.key(0), jnp.zeros((B, OBSERVED))), "critic": critic.init(jax.random.key(1), jnp.zeros((B, OBSERVED + 3)))}
    return loss, params, inputs(**{"seen": normal(B, OBSERVED), "noise": normal(B, 3), "return": normal(B)})
