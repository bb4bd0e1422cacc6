# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of transformers that read a text and write another."""
from . import B, V, ids, module


@module("transformers/t5", "encoder-decoder", 6)
def t5():
    import transformers

    config = transformers.T5Config(vocab_size=V, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0, use_cache=False,
                                   decoder_start_token_id=0, pad_token_id=0)
    return transformers.T5ForConditionalGeneration(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, 12)}


@module("transformers/bart", "encoder-decoder", 6)
def bart():
    import transformers

    config = transformers.BartConfig(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                     decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_position_embeddings=32, dropout=0,
                                     attention_dropout=0, activation_dropout=0, use_cache=False, pad_token_id=1, bos_token_id=0, eos_token_id=2,
                                     decoder_start_token_id=2, forced_eos_token_id=2)
    return transformers.BartForConditionalGeneration(config), lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, 12)}


def translator(name, config, cls, attention=6, why="", **options):
    """A model of transformers whose decoder reads what its encoder makes."""
    @module(f"transformers/{name}", "encoder-decoder", attention, why)
    def make():
        import transformers

        model = getattr(transformers, cls)(getattr(transformers, config)(vocab_size=V, **options))
        return model, lambda rng: {"input_ids": ids(rng), "labels": ids(rng, B, 12)}


BART = dict(d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
            decoder_ffn_dim=64,
            max_position_embeddings=32, dropout=0, attention_dropout=0, activation_dropout=0, encoder_layerdrop=0, decoder_layerdrop=0, use_cache=False,
            pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2, forced_eos_token_id=2)
T5 = dict(d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, dropout_rate=0, use_cache=False, decoder_start_token_id=0, pad_token_id=0)
for name, prefix in {"mbart": "MBart", "pegasus": "Pegasus", "marian": "Marian", "blenderbot": "Blenderbot", "blenderbot-small": "BlenderbotSmall",
                     "m2m-100": "M2M100", "plbart": "PLBart", "pegasus-x": "PegasusX", "mvp": "Mvp", "bigbird-pegasus": "BigBirdPegasus"}.items():
    extra = {"pegasus-x": dict(block_size=8, num_global_tokens=4), "bigbird-pegasus": dict(attention_type="original_full"),
             "marian": dict(decoder_vocab_size=V)}.get(name, {})
    cls = {"marian": "MarianMTModel"}.get(name, f"{prefix}ForConditionalGeneration")
    translator(name, f"{prefix}Config", cls, **BART, **extra)
translator("led", "LEDConfig", "LEDForConditionalGeneration", **{k: v for k, v in BART.items() if k != "max_position_embeddings"},
           max_encoder_position_embeddings=32, max_decoder_position_embeddings=32, attention_window=8)
for name, prefix in {"mt5": "MT5", "umt5": "UMT5", "longt5": "LongT5", "switch": "SwitchTransformers"}.items():
    extra = {"switch": dict(num_decoder_layers=2, num_experts=4, num_sparse_encoder_layers=1, num_sparse_decoder_layers=1, expert_capacity=64, router_jitter_noise=0.0),
             "longt5": dict(local_radius=3, encoder_attention_type="transient-global", global_block_size=4)}.get(name, {})
    translator(name, f"{prefix}Config", f"{prefix}ForConditionalGeneration", **T5, **extra)
translator("prophetnet", "ProphetNetConfig", "ProphetNetForConditionalGeneration", hidden_size=32, encoder_ffn_dim=64, num_encoder_layers=2,
           num_encoder_attention_heads=4, decoder_ffn_dim=64, num_decoder_layers=2, num_decoder_attention_heads=4, attention_dropout=0, dropout=0,
           activation_dropout=0, max_position_embeddings=32, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2)
translator("t5gemma", "T5GemmaConfig", "T5GemmaForConditionalGeneration", encoder=dict(vocab_size=V, hidden_size=32, num_hidden_layers=2,
           num_attention_heads=4, num_key_value_heads=2, head_dim=8, intermediate_size=64, max_position_embeddings=32, sliding_window=8),
           decoder=dict(vocab_size=V, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
           intermediate_size=64, max_position_embeddings=32, sliding_window=8, cross_attention_hidden_size=32),
           dropout_rate=0, attention_dropout=0, pad_token_id=0, bos_token_id=1, eos_token_id=2)
