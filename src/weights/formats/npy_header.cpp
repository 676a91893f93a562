#include "weights/formats/npy_header.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

constexpr size_t kMaxRank = 8;
constexpr std::string_view kSpace = " \n";

class Parser {
 public:
  Parser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  NpyHeader run() {
    require("{");
    while (!take("}")) {
      read_member();
      if (take("}")) break;
      require(",");
    }
    skip_space();
    if (at_ != text_.size()) fail("the header's end");
    if (!has_descr_ || !has_order_ || !has_shape_) fail("descr, fortran_order and shape before it");
    return header_;
  }

 private:
  void read_member() {
    const std::string key = read_text();
    require(":");
    if (key == "descr" && !has_descr_) {
      has_descr_ = true;
      header_.descr = read_text();
    } else if (key == "fortran_order" && !has_order_) {
      has_order_ = true;
      header_.fortran_order = take("True");
      if (!header_.fortran_order) require("False");
    } else if (key == "shape" && !has_shape_) {
      has_shape_ = true;
      read_shape();
    } else {
      fail("descr, fortran_order and shape, each once,");
    }
  }

  // (), (3,), (3, 4) or (3, 4, )
  void read_shape() {
    require("(");
    while (!take(")")) {
      if (header_.shape.size() == kMaxRank) fail("at most 8 axes");
      header_.shape.push_back(read_natural());
      if (take(")")) break;
      require(",");
    }
  }

  int64_t read_natural() {
    skip_space();
    int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("a whole number from 0");
    at_ += end - begin;
    return value;
  }

  // Of plain characters: NumPy escapes nothing in these values.
  std::string read_text() {
    require("'");
    const size_t end = text_.find_first_of("'\\\n", at_);
    if (end == std::string_view::npos || text_[end] != '\'') fail("a text in single quotes");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool take(std::string_view token) {
    skip_space();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void require(std::string_view token) {
    if (!take(token)) fail(token);
  }

  void skip_space() {
    at_ = text_.find_first_not_of(kSpace, at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
  }

  [[noreturn]] void fail(std::string_view expected) const {
    base::fail(ErrorKind::Corrupt, "{}: expected {} at byte {} of the array's header", what_,
               expected, at_);
  }

  std::string_view text_;
  std::string_view what_;
  size_t at_ = 0;
  NpyHeader header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

NpyHeader read_npy_header(std::string_view text, std::string_view what) {
  return Parser(text, what).run();
}

}  // namespace whinchat::weights
