#include "oracle_file.h"

#include <gtest/gtest.h>
#include <mlx/array.h>
#include <mlx/io.h>
#include <mlx/ops.h>
#include <mlx/transforms.h>

#include <cstring>
#include <string>
#include <utility>

namespace whinchat::parity {

OracleFile::OracleFile(const std::string& path) {
  auto [arrays, metadata] = mx::load_safetensors(path);
  arrays_ = std::move(arrays);
  metadata_ = std::move(metadata);
}

testing::AssertionResult OracleFile::equals(const std::string& name, const mx::array& ours) {
  mx::array theirs = mx::contiguous(at(name));
  mx::array mine = mx::contiguous(ours);
  mx::eval(theirs, mine);
  ++compared_;
  if (mine.dtype() != theirs.dtype()) return testing::AssertionFailure() << name << ": other type";
  if (mine.shape() != theirs.shape()) return testing::AssertionFailure() << name << ": other shape";
  if (std::memcmp(mine.data<char>(), theirs.data<char>(), theirs.nbytes()) == 0) {
    return testing::AssertionSuccess();
  }
  mx::array different = mx::sum(mx::not_equal(mine, theirs));
  mx::array largest = mx::max(
      mx::abs(mx::subtract(mx::astype(mine, mx::float32), mx::astype(theirs, mx::float32))));
  mx::eval(different, largest);
  return testing::AssertionFailure()
         << name << ": " << different.item<int>() << " of " << theirs.size()
         << " values differ, by up to " << largest.item<float>();
}

}  // namespace whinchat::parity
