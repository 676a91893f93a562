#include "weights/formats/pickle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "weights/formats/pickle_stack.h"
#include "whinchat/error.h"

namespace whinchat::weights {
namespace {

using Kind = PickleValue::Kind;

constexpr uint8_t kProtocol = 2;
constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr size_t kMaxGlobalBytes = 200;

// The opcodes of what torch.save writes.
enum class Op : uint8_t {
  Mark = '(',
  Stop = '.',
  None = 'N',
  True = 0x88,
  False = 0x89,
  Int8 = 'K',
  Int16 = 'M',
  Int32 = 'J',
  Long = 0x8A,
  Float = 'G',
  Text = 'X',
  EmptyTuple = ')',
  Tuple1 = 0x85,
  Tuple2 = 0x86,
  Tuple3 = 0x87,
  Tuple = 't',
  EmptyList = ']',
  Append = 'a',
  Appends = 'e',
  EmptyDict = '}',
  SetItem = 's',
  SetItems = 'u',
  Global = 'c',
  Reduce = 'R',
  Build = 'b',
  Persistent = 'Q',
  Put = 'q',
  LongPut = 'r',
  Get = 'h',
  LongGet = 'j',
  Protocol = 0x80,
};

class Machine {
 public:
  Machine(base::Bytes bytes, std::span<const std::string_view> globals, const std::string& source)
      : reader_(bytes, source), bytes_(bytes), globals_(globals), source_(source), stack_(source) {}

  Pickle run() {
    const bool is_pickle = reader_.read<Op>() == Op::Protocol;
    const auto protocol = reader_.read<uint8_t>();
    if (!is_pickle || protocol != kProtocol) {
      base::fail(ErrorKind::Unsupported, "{}: expected a pickle of protocol {}", source_,
                 kProtocol);
    }
    for (auto op = reader_.read<Op>(); op != Op::Stop; op = reader_.read<Op>()) {
      const bool is_known =
          do_scalar(op) || do_sequence(op) || do_dict(op) || do_object(op) || do_memory(op);
      if (!is_known) {
        base::fail(ErrorKind::Unsupported,
                   "{}: the opcode {:#04x} at position {} of the pickle is none that torch.save "
                   "writes",
                   source_, static_cast<int>(op), reader_.position() - 1);
      }
    }
    if (reader_.remaining() != 0) stack_.fail("end with one value");
    return stack_.finish();
  }

 private:
  bool do_scalar(Op op) {
    switch (op) {
      case Op::None:
        stack_.push(Kind::None);
        return true;
      case Op::True:
      case Op::False:
        stack_.push(Kind::Bool, op == Op::True ? 1 : 0);
        return true;
      case Op::Int8:
        stack_.push(Kind::Integer, reader_.read<uint8_t>());
        return true;
      case Op::Int16:
        stack_.push(Kind::Integer, reader_.read<uint16_t>());
        return true;
      case Op::Int32:
        stack_.push(Kind::Integer, reader_.read<int32_t>());
        return true;
      case Op::Long:
        stack_.push(Kind::Integer, read_long());
        return true;
      case Op::Float:
        reader_.read_bytes(sizeof(double));  // no number of a model: a learning rate, say
        stack_.push(Kind::Float);
        return true;
      case Op::Text:
        stack_.push(Kind::Text).text = base::as_text(reader_.read_bytes(reader_.read<uint32_t>()));
        return true;
      default:
        return false;
    }
  }

  int64_t read_long() {
    const auto count = reader_.read<uint8_t>();
    if (count > sizeof(int64_t)) stack_.fail("have integers of 64 bits");
    uint64_t value = 0;
    uint8_t last = 0;
    for (unsigned i = 0; i < count; ++i) {
      last = reader_.read<uint8_t>();
      value |= uint64_t{last} << (8 * i);
    }
    const bool is_negative = (last & 0x80U) != 0;
    if (is_negative && count < sizeof(int64_t)) value |= ~uint64_t{0} << (8U * count);
    return static_cast<int64_t>(value);
  }

  bool do_sequence(Op op) {
    switch (op) {
      case Op::Mark:
        stack_.mark();
        return true;
      case Op::EmptyTuple:
        stack_.push(Kind::Tuple);
        return true;
      case Op::Tuple1:
      case Op::Tuple2:
      case Op::Tuple3:
        stack_.push_with(Kind::Tuple, stack_.pop(static_cast<size_t>(op) - size_t{0x84}));
        return true;
      case Op::Tuple:
        stack_.push_with(Kind::Tuple, stack_.pop_to_mark());
        return true;
      case Op::EmptyList:
        stack_.push(Kind::List);
        return true;
      case Op::Append:
        stack_.extend(Kind::List, stack_.pop(1));
        return true;
      case Op::Appends:
        stack_.extend(Kind::List, stack_.pop_to_mark());
        return true;
      default:
        return false;
    }
  }

  bool do_dict(Op op) {
    switch (op) {
      case Op::EmptyDict:
        stack_.push(Kind::Dict);
        return true;
      case Op::SetItem:
        stack_.extend(Kind::Dict, stack_.pop(2));
        return true;
      case Op::SetItems:
        stack_.extend(Kind::Dict, stack_.pop_to_mark());
        return true;
      case Op::Build:
        stack_.pop(1);
        if (stack_.top()->kind != Kind::Dict) stack_.fail("set attributes of a dictionary only");
        return true;
      default:
        return false;
    }
  }

  bool do_object(Op op) {
    switch (op) {
      case Op::Global:
        stack_.push(Kind::Global).text = read_global();
        return true;
      case Op::Reduce:
        reduce();
        return true;
      case Op::Persistent:
        stack_.push_with(Kind::Persistent, stack_.pop(1));
        return true;
      default:
        return false;
    }
  }

  std::string_view read_line() {
    const std::string_view rest = base::as_text(bytes_.subspan(reader_.position()));
    const size_t length = rest.substr(0, kMaxGlobalBytes).find('\n');
    if (length == std::string_view::npos) stack_.fail("name a module and what is in it");
    reader_.read_bytes(length + 1);
    return rest.substr(0, length);
  }

  std::string_view read_global() {
    const std::string_view module = read_line();
    const std::string name = fmt::format("{}.{}", module, read_line());
    if (name == kOrderedDict) return kOrderedDict;
    const auto known = std::ranges::find(globals_, name);
    if (known == globals_.end()) {
      base::fail(ErrorKind::Unsupported,
                 "{}: the file asks for the global {:?}, which no Whisper checkpoint needs and "
                 "which is not run: expected tensors and numbers alone",
                 source_, name);
    }
    return *known;
  }

  void reduce() {
    std::vector<const PickleValue*> call = stack_.pop(2);
    if (call[0]->kind != Kind::Global || call[1]->kind != Kind::Tuple) {
      stack_.fail("call a global with a tuple");
    }
    if (call[0]->text == kOrderedDict) {
      if (!call[1]->items.empty()) stack_.fail("make dictionaries without arguments");
      stack_.push(Kind::Dict);
    } else {
      stack_.push_with(Kind::Call, std::move(call));
    }
  }

  bool do_memory(Op op) {
    switch (op) {
      case Op::Put:
        stack_.keep(reader_.read<uint8_t>());
        return true;
      case Op::LongPut:
        stack_.keep(reader_.read<uint32_t>());
        return true;
      case Op::Get:
        stack_.recall(reader_.read<uint8_t>());
        return true;
      case Op::LongGet:
        stack_.recall(reader_.read<uint32_t>());
        return true;
      default:
        return false;
    }
  }

  base::ByteReader reader_;
  base::Bytes bytes_;
  std::span<const std::string_view> globals_;
  const std::string& source_;
  PickleStack stack_;
};

}  // namespace

const PickleValue* find_item(const PickleValue& dict, std::string_view name) {
  const PickleValue* found = nullptr;
  if (dict.kind != Kind::Dict) return found;
  for (size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& key = *dict.items[i];
    if (key.kind == Kind::Text && key.text == name) found = dict.items[i + 1];
  }
  return found;
}

Pickle read_pickle(base::Bytes bytes, std::span<const std::string_view> globals,
                   const std::string& source) {
  return Machine(bytes, globals, source).run();
}

}  // namespace whinchat::weights
