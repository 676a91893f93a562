#include "cli/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkstemp is POSIX
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

namespace whinchat::cli {
namespace {

// In processes of their own: signals and their handlers belong to the whole of one.
class InterruptDeathTest : public testing::Test {
 protected:
  InterruptDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void read_a_file_that_shrinks() {
  install_fault_handlers();
  std::string name = testing::TempDir() + "shrinksXXXXXX";
  const int file = ::mkstemp(name.data());
  constexpr size_t kBytes = 8192;
  const bool is_long = ::ftruncate(file, kBytes) == 0;
  void* pages = ::mmap(nullptr, kBytes, PROT_READ, MAP_SHARED, file, 0);
  const bool is_short = ::ftruncate(file, 0) == 0;
  ::unlink(name.c_str());
  if (!is_long || !is_short || pages == MAP_FAILED) std::exit(3);
  std::exit(static_cast<const volatile char*>(pages)[kBytes - 1] == 0 ? 4 : 5);
}

int status_after(int signal) {
  const Interrupt interrupt(true);
  if (interrupt.is_requested()) return 3;
  ::kill(::getpid(), signal);  // to the process: raise() would ask this thread, which blocks it
  while (!interrupt.is_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return interrupt.token().stop_requested() ? interrupt.status() : 4;
}

TEST_F(InterruptDeathTest, SaysThatAMappedFileBecameShorter) {
  EXPECT_EXIT(read_a_file_that_shrinks(), testing::ExitedWithCode(1), "became shorter");
}

TEST_F(InterruptDeathTest, GivesTheStatusAShellWould) {
  EXPECT_EXIT(std::exit(status_after(SIGINT)), testing::ExitedWithCode(130), "");
  EXPECT_EXIT(std::exit(status_after(SIGTERM)), testing::ExitedWithCode(143), "");
}

}  // namespace
}  // namespace whinchat::cli
