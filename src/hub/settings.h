// What the environment says about where models come from and lie: whinchat's own variables, those
// of huggingface_hub (their names and defaults), and pip's index.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace whinchat::hub {

struct Settings {
  std::filesystem::path cache;      // whinchat's own: cache_folder()
  std::filesystem::path hub_cache;  // HF_HUB_CACHE, else HF_HOME/hub, else ~/.cache/huggingface/hub
  std::string endpoint;             // HF_ENDPOINT; no slash at its end
  std::string token;                // HF_TOKEN, else the file HF_HOME/token; never to be shown
  std::string package_index;        // PIP_INDEX_URL; no slash at its end; may hold a password
  std::string certificates;         // CURL_CA_BUNDLE, SSL_CERT_FILE, or the system's file
  bool offline = false;             // HF_HUB_OFFLINE
  std::chrono::seconds answer_timeout{10};    // HF_HUB_ETAG_TIMEOUT: to connect; for a short answer
  std::chrono::seconds download_timeout{10};  // HF_HUB_DOWNLOAD_TIMEOUT: without a byte of a file
};

// Throws Error{BadInput} for a timeout that is no number of seconds.
Settings settings_from_environment();

// $WHINCHAT_CACHE, else $XDG_CACHE_HOME/whinchat, else $HOME/.cache/whinchat.
std::filesystem::path cache_folder();

}  // namespace whinchat::hub
