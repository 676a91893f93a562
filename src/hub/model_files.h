// What a folder must hold to be a model: weights that our readers take, with what describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace whinchat::hub {

// The paths, relative to the folder, of the weights that a reader would take and, for safetensors,
// config.json, whether or not they are there; only {"model.bin"} for a folder without any.
std::vector<std::string> required_files(const std::filesystem::path& folder);

// All required files are there; a link that leads nowhere is not.
bool is_complete_model(const std::filesystem::path& folder);

// Complete, and Whisper's by CTranslate2's name for it or by its config.json.
bool is_speech_model(const std::filesystem::path& folder);

// Bytes of the weights' files; 0 where there are none.
uint64_t weight_bytes(const std::filesystem::path& folder);

// Bytes of all files below the folder; links count as what they lead to.
uint64_t folder_bytes(const std::filesystem::path& folder);

}  // namespace whinchat::hub
