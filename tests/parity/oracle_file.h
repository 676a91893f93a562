// What the oracle recorded (oracles/whisper.py trace), and bit-wise comparison with it.
#pragma once

#include <gtest/gtest.h>
#include <mlx/array.h>

#include <string>
#include <unordered_map>

namespace whinchat::parity {

namespace mx = mlx::core;

class OracleFile {
 public:
  explicit OracleFile(const std::string& path);

  bool has(const std::string& name) const { return arrays_.contains(name); }
  const mx::array& at(const std::string& name) const { return arrays_.at(name); }
  const std::string& metadata(const std::string& name) const { return metadata_.at(name); }

  // Success when `ours` has the recorded array's type, shape and bits. Counts what it compared.
  testing::AssertionResult equals(const std::string& name, const mx::array& ours);
  int compared() const { return compared_; }

 private:
  std::unordered_map<std::string, mx::array> arrays_;
  std::unordered_map<std::string, std::string> metadata_;
  int compared_ = 0;
};

}  // namespace whinchat::parity
