#include "weights/weight_map.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "weights/fixture.h"
#include "weights/tensor.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

Tensor two_rows() { return {DType::F16, {2, 3}, base::as_bytes("abcdefghijkl"), nullptr}; }

TEST(WeightMap, GivesATensorOfTheExpectedShape) {
  WeightMap weights("model");
  weights.insert("a", two_rows());
  EXPECT_EQ(base::as_text(weights.take("a", {2, 3}).bytes), "abcdefghijkl");
  EXPECT_FALSE(weights.take("a", {2, 3}).is_placeholder());
  weights.audit();
}

TEST(WeightMap, AuditNamesEverythingAtOnce) {
  WeightMap weights("model.bin");
  for (const char* name : {"a", "b", "c", "d"}) weights.insert(name, two_rows());
  weights.take("a", {2, 3});
  const Tensor placeholder = weights.take("b", {3, 2});
  EXPECT_TRUE(placeholder.is_placeholder());
  EXPECT_EQ(placeholder.shape, (std::vector<int64_t>{3, 2}));
  EXPECT_TRUE(weights.take("x", {7}).is_placeholder());
  weights.take("y", {1, 2});
  weights.tolerate("d");
  weights.tolerate("not there");
  EXPECT_EQ(message_of([&] { weights.audit(); }),
            "model.bin: the tensors do not fit the model: 2 missing (x [7], y [1, 2]); "
            "1 of another shape (b: expected [3, 2], got [2, 3]); "
            "1 that no part of the model uses (c)");
}

TEST(WeightMap, AuditListsTenNamesAndCountsTheRest) {
  WeightMap weights("model.bin");
  for (int i = 0; i < 25; ++i) weights.insert("tensor" + std::to_string(i), two_rows());
  const std::string message = message_of([&] { weights.audit(); });
  EXPECT_NE(message.find("25 that no part"), std::string::npos);
  EXPECT_NE(message.find("and 15 more"), std::string::npos);
}

TEST(WeightMap, AMissingTensorIsNotFoundAndALeftoverIsCorrupt) {
  WeightMap leftover("model");
  leftover.insert("a", two_rows());
  WeightMap missing("model");
  missing.take("a", {1});
  const auto kind_of = [](const WeightMap& weights) {
    try {
      weights.audit();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::Internal;
  };
  EXPECT_EQ(kind_of(leftover), ErrorKind::Corrupt);
  EXPECT_EQ(kind_of(missing), ErrorKind::NotFound);
}

TEST(WeightMap, LookingIsNoUse) {
  WeightMap weights("model");
  weights.insert("a", two_rows());
  EXPECT_NE(weights.find("a"), nullptr);
  EXPECT_EQ(weights.find("b"), nullptr);
  EXPECT_THROW(weights.audit(), Error);
}

TEST(WeightMap, RefusesNamesTwiceAndNamesThatCannotBeShown) {
  WeightMap weights("model");
  weights.insert("a", two_rows());
  EXPECT_EQ(message_of([&] { weights.insert("a", two_rows()); }),
            "model: the tensor a is there twice");
  for (const char* name : {"", "a\x1b[2J", "\xc3\xa4", "a b"}) {
    EXPECT_THROW(weights.insert(name, two_rows()), Error) << name;
  }
}

}  // namespace
}  // namespace whinchat::weights
