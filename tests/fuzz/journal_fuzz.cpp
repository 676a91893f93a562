// The journal of a batch, which a killed run or another program may have left in any state.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "cli/batch/journal_lines.h"
#include "whinchat/error.h"

using namespace whinchat;

namespace {

// What was read is written in other words, perhaps, but says the same.
void check_again(const cli::JournalText& read) {
  if (!read.settings) {
    if (!read.done.empty() || read.whole_bytes > 0) std::abort();
    return;
  }
  std::string text = cli::settings_line(*read.settings);
  for (const cli::DoneInput& input : read.done) text += cli::done_line(input);
  const cli::JournalText again = cli::read_journal(text, "again");
  const bool is_same = again.settings == read.settings && again.done == read.done;
  if (!is_same || again.whole_bytes != text.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text = base::as_text(std::as_bytes(std::span(data, size)));
  try {
    const cli::JournalText read = cli::read_journal(text, "journal");
    if (read.whole_bytes > size) std::abort();
    if (read.whole_bytes > 0 && text[read.whole_bytes - 1] != '\n') std::abort();
    // What is to be cut held nothing.
    if (cli::read_journal(text.substr(0, read.whole_bytes), "journal").done != read.done) {
      std::abort();
    }
    check_again(read);
  } catch (const Error&) {
    return 0;  // a refusal is an answer
  }
  return 0;
}
