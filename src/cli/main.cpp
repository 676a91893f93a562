#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <exception>
#include <iostream>

#include "cli/command_line.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "cli/screen/screen_text.h"
#include "whinchat/error.h"

using whinchat::cli::printable;

namespace {

// glibc's own threshold rises to the largest block that was freed. Blocks below it come from heaps,
// where over hours, in many sizes, they leave gaps that nothing fits.
void give_large_blocks_back() {
#if defined(__GLIBC__)
  constexpr int kLargeBytes = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, kLargeBytes);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  give_large_blocks_back();
  whinchat::cli::install_fault_handlers();
  try {
    const int status = whinchat::cli::run({argv, argv + argc});
    whinchat::cli::flush_standard_output();
    return status;
  } catch (const whinchat::Error& error) {
    std::cerr << "whinchat: " << printable(error.what()) << '\n';
    return error.kind() == whinchat::ErrorKind::BadInput ? 2 : 1;
  } catch (const std::exception& error) {
    std::cerr << "whinchat: " << printable(error.what()) << '\n';
    return 1;
  }
}
