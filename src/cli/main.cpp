#include <exception>
#include <iostream>
#include <string>

#include "cli/command_line.h"
#include "whinchat/error.h"

int main(int argc, char** argv) {
  try {
    return whinchat::cli::run({argv, argv + argc});
  } catch (const whinchat::Error& error) {
    std::cerr << "whinchat: " << error.what() << '\n';
    return error.kind() == whinchat::ErrorKind::BadInput ? 2 : 1;
  } catch (const std::exception& error) {
    std::cerr << "whinchat: " << error.what() << '\n';
    return 1;
  }
}
