// librosa's Slaney mel bank for 16 kHz and 400-point spectra.
#pragma once

#include <vector>

namespace whinchat::models::whisper {

constexpr int kSpectrumBins = 201;

// [n_mels, 201] row-major; equal to OpenAI's mel_filters.npz in every bit for 80 and 128 bands.
std::vector<float> mel_filters(int n_mels);

}  // namespace whinchat::models::whisper
