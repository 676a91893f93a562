// What every step of fetching needs to know: the settings, whom to tell, and when to stop. A step
// that was stopped returns false or nothing; it throws only where something failed.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "hub/settings.h"

namespace whinchat::hub {

struct FetchContext {
  Settings settings;
  std::stop_token stop;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> on_progress;
  std::function<void(const std::string& sentence)> on_note;

  void note(const std::string& sentence) const {
    if (on_note) on_note(sentence);
  }
};

}  // namespace whinchat::hub
