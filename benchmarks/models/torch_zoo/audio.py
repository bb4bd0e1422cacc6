# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that hear."""
from . import B, V, WHOLE_BATCH, With, floats, ids, module
from .text import SMALL


@module("transformers/whisper", "audio", 6)
def whisper():
    import transformers

    config = transformers.WhisperConfig(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                                        decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=10, max_source_positions=16,
                                        max_target_positions=16, dropout=0, use_cache=False, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                                        decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)
    model = transformers.WhisperForConditionalGeneration(config)
    return model, lambda rng: {"input_features": floats(rng, B, 10, 32), "labels": ids(rng, B, 12)}


WAVES = dict(conv_dim=(16, 16), conv_kernel=(10, 3), conv_stride=(5, 2), num_feat_extract_layers=2, num_conv_pos_embeddings=16,
             num_conv_pos_embedding_groups=4, hidden_dropout=0, attention_dropout=0, activation_dropout=0, feat_proj_dropout=0, layerdrop=0,
             mask_time_prob=0, mask_feature_prob=0, num_labels=5, classifier_proj_size=16, final_dropout=0)


def waves(name, prefix, refused=None, **options):
    """A classifier of sounds that transformers reads as waves. prefix: that of its classes' names."""
    @module(f"transformers/{name}", "audio", 2, refused=refused)
    def make():
        import transformers

        config = getattr(transformers, f"{prefix}Config")(**SMALL, **WAVES, **options)
        model = getattr(transformers, f"{prefix}ForSequenceClassification")(config)
        return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": ids(rng, B, below=5)}


waves("wav2vec2", "Wav2Vec2")
waves("hubert", "Hubert")
waves("wavlm", "WavLM")


@module("transformers/wav2vec2-ctc", "audio", 2)
def wav2vec2_ctc():
    import transformers

    model = transformers.Wav2Vec2ForCTC(transformers.Wav2Vec2Config(vocab_size=12, ctc_loss_reduction="mean", **SMALL, **WAVES))
    return model, lambda rng: {"input_values": floats(rng, B, 320), "labels": 1 + ids(rng, B, 6, below=10)}


@module("transformers/encodec", "audio")
def encodec():
    import transformers

    model = transformers.EncodecModel(transformers.EncodecConfig(hidden_size=16, num_filters=4, upsampling_ratios=[4, 2], codebook_size=16,
                                                                 codebook_dim=16, num_lstm_layers=1, target_bandwidths=[24.0]))
    return With(model, lambda m, x: ((m(x, bandwidth=24.0).audio_values - x) ** 2).mean()), lambda rng: {"x": floats(rng, B, 1, 64)}


waves("unispeech", "UniSpeech")
waves("unispeech-sat", "UniSpeechSat")
waves("data2vec-audio", "Data2VecAudio")
waves("wav2vec2-conformer", "Wav2Vec2Conformer", refused=WHOLE_BATCH)  # batch normalization
waves("sew", "SEW", squeeze_factor=2)


@module("transformers/audio-spectrogram", "audio", 2)
def spectrogram():
    import transformers

    config = transformers.ASTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, hidden_dropout_prob=0,
                                    attention_probs_dropout_prob=0, patch_size=4, frequency_stride=4, time_stride=4, max_length=16, num_mel_bins=16,
                                    num_labels=5)
    return transformers.ASTForAudioClassification(config), lambda rng: {"input_values": floats(rng, B, 16, 16), "labels": ids(rng, B, below=5)}


@module("transformers/speech-to-text", "audio", 6)
def speech_to_text():
    import transformers

    config = transformers.Speech2TextConfig(vocab_size=V, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
        decoder_attention_heads=4,
                                            encoder_ffn_dim=64, decoder_ffn_dim=64, max_source_positions=32, max_target_positions=32, dropout=0,
                                            attention_dropout=0, activation_dropout=0, encoder_layerdrop=0, decoder_layerdrop=0, conv_channels=16,
                                            input_feat_per_channel=10, use_cache=False, pad_token_id=1, bos_token_id=0, eos_token_id=2)
    return (transformers.Speech2TextForConditionalGeneration(config),
            lambda rng: {"input_features": floats(rng, B, 32, 10), "labels": ids(rng, B, 12)})


@module("transformers/moonshine", "audio", 6)
def moonshine():
    import transformers

    config = transformers.MoonshineConfig(vocab_size=V, hidden_size=32, intermediate_size=64, encoder_num_hidden_layers=2,
        decoder_num_hidden_layers=2,
                                          encoder_num_attention_heads=4, decoder_num_attention_heads=4, max_position_embeddings=32, use_cache=False,
                                          pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return (transformers.MoonshineForConditionalGeneration(config), lambda rng: {"input_values": floats(rng, B, 1600), "labels": ids(rng, B, 12)})


@module("transformers/wav2vec2-bert", "audio", 2)
def wav2vec2_bert():
    import transformers

    config = transformers.Wav2Vec2BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        feature_projection_input_dim=16,
                                             hidden_dropout=0, attention_dropout=0, activation_dropout=0, feat_proj_dropout=0, layerdrop=0,
                                             conformer_conv_dropout=0, mask_time_prob=0, num_labels=5, classifier_proj_size=16, apply_spec_augment=False)
    return (transformers.Wav2Vec2BertForSequenceClassification(config),
            lambda rng: {"input_features": floats(rng, B, 24, 16), "labels": ids(rng, B, below=5)})


@module("transformers/dac", "audio")
def dac():
    import transformers

    model = transformers.DacModel(transformers.DacConfig(encoder_hidden_size=8, downsampling_ratios=[2, 2], decoder_hidden_size=16, n_codebooks=2,
                                                         codebook_size=16, codebook_dim=4, upsampling_ratios=[2, 2], quantizer_dropout=0.0))
    return With(model, lambda m, x: ((m(x).audio_values - x) ** 2).mean()), lambda rng: {"x": floats(rng, B, 1, 64)}


@module("transformers/mimi", "audio", 4)
def mimi():
    import transformers

    config = transformers.MimiConfig(hidden_size=32, num_filters=4, num_residual_layers=1, upsampling_ratios=[4, 2], codebook_size=16,
                                     codebook_dim=16,
                                     vector_quantization_hidden_dimension=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4, head_dim=8,
                                     intermediate_size=64, sliding_window=8, num_quantizers=4, upsample_groups=32, sampling_rate=160, frame_rate=10)
    return (With(transformers.MimiModel(config), lambda m, x: ((m(x, num_quantizers=2).audio_values - x) ** 2).mean()),
            lambda rng: {"x": floats(rng, B, 1, 64)})


@module("transformers/univnet", "audio")
def univnet():
    import transformers

    config = transformers.UnivNetConfig(model_in_channels=8, model_hidden_channels=8, num_mel_bins=10, resblock_kernel_sizes=[3],
                                        resblock_stride_sizes=[4], resblock_dilation_sizes=[[1,
                                        3]], kernel_predictor_num_blocks=1, kernel_predictor_hidden_channels=8)
    return (With(transformers.UnivNetModel(config), lambda m, x, n, y: ((m(x, n).waveforms - y) ** 2).mean()),
            lambda rng: {"x": floats(rng, B, 8, 10), "n": floats(rng, B, 8, 8), "y": floats(rng, B, 32)})
