#include "kernels/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernels/attention_bf16.h"
#include "kernels/attention_kernels.h"
#include "kernels/bf16.h"
#include "kernels/element.h"
#include "kernels/isa.h"
#include "kernels/team.h"
#include "whinchat/error.h"

namespace whinchat::kernels {
namespace {

struct Shape {
  int queries, keys, heads = 2, head_size = 64;
  Element q = Element::F32, kv = Element::F32;
  int first_position = -1;
  bool scores = false;
  float spread = 1.5F;  // of the numbers in q and k
  int64_t gap = 3;      // elements between rows
};

// Rows in memory of their own, a word past the alignment of a vector, with NaN in the gaps.
class Matrix {
 public:
  Matrix(int rows, int width, const Shape& shape, Element type)
      : rows_(rows),
        width_(width),
        stride_(width + shape.gap),
        type_(type),
        bytes_((rows * stride_ + 1) * size_of(type)) {
    for (int64_t i = 0; i <= rows * stride_; ++i) set(i, std::numeric_limits<float>::quiet_NaN());
  }

  void set(int row, int column, float value) { set(row * stride_ + column + 1, value); }
  double at(int row, int column) const {
    const std::byte* from = bytes_.data() + (row * stride_ + column + 1) * size_of(type_);
    if (type_ == Element::F32) return read<float>(from);
    if (type_ == Element::BF16) return from_bf16(read<uint16_t>(from));
    return static_cast<double>(read<_Float16>(from));
  }
  std::vector<double> values() const {  // without the gaps
    std::vector<double> values;
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < width_; ++column) values.push_back(at(row, column));
    }
    return values;
  }
  Rows rows() { return {bytes_.data() + size_of(type_), stride_, type_}; }
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  template <typename T>
  static T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <typename T>
  void write(int64_t index, T value) {
    std::memcpy(bytes_.data() + index * sizeof value, &value, sizeof value);
  }
  void set(int64_t index, float value) {
    if (type_ == Element::F32) write(index, value);
    if (type_ == Element::BF16) write(index, to_bf16(value));
    if (type_ == Element::F16) write(index, static_cast<_Float16>(value));
  }

  int rows_, width_;
  int64_t stride_;
  Element type_;
  std::vector<std::byte> bytes_;
};

// A call with operands and room for its results.
struct Case {
  Shape shape;
  Matrix q, k, v, out;
  std::vector<float> scores;

  explicit Case(const Shape& of)
      : shape(of),
        q(of.queries, of.heads * of.head_size, of, of.q),
        k(of.keys, of.heads * of.head_size, of, of.kv),
        v(of.keys, of.heads * of.head_size, of, of.kv),
        out(of.queries, of.heads * of.head_size, of, of.q),
        scores(of.scores ? static_cast<size_t>(of.heads) * of.queries * of.keys : 0) {
    std::mt19937 random(7);
    std::normal_distribution<float> number(0, 1);
    for (int j = 0; j < of.heads * of.head_size; ++j) {
      for (int t = 0; t < of.queries; ++t) q.set(t, j, of.spread * number(random));
      for (int s = 0; s < of.keys; ++s) k.set(s, j, of.spread * number(random));
      for (int s = 0; s < of.keys; ++s) v.set(s, j, number(random));
    }
  }

  Attention call() {
    return {.queries = shape.queries,
            .keys = shape.keys,
            .heads = shape.heads,
            .head_size = shape.head_size,
            .q = q.rows(),
            .k = k.rows(),
            .v = v.rows(),
            .out = out.rows(),
            .first_position = shape.first_position,
            .scores = scores.empty() ? nullptr : scores.data()};
  }
};

// What a result may be off by. With u the unit of rounding of f32, a sum of n terms in any order
// stays within 6·√n·u of the sum of their magnitudes (rounding errors as random signs; worse has
// odds under e^-18), for products of two rows at most the product of their norms. The scores carry
// that of D products and 3 roundings of q's scale; the softmax's exp turns an error of its argument
// into a relative one, has 4u of its own and an argument of at most 88 rounded once; numerator and
// denominator both carry all that. bf16 results round once more. Where q, k and v all are bf16,
// weights of values may be too, and exp good to 2^-12.
class Bound {
 public:
  explicit Bound(const Case& of)
      : case_(of), q_(of.q.values()), k_(of.k.values()), v_(of.v.values()) {
    for (int s = 0; s < of.shape.keys; ++s) {
      for (int head = 0; head < of.shape.heads; ++head) norms_.push_back(norm(row(k_, head, s)));
    }
  }

  double of_score(int head, int t, int s) const {
    const double magnitude = norm(row(q_, head, t)) * norm(row(k_, head, s));
    return (6 * std::sqrt(size()) + 3) * kUnit * magnitude / std::sqrt(size());
  }

  // Of every element of a head's row of results.
  std::vector<double> of_row(int head, int t, int seen) const {
    std::vector<double> weights;
    int longest = 0;
    const double* q = row(q_, head, t);
    for (int s = 0; s < seen; ++s) {
      weights.push_back(std::inner_product(q, q + size(), row(k_, head, s), 0.0));
      if (norms_[index(head, s)] > norms_[index(head, longest)]) longest = s;
    }
    const double worst_score = of_score(head, t, longest);
    const double max = *std::ranges::max_element(weights);
    double sum = 0;
    std::vector<double> magnitudes(static_cast<size_t>(size()));
    for (int s = 0; s < seen; ++s) {
      const double score = weights[static_cast<size_t>(s)] - max;
      const double weight = std::exp(score / std::sqrt(size()));
      sum += weight;
      const double* v = row(v_, head, s);
      for (double& magnitude : magnitudes) magnitude += weight * std::abs(*v++);
    }
    const bool halves = case_.shape.q == Element::BF16 && case_.shape.kv == Element::BF16;
    const double exp_error = halves ? 0x1p-12 + 0x1p-8 : 4 * kUnit;
    const double relative =
        2 * (std::expm1(worst_score + 88 * kUnit) + exp_error + 6 * std::sqrt(seen) * kUnit);
    const double stored = case_.shape.q == Element::F32 ? 0 : 0x1p-8;
    for (double& magnitude : magnitudes) {
      magnitude = magnitude / sum * (relative + stored) + 0x1p-100;
    }
    return magnitudes;
  }

 private:
  static constexpr double kUnit = 0x1p-24;

  int size() const { return case_.shape.head_size; }
  double norm(const double* row) const {
    return std::sqrt(std::inner_product(row, row + size(), row, 0.0));
  }
  const double* row(const std::vector<double>& values, int head, int at) const {
    return values.data() + index(head, at) * static_cast<size_t>(size());
  }
  size_t index(int head, int at) const {
    return static_cast<size_t>(at) * static_cast<size_t>(case_.shape.heads) +
           static_cast<size_t>(head);
  }

  const Case& case_;
  std::vector<double> q_, k_, v_;  // [T or S, H, D]
  std::vector<double> norms_;      // of keys, [S, H]
};

// The largest error of `attend` as a share of what is allowed.
template <typename Attend>
double worst_share(const Shape& shape, const Attend& attend) {
  Case fast(shape);
  Case slow(shape);
  attend(fast.call());
  attend_reference(slow.call());
  const Bound bound(slow);
  double worst = 0;
  const auto compare = [&](double got, double expected, double allowed) {
    const double share = std::abs(got - expected) / allowed;
    worst = std::isnan(share) ? std::numeric_limits<double>::infinity() : std::max(worst, share);
  };
  for (int head = 0; head < shape.heads; ++head) {
    for (int t = 0; t < shape.queries; ++t) {
      const std::vector<double> allowed = bound.of_row(head, t, keys_seen(slow.call(), t));
      for (int j = 0; j < shape.head_size; ++j) {
        const int column = head * shape.head_size + j;
        compare(fast.out.at(t, column), slow.out.at(t, column), allowed[static_cast<size_t>(j)]);
      }
      for (int s = 0; s < shape.keys && shape.scores; ++s) {
        const auto at = static_cast<size_t>((int64_t{head} * shape.queries + t) * shape.keys + s);
        if (fast.scores[at] == slow.scores[at]) continue;  // −∞, above all
        compare(fast.scores[at], slow.scores[at], bound.of_score(head, t, s));
      }
    }
  }
  return worst;
}

double worst_share(const Shape& shape, Team& team) {
  return worst_share(shape, [&](const Attention& call) { attend(call, team); });
}

class AttentionOn : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override { limit_isa(GetParam()); }
  void TearDown() override { limit_isa(Isa::Amx); }

  Team team_{2};
};

TEST_P(AttentionOn, EqualsReferenceForEveryCountOfQueries) {
  for (int queries = 1; queries <= 67; ++queries) {
    EXPECT_LE(worst_share({.queries = queries, .keys = 193 + queries, .head_size = 24}, team_), 1)
        << queries;
  }
}

TEST_P(AttentionOn, EqualsReferenceForOddCountsOfKeys) {
  for (const int keys : {1, 2, 5, 31, 33, 97, 191, 193, 385, 449}) {
    for (const int queries : {1, 5, 41}) {
      EXPECT_LE(worst_share({.queries = queries, .keys = keys}, team_), 1)
          << queries << " queries, " << keys << " keys";
    }
  }
}

TEST_P(AttentionOn, EqualsReferenceForEveryHeadSize) {
  for (int size = 8; size <= 128; size += 8) {
    for (const int queries : {1, 3, 50}) {
      EXPECT_LE(
          worst_share({.queries = queries, .keys = 201, .heads = 3, .head_size = size}, team_), 1)
          << queries << " queries, " << size << " wide";
    }
  }
}

TEST_P(AttentionOn, EqualsReferenceForEveryTypeOfElement) {
  struct Types {
    Element q, kv;
  };
  for (const Types types : {Types{Element::F32, Element::F16}, Types{Element::F32, Element::BF16},
                            Types{Element::BF16, Element::BF16}}) {
    for (const int queries : {1, 7, 33, 130}) {
      const Shape shape{.queries = queries, .keys = 517, .q = types.q, .kv = types.kv, .gap = 64};
      EXPECT_LE(worst_share(shape, team_), 1) << queries << " queries";
    }
  }
}

TEST_P(AttentionOn, EqualsReferenceWhereLaterKeysAreUnseen) {
  for (const Element type : {Element::F32, Element::BF16}) {
    for (const int queries : {1, 4, 40, 230}) {
      for (const int first : {0, 1, 100}) {
        const Shape shape{.queries = queries,
                          .keys = first + queries,
                          .q = type,
                          .kv = type,
                          .first_position = first,
                          .scores = first == 1};
        EXPECT_LE(worst_share(shape, team_), 1) << queries << " queries from " << first;
      }
    }
  }
}

TEST_P(AttentionOn, WritesScoresWhereWanted) {
  for (const Element type : {Element::F32, Element::BF16}) {
    for (const int queries : {1, 2, 45}) {
      const Shape shape{.queries = queries, .keys = 323, .q = type, .kv = type, .scores = true};
      EXPECT_LE(worst_share(shape, team_), 1) << queries;
    }
  }
}

TEST_P(AttentionOn, EqualsReferenceForAWindowOfTheEncoder) {
  for (const Element type : {Element::F32, Element::BF16}) {
    const Shape shape{
        .queries = 1500, .keys = 1500, .heads = 1, .head_size = 8, .q = type, .kv = type};
    EXPECT_LE(worst_share(shape, team_), 1);
  }
}

TEST_P(AttentionOn, IsWithinTheBoundForEveryTeam) {
  for (const int size : {1, 2, 3, 5}) {
    Team team(size);
    for (const int queries : {1, 5, 99}) {
      const Shape shape{.queries = queries, .keys = 700, .heads = 3};
      EXPECT_LE(worst_share(shape, team), 1) << size << " threads, " << queries << " queries";
    }
  }
}

TEST_P(AttentionOn, RepeatsEveryBit) {
  for (const Element type : {Element::F32, Element::BF16}) {
    for (const int queries : {1, 70}) {
      Case first({.queries = queries, .keys = 777, .q = type, .kv = type});
      attend(first.call(), team_);
      for (int i = 0; i < 4; ++i) {
        Case again(first.shape);
        attend(again.call(), team_);
        EXPECT_EQ(first.out.bytes(), again.out.bytes());
      }
    }
  }
}

// Scores of about ±1e4 leave one weight, or a few that are equal.
TEST_P(AttentionOn, KeepsHugeScoresFinite) {
  for (const Element type : {Element::F32, Element::BF16}) {
    for (const int queries : {1, 64}) {
      const Shape shape{
          .queries = queries, .keys = 400, .q = type, .kv = type, .spread = 60, .gap = 0};
      EXPECT_LE(worst_share(shape, team_), 1) << queries;
    }
  }
}

// Every score is larger than all before it, at last by 256, so that each block of keys rescales
// what came earlier and the last key alone is left. Neighbours in bf16 are exact in both types.
TEST_P(AttentionOn, LeavesTheLastKeyWhereScoresGrowByThousands) {
  for (const Element type : {Element::F32, Element::BF16}) {
    for (const int queries : {1, 40}) {
      Case fast({.queries = queries, .keys = 700, .heads = 1, .q = type, .kv = type});
      for (int t = 0; t < queries; ++t) fast.q.set(t, 0, 64);
      for (int s = 0; s < 700; ++s) {
        for (int j = 1; j < 64; ++j) fast.k.set(s, j, 0);
        fast.k.set(s, 0, from_bf16(static_cast<uint16_t>(0x4300 + s)));
      }
      attend(fast.call(), team_);
      const std::vector<double> out = fast.out.values();
      const std::vector<double> v = fast.v.values();
      for (int t = 0; t < queries; ++t) {
        EXPECT_TRUE(
            std::ranges::equal(std::span(out).subspan(size_t{64} * t, 64), std::span(v).last(64)));
      }
    }
  }
}

TEST_P(AttentionOn, AveragesValuesWhereScoresAreEqual) {
  for (const int queries : {1, 40}) {
    Case fast({.queries = queries, .keys = 512, .heads = 1});
    for (int j = 0; j < 64; ++j) {
      for (int s = 0; s < 512; ++s) {
        fast.k.set(s, j, 1);
        fast.v.set(s, j, static_cast<float>(s));
      }
    }
    attend(fast.call(), team_);
    for (int t = 0; t < queries; ++t) EXPECT_EQ(fast.out.at(t, 5), 255.5);
  }
}

TEST_P(AttentionOn, LeavesWhatLiesBetweenRowsAlone) {
  for (const int queries : {1, 40}) {
    Case fast({.queries = queries, .keys = 50});
    attend(fast.call(), team_);
    for (int t = 0; t + 1 < queries; ++t) {
      for (int j = 0; j < 3; ++j) EXPECT_TRUE(std::isnan(fast.out.at(t, 128 + j)));
    }
    for (int t = 0; t < queries; ++t) EXPECT_FALSE(std::isnan(fast.out.at(t, 127)));
  }
}

INSTANTIATE_TEST_SUITE_P(EveryIsa, AttentionOn, testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

#if defined(__x86_64__)
// The kernels of bf16, whichever of them attend() prefers on this processor.
class Halves : public testing::TestWithParam<Isa> {
 protected:
  double worst_share_of(Shape shape) {
    shape.q = shape.kv = Element::BF16;
    const HalfProducts& products = GetParam() == Isa::Amx ? kAmxProducts : kAvx512Products;
    return worst_share(shape, [&](const Attention& call) { attend_halves(call, products, team_); });
  }

  Team team_{2};
};

TEST_P(Halves, EqualReferenceForOddCounts) {
  for (const int keys : {1, 2, 31, 32, 33, 127, 128, 129, 257, 300, 1500}) {
    for (const int queries : {1, 16, 31, 33, 97}) {
      EXPECT_LE(worst_share_of({.queries = queries, .keys = keys}), 1)
          << queries << " queries, " << keys << " keys";
    }
  }
}

TEST_P(Halves, EqualReferenceForEveryHeadSize) {
  for (int size = 8; size <= 128; size += 8) {
    EXPECT_LE(worst_share_of({.queries = 45, .keys = 333, .heads = 3, .head_size = size}), 1)
        << size;
  }
}

TEST_P(Halves, EqualReferenceWhereLaterKeysAreUnseenAndScoresAreWanted) {
  for (const int first : {0, 1, 100}) {
    const Shape shape{.queries = 230, .keys = first + 230, .first_position = first};
    EXPECT_LE(worst_share_of(shape), 1) << first;
    Shape with_scores = shape;
    with_scores.scores = true;
    EXPECT_LE(worst_share_of(with_scores), 1) << first;
  }
}

TEST_P(Halves, EqualReferenceForHugeScores) {
  EXPECT_LE(worst_share_of({.queries = 64, .keys = 700, .spread = 60}), 1);
}

std::vector<Isa> isas_of_halves() {
  std::vector<Isa> isas = usable_isas();
  std::erase_if(isas, [](Isa isa) { return isa < Isa::Avx512Bf16; });
  return isas;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Halves);
INSTANTIATE_TEST_SUITE_P(EachIsa, Halves, testing::ValuesIn(isas_of_halves()),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });
#endif

TEST(Attention, RefusesHeadsOfOtherSizes) {
  Team team(1);
  for (const int size : {4, 60, 136}) {
    Case odd({.queries = 1, .keys = 2, .head_size = size});
    EXPECT_THROW(attend(odd.call(), team), Error) << size;
  }
}

TEST(Attention, RefusesMixedTypes) {
  Team team(1);
  Case mixed({.queries = 1, .keys = 2});
  Attention call = mixed.call();
  call.v.type = Element::F16;
  EXPECT_THROW(attend(call, team), Error);
}

}  // namespace
}  // namespace whinchat::kernels
