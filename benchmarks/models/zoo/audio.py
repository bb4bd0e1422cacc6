# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of speech and sound."""
from . import inputs, integers, model, normal

B = 8


@model("transformers/whisper", "transformers (PyTorch)")
def whisper():
    import transformers

    from .pytorch import torch_loss

    config = transformers.WhisperConfig(vocab_size=96, num_mel_bins=20, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
                                        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=20, max_target_positions=12,
                                        dropout=0., pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=3, use_cache=False)
    loss, params = torch_loss(lambda: transformers.WhisperForConditionalGeneration(config),
                              lambda m, mel, labels: m(input_features=mel, labels=labels).loss)
    return loss, params, inputs(mel=normal(B, 20, 40), labels=integers(96, B, 12))


@model("transformers/wav2vec2", "transformers (PyTorch)")
def wav2vec2():
    import torch
    import transformers

    from .pytorch import torch_loss

    config = transformers.Wav2Vec2Config(vocab_size=32, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=(16, 16, 16),
                                         conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_feat_extract_layers=3, num_conv_pos_embeddings=8,
                                         num_conv_pos_embedding_groups=4, hidden_dropout=0., attention_dropout=0., activation_dropout=0., feat_proj_dropout=0.,
                                         final_dropout=0., layerdrop=0., apply_spec_augment=False, num_labels=10, classifier_proj_size=16)
    def build():
        m = transformers.Wav2Vec2ForSequenceClassification(config)
        # Its weight as one parameter: torchax cannot replace the two that its norm makes of it.
        torch.nn.utils.parametrize.remove_parametrizations(m.wav2vec2.encoder.pos_conv_embed.conv, "weight")
        m.wav2vec2.masked_spec_embed.requires_grad_(False)  # read only where the spectrum is masked
        return m

    loss, params = torch_loss(build, lambda m, wave, label: m(input_values=wave, labels=label.long()).loss)
    return loss, params, inputs(wave=normal(B, 600), label=integers(10, B))


@model("transformers/spectrogram", "transformers (PyTorch)")
def spectrogram():
    import transformers

    from .pytorch import torch_loss

    config = transformers.ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_dropout_prob=0., patch_size=4,
                                    attention_probs_dropout_prob=0., frequency_stride=4, time_stride=4, max_length=24, num_mel_bins=16, num_labels=10)
    loss, params = torch_loss(lambda: transformers.ASTForAudioClassification(config),
                              lambda m, mel, label: m(input_values=mel, labels=label.long()).loss)
    return loss, params, inputs(mel=normal(B, 24, 16), label=integers(10, B))


@model("flax-transformers/wav2vec2", "transformers (Flax)")
def flax_wav2vec2():
    import jax
    import optax
    import transformers

    config = transformers.Wav2Vec2Config(vocab_size=24, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, conv_dim=(16, 16, 16),
                                         conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_feat_extract_layers=3, num_conv_pos_embeddings=8,
                                         num_conv_pos_embedding_groups=4, hidden_dropout=0., attention_dropout=0., activation_dropout=0., feat_proj_dropout=0.,
                                         final_dropout=0., layerdrop=0., feat_extract_norm="layer", do_stable_layer_norm=True, mask_time_prob=0.)
    m = transformers.FlaxWav2Vec2ForCTC(config, input_shape=(1, 600))

    def loss(params, batch):
        import jax.numpy as jnp

        logits = m(batch["wave"], params=params, train=False).logits
        return optax.ctc_loss(logits, jnp.zeros(logits.shape[:2]), batch["labels"], jnp.zeros(batch["labels"].shape)).mean()

    def labels(rng):
        return rng.integers(1, 24, (B, 6)).astype("int32")

    return loss, jax.tree.map(lambda x: x, m.params), inputs(wave=normal(B, 600), labels=labels)
