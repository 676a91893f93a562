#include <exception>
#include <iostream>

#include "cli/command_line.h"
#include "cli/files/output_files.h"
#include "cli/interrupt.h"
#include "cli/screen/screen_text.h"
#include "whinchat/error.h"

using whinchat::cli::printable;

int main(int argc, char** argv) {
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
