# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models."""
import jax.numpy as jnp

from . import inputs, integers, model, tokens

B, S, V = 8, 16, 96


def causal(name, config, cls, **options):
    """A causal language model of transformers' PyTorch classes; its own loss, of shifted labels."""
    @model(f"transformers/{name}", "transformers (PyTorch)")
    def make():
        import transformers

        from .pytorch import torch_loss

        c = getattr(transformers, config)(vocab_size=V, use_cache=False, **options)
        loss, params = torch_loss(lambda: getattr(transformers, cls)(c), lambda m, ids: m(input_ids=ids, labels=ids).loss)
        return loss, params, tokens(V, B, S)


causal("gpt2", "GPT2Config", "GPT2LMHeadModel", n_layer=2, n_embd=32, n_head=4, n_positions=S, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
SMALL = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, max_position_embeddings=S)
causal("llama", "LlamaConfig", "LlamaForCausalLM", **SMALL, num_key_value_heads=2)
causal("qwen2", "Qwen2Config", "Qwen2ForCausalLM", **SMALL, num_key_value_heads=2, tie_word_embeddings=True)
causal("mamba", "MambaConfig", "MambaForCausalLM", hidden_size=32, num_hidden_layers=2, state_size=8)


@model("transformers/bert", "transformers (PyTorch)")
def bert():
    import transformers

    from .pytorch import torch_loss

    config = transformers.BertConfig(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, attn_implementation="eager", **SMALL)
    loss, params = torch_loss(lambda: transformers.BertForMaskedLM(config),
                              lambda m, ids, mask, labels: m(input_ids=ids, attention_mask=mask, labels=labels).loss)

    def mask(rng):
        return (rng.integers(S // 2, S + 1, (B, 1)) > range(S)).astype("int32")

    def labels(rng):
        ids = rng.integers(0, V, (B, S))
        ids[rng.random((B, S)) > 0.3] = -100
        return ids.astype("int32")

    return loss, params, inputs(ids=integers(V, B, S), mask=mask, labels=labels)


@model("transformers/t5", "transformers (PyTorch)")
def t5():
    import transformers

    from .pytorch import torch_loss

    config = transformers.T5Config(vocab_size=V, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0, use_cache=False, decoder_start_token_id=0)
    loss, params = torch_loss(lambda: transformers.T5ForConditionalGeneration(config),
                              lambda m, ids, labels: m(input_ids=ids, labels=labels).loss)
    return loss, params, inputs(ids=integers(V, B, S), labels=integers(V, B, 12))


@model("transformers/flax-gpt2", "transformers (Flax)")
def flax_gpt2():
    import optax
    import transformers

    config = transformers.GPT2Config(vocab_size=V, n_layer=2, n_embd=32, n_head=4, n_positions=S, resid_pdrop=0, embd_pdrop=0, attn_pdrop=0)
    m = transformers.FlaxGPT2LMHeadModel(config, input_shape=(1, S))

    def loss(params, batch):
        logits = m(batch["ids"], params=params, train=True).logits
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch["ids"][:, 1:]).mean()

    return loss, m.params, tokens(V, B, S)


@model("transformers/flax-bert", "transformers (Flax)")
def flax_bert():
    import optax
    import transformers

    config = transformers.BertConfig(vocab_size=V, hidden_dropout_prob=0, attention_probs_dropout_prob=0, **SMALL)
    m = transformers.FlaxBertForMaskedLM(config, input_shape=(1, S))

    def loss(params, batch):
        logits = m(batch["ids"], attention_mask=batch["mask"], params=params, train=True).logits
        each = optax.softmax_cross_entropy_with_integer_labels(logits, batch["labels"])
        return (each * batch["mask"]).sum() / batch["mask"].sum()

    def mask(rng):
        return (rng.integers(S // 2, S + 1, (B, 1)) > range(S)).astype("int32")

    return loss, m.params, inputs(ids=integers(V, B, S), labels=integers(V, B, S), mask=mask)


@model("flax/transformer-nnx", "flax (nnx)")
def nnx_transformer():
    import optax
    from flax import nnx

    class Block(nnx.Module):
        def __init__(self, d, rngs):
            self.norm1, self.norm2 = nnx.LayerNorm(d, rngs=rngs), nnx.LayerNorm(d, rngs=rngs)
            self.attention = nnx.MultiHeadAttention(num_heads=4, in_features=d, decode=False, rngs=rngs)
            self.up, self.down = nnx.Linear(d, 4 * d, rngs=rngs), nnx.Linear(4 * d, d, rngs=rngs)

        def __call__(self, x):
            x = x + self.attention(self.norm1(x), mask=nnx.make_causal_mask(x[..., 0]))
            return x + self.down(nnx.gelu(self.up(self.norm2(x))))

    class Network(nnx.Module):
        def __init__(self, d, rngs):
            self.tokens, self.positions = nnx.Embed(V, d, rngs=rngs), nnx.Embed(S, d, rngs=rngs)
            self.blocks = nnx.List([Block(d, rngs) for _ in range(2)])
            self.head = nnx.Linear(d, V, rngs=rngs)

        def __call__(self, ids):
            x = self.tokens(ids) + self.positions(jnp.arange(S))
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    graph, params = nnx.split(Network(32, nnx.Rngs(0)))

    def loss(params, batch):
        logits = nnx.merge(graph, params)(batch["ids"])
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch["ids"][:, 1:]).mean()

    return loss, nnx.to_pure_dict(params), tokens(V, B, S)


@model("haiku/transformer", "haiku")
def haiku_transformer():
    import haiku as hk
    import jax
    import optax

    def network(ids):
        h = hk.Embed(V, 32)(ids) + hk.get_parameter("positions", [S, 32], init=hk.initializers.TruncatedNormal(0.02))
        mask = jnp.tril(jnp.ones((1, 1, S, S)))
        for _ in range(2):
            norm = lambda x: hk.LayerNorm(-1, True, True)(x)
            n = norm(h)
            h = h + hk.MultiHeadAttention(4, 8, w_init=hk.initializers.VarianceScaling(0.5))(n, n, n, mask=mask)
            h = h + hk.Sequential([hk.Linear(128), jax.nn.gelu, hk.Linear(32)])(norm(h))
        return hk.Linear(V)(norm(h))

    f = hk.without_apply_rng(hk.transform(network))

    def loss(params, batch):
        logits = f.apply(params, batch["ids"])
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch["ids"][:, 1:]).mean()

    return loss, f.init(jax.random.key(0), jnp.zeros((B, S), jnp.int32)), tokens(V, B, S)


@model("flax/lstm", "flax (linen)")
def flax_lstm():
    import flax.linen as nn
    import jax
    import optax

    class Network(nn.Module):
        @nn.compact
        def __call__(self, ids):
            x = nn.Embed(V, 32)(ids)
            x = nn.RNN(nn.OptimizedLSTMCell(32))(x)
            x = nn.RNN(nn.GRUCell(32))(x)
            return nn.Dense(V)(x)

    network = Network()

    def loss(params, batch):
        logits = network.apply(params, batch["ids"])
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch["ids"][:, 1:]).mean()

    return loss, network.init(jax.random.key(0), jnp.zeros((B, S), jnp.int32)), tokens(V, B, S)
