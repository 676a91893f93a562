#include "weights/formats/pickle.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "weights/fixture.h"
#include "weights/single_file_fixture.h"

namespace whinchat::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kGlobals[] = {"torch.HalfStorage"};

// The text must outlive the result.
Pickle read(const std::string& text) { return read_pickle(base::as_bytes(text), kGlobals, "a.pt"); }

std::string error_of(const std::string& content) {
  const std::string text = pickled::whole(content);
  return message_of([&] { read(text); });
}

TEST(Pickle, ReadsEveryKindOfInteger) {
  const std::string text = pickled::whole(
      pickled::tuple(std::string("K\xFFM\xFF\xFFJ\xFF\xFF\xFF\xFF", 10) + std::string("\x8A\0", 2) +
                     std::string("\x8A\1\xFF", 3) + std::string("\x8A\5\0\0\0\0\1", 7) +
                     std::string("\x8A\x08\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 10) + "\x88"));
  const Pickle pickle = read(text);
  std::vector<int64_t> values;
  values.reserve(pickle.root->items.size());
  for (const PickleValue* item : pickle.root->items) values.push_back(item->integer);
  EXPECT_EQ(values, (std::vector<int64_t>{255, 65535, -1, 0, -1, int64_t{1} << 32, -2, 1}));
}

TEST(Pickle, ReadsNestedValuesByName) {
  const std::string text = pickled::whole(pickled::dict(
      pickled::text("a") + "](K\1K\2e" + pickled::text("b") +
      pickled::tuple(pickled::text("x") + "N" + pickled::global("torch", "HalfStorage"))));
  const Pickle pickle = read(text);
  EXPECT_EQ(find_item(*pickle.root, "a")->items.size(), 2);
  const PickleValue* tuple = find_item(*pickle.root, "b");
  ASSERT_EQ(tuple->kind, Kind::Tuple);
  EXPECT_EQ(tuple->items[0]->text, "x");
  EXPECT_EQ(tuple->items[1]->kind, Kind::None);
  EXPECT_EQ(tuple->items[2]->text, "torch.HalfStorage");
  EXPECT_EQ(find_item(*pickle.root, "c"), nullptr);
  EXPECT_EQ(find_item(*tuple, "x"), nullptr);
}

TEST(Pickle, RemembersValuesWithoutCopies) {
  const std::string text =
      pickled::whole(pickled::tuple(pickled::text("x") + "q\5" + "h\5" +
                                    std::string("r\0\0\1\0", 5) + std::string("j\0\0\1\0", 5)));
  const Pickle pickle = read(text);
  ASSERT_EQ(pickle.root->items.size(), 3);
  EXPECT_EQ(pickle.root->items[0], pickle.root->items[2]);
}

TEST(Pickle, TakesAnOrderedDictForADictWithoutItsAttributes) {
  const std::string text =
      pickled::whole(pickled::global("collections", "OrderedDict") + ")R" + pickled::text("k") +
                     "K\7s}" + pickled::text("_metadata") + "Nsb");
  const Pickle pickle = read(text);
  ASSERT_EQ(pickle.root->kind, Kind::Dict);
  EXPECT_EQ(pickle.root->items.size(), 2);
  EXPECT_EQ(find_item(*pickle.root, "k")->integer, 7);
}

TEST(Pickle, ADictThatHoldsItselfAndDeepNestingCostNothing) {
  const std::string cycle = pickled::whole("}q\1" + pickled::text("me") + "h\1s");
  const Pickle pickle = read(cycle);
  EXPECT_EQ(find_item(*pickle.root, "me"), pickle.root);
  std::string deep = "N";
  for (int i = 0; i < 150'000; ++i) deep += '\x85';
  const std::string text = pickled::whole(deep);
  EXPECT_EQ(read(text).values.size(), 150'001);
}

TEST(Pickle, RefusesMoreValuesThanAModelHas) {
  EXPECT_NE(error_of(std::string(200'001, '}')).find("at most 200000 values, got more"),
            std::string::npos);
}

TEST(Pickle, RefusesEveryOtherGlobalByItsName) {
  EXPECT_EQ(
      error_of(pickled::global("os", "system") + pickled::text("ls") + "\x85R"),
      "a.pt: the file asks for the global \"os.system\", which no Whisper checkpoint needs and "
      "which is not run: expected tensors and numbers alone");
  EXPECT_NE(error_of(pickled::global("torch", "Half\tStorage")).find("torch.Half\\tStorage"),
            std::string::npos);
  EXPECT_NE(error_of("c" + std::string(1000, 'x')).find("name a module"), std::string::npos);
}

TEST(Pickle, RefusesOpcodesThatTorchDoesNotWrite) {
  for (const char op : {'i', 'o', '\x81', '\x82', '0', '2', 'V', '\x93', '\x95', '\0'}) {
    EXPECT_NE(error_of(std::string(1, op)).find("none that torch.save writes"), std::string::npos)
        << static_cast<int>(op);
  }
}

TEST(Pickle, RefusesOtherProtocols) {
  for (const std::string text : {"\x80\x04N.", "(lp0\n.", "\x80\x03N."}) {
    EXPECT_NE(message_of([&] { read(text); }).find("expected a pickle of protocol 2"),
              std::string::npos);
  }
}

TEST(Pickle, RefusesWhatEndsEarlyOrFindsNothing) {
  const std::string whole =
      pickled::whole(pickled::dict(pickled::text("a") + pickled::tuple("K\1")));
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    EXPECT_NE(message_of([&] { read(cut); }), "") << size;
  }
  const std::string made = "expected the pickle in it to make a value";
  for (const std::string content : {"", "(", "\x85", "R", "a", "s", "b", "Q", "q\1", "N(\x85"}) {
    EXPECT_NE(error_of(content).find(made), std::string::npos) << content;
  }
  for (const std::string content : {"t", "u", "e"}) {
    EXPECT_NE(error_of(content).find("set a mark"), std::string::npos) << content;
  }
  EXPECT_NE(error_of("h\1").find("keep a value before it is recalled"), std::string::npos);
  EXPECT_NE(error_of("NN").find("end with one value"), std::string::npos);
  EXPECT_NE(error_of("N(N").find("end with one value"), std::string::npos);
  EXPECT_NE(error_of("N.N").find("end with one value"), std::string::npos);
}

TEST(Pickle, RefusesValuesInTheWrongPlace) {
  EXPECT_NE(error_of("](Ns").find("make a value"), std::string::npos);
  EXPECT_NE(error_of("NNNs").find("add to a list or a dictionary"), std::string::npos);
  EXPECT_NE(error_of("}Na").find("add to a list or a dictionary"), std::string::npos);
  EXPECT_NE(error_of("}(Nu").find("add pairs to a dictionary"), std::string::npos);
  EXPECT_NE(error_of("]}b").find("set attributes of a dictionary only"), std::string::npos);
  EXPECT_NE(error_of("N)R").find("call a global with a tuple"), std::string::npos);
  EXPECT_NE(
      error_of(pickled::global("collections", "OrderedDict") + "N\x85R").find("without arguments"),
      std::string::npos);
  EXPECT_NE(error_of("\x8A\x09").find("integers of 64 bits"), std::string::npos);
}

}  // namespace
}  // namespace whinchat::weights
