# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of differential equations, fields and densities."""
import jax.numpy as jnp

from . import inputs, model, normal

B = 8


def uniform(*shape):
    return lambda rng: rng.uniform(-1, 1, shape).astype("float32")


@model("equinox/pinn", "equinox")
def pinn():
    """Burgers' equation at points: first and second derivatives of the network by forward mode."""
    import equinox as eqx
    import jax

    params, static = eqx.partition(eqx.nn.MLP(2, "scalar", 24, 2, jnp.tanh, key=jax.random.key(0)), eqx.is_inexact_array)

    def loss(params, batch):
        u = eqx.combine(params, static)

        def residual(p):
            slope = jax.grad(u)(p)
            bend = jax.hessian(u)(p)[0, 0]
            return slope[1] + u(p) * slope[0] - 0.01 / jnp.pi * bend

        start = jax.vmap(lambda x: u(jnp.stack([x, 0.])))(batch["start"])
        return jnp.mean(jax.vmap(residual)(batch["points"]) ** 2) + jnp.mean((start + jnp.sin(jnp.pi * batch["start"])) ** 2)

    return loss, params, inputs(points=uniform(32, 2), start=uniform(32))


@model("equinox/neural-ode", "equinox")
def neural_ode():
    """Runge-Kutta steps of a learned field."""
    import equinox as eqx
    import jax

    params, static = eqx.partition(eqx.nn.MLP(3, 3, 16, 2, jax.nn.softplus, key=jax.random.key(0)), eqx.is_inexact_array)

    def loss(params, batch):
        f = jax.vmap(eqx.combine(params, static))

        def step(y, _):
            h = 0.1
            a = f(y)
            b = f(y + h / 2 * a)
            c = f(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))
            return y, y

        _, path = jax.lax.scan(step, batch["start"], None, length=8)
        return jnp.mean((path.swapaxes(0, 1) - batch["path"]) ** 2)

    return loss, params, inputs(start=normal(B, 3), path=normal(B, 8, 3))


@model("diffrax/neural-ode", "diffrax, equinox")
def diffrax_ode():
    import diffrax
    import equinox as eqx
    import jax

    params, static = eqx.partition(eqx.nn.MLP(3, 3, 16, 2, jnp.tanh, key=jax.random.key(0)), eqx.is_inexact_array)

    def loss(params, batch):
        f = eqx.combine(params, static)

        def solve(y0):
            return diffrax.diffeqsolve(diffrax.ODETerm(lambda t, y, _: f(y)), diffrax.Heun(), 0., 1., 0.25, y0,
                                       adjoint=diffrax.DirectAdjoint(), max_steps=4, throw=False).ys[0]

        return jnp.mean((jax.vmap(solve)(batch["start"]) - batch["end"]) ** 2)

    return loss, params, inputs(start=normal(B, 3), end=normal(B, 3))


@model("flax/nerf", "flax (linen)")
def nerf():
    """Rays of 16 samples, positional encodings, volume rendering."""
    import flax.linen as nn
    import jax

    class Field(nn.Module):
        @nn.compact
        def __call__(self, x):
            waves = x[..., None, :] * 2. ** jnp.arange(4)[:, None]
            h = jnp.concatenate([jnp.sin(waves), jnp.cos(waves)], -1).reshape(*x.shape[:-1], -1)
            for _ in range(2):
                h = nn.relu(nn.Dense(32)(h))
            out = nn.Dense(4)(h)
            return nn.sigmoid(out[..., :3]), nn.softplus(out[..., 3])

    f = Field()

    def loss(params, batch):
        t = jnp.linspace(0.1, 2., 16)
        color, density = f.apply(params, batch["origin"][:, None] + t[:, None] * batch["direction"][:, None])
        opacity = 1 - jnp.exp(-density * (t[1] - t[0]))
        through = jnp.cumprod(jnp.concatenate([jnp.ones((opacity.shape[0], 1)), 1 - opacity[:, :-1] + 1e-10], 1), 1)
        seen = jnp.sum((opacity * through)[..., None] * color, 1)
        return jnp.mean((seen - batch["color"]) ** 2)

    return loss, f.init(jax.random.key(0), jnp.zeros((1, 3))), inputs(origin=normal(32, 3), direction=normal(32, 3), color=uniform(32, 3))


@model("haiku/siren", "haiku")
def siren():
    import haiku as hk
    import jax

    def network(x):
        for n in (32, 32):
            x = jnp.sin(10. * hk.Linear(n, w_init=hk.initializers.RandomUniform(-0.1, 0.1))(x))
        return hk.Linear(1)(x)[..., 0]

    f = hk.without_apply_rng(hk.transform(network))

    def loss(params, batch):
        slope = jax.vmap(jax.grad(lambda p: f.apply(params, p)))(batch["points"])
        return jnp.mean((f.apply(params, batch["points"]) - batch["value"]) ** 2) + 1e-3 * jnp.mean(jnp.abs(jnp.linalg.norm(slope, axis=-1) - 1))

    return loss, f.init(jax.random.key(0), jnp.zeros((1, 2))), inputs(points=uniform(64, 2), value=uniform(64))


@model("distrax/coupling-flow", "distrax, haiku")
def coupling():
    """A density by masked couplings of rational quadratic splines."""
    import distrax
    import haiku as hk
    import jax

    def log_prob(x):
        layers = []
        for i in range(2):
            net = hk.Sequential([hk.nets.MLP([24, 24], activate_final=True), hk.Linear(4 * 13, w_init=hk.initializers.RandomNormal(0.1)), hk.Reshape((4, 13), preserve_dims=-1)])
            layers.append(distrax.MaskedCoupling(jnp.arange(4) % 2 == i, net, lambda p: distrax.RationalQuadraticSpline(p, -3., 3.)))
        return distrax.Transformed(distrax.MultivariateNormalDiag(jnp.zeros(4), jnp.ones(4)), distrax.Inverse(distrax.Chain(layers))).log_prob(x)

    f = hk.without_apply_rng(hk.transform(log_prob))
    return (lambda params, batch: -jnp.mean(f.apply(params, batch["x"]))), f.init(jax.random.key(0), jnp.zeros((1, 4))), inputs(x=normal(B, 4))


@model("numpyro/variational", "numpyro")
def variational():
    """The evidence bound of a Bayesian regression, samples of the guide drawn from a key that is an input."""
    import jax
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoNormal

    def generate(x, y):
        w = numpyro.sample("w", dist.Normal(0, 1).expand([5]).to_event(1))
        b = numpyro.sample("b", dist.StudentT(4., 0., 1.))
        scale = numpyro.sample("scale", dist.Gamma(2., 2.))
        with numpyro.plate("data", x.shape[0]):
            numpyro.sample("y", dist.Normal(x @ w + b, scale), obs=y)

    guide = AutoNormal(generate)
    svi = SVI(generate, guide, numpyro.optim.Adam(1e-3), Trace_ELBO())
    state = svi.init(jax.random.PRNGKey(0), jnp.zeros((B, 5)), jnp.zeros(B))
    params = svi.optim.get_params(state.optim_state)

    def loss(params, batch):
        return svi.loss.loss(batch["key"], svi.constrain_fn(params), generate, guide, batch["x"], batch["y"])

    return loss, params, inputs(x=normal(B, 5), y=normal(B), key=lambda rng: rng.integers(0, 1 << 31, 2).astype("uint32"))


@model("jax-md/lennard-jones", "jax-md")
def lennard_jones():
    """Energies of periodic boxes: the potential's parameters are learned by species."""
    import jax
    from jax_md import energy, space

    displacement, _ = space.periodic(3.)
    kinds = jnp.arange(10) % 2

    def loss(params, batch):
        soft = energy.soft_sphere_pair(displacement, species=kinds, sigma=params["sigma"] + params["sigma"].T, epsilon=params["epsilon"] + params["epsilon"].T)
        each = jax.vmap(soft)(batch["positions"])
        return jnp.mean((each - batch["energy"]) ** 2)

    params = {"sigma": 0.5 + jnp.array([[.1, .2], [.05, .15]]), "epsilon": 0.5 + jnp.array([[.2, .1], [.3, .25]])}
    return loss, params, inputs(positions=lambda rng: rng.uniform(0, 3, (B, 10, 3)).astype("float32"), energy=normal(B))
