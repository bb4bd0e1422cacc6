import jax, jax.numpy as jnp, numpy as np, zcc

def loss(params, batch):
    h = jax.nn.gelu(batch["x"] @ params["hidden"])
    return jnp.mean((h @ params["out"] - batch["y"]) ** 2)

rng = np.random.default_rng(0)
params = {"hidden": rng.normal(0, 0.3, (16, 64)).astype("f"), "out": rng.normal(0, 0.1, (64, 1)).astype("f")}
x = rng.normal(size=(256, 16)).astype("f")
batch = {"x": x, "y": np.sin(x.sum(1, keepdims=True))}

step = zcc.compile(loss, params, batch, mesh="data=2", optimizer=zcc.AdamW(lr=1e-2))
losses = [step(batch).loss for _ in range(100)]
print(f"loss {losses[0]:.2f}, then {losses[-1]:.2f}", step.params["out"].shape)
