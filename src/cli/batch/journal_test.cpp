#include "cli/batch/journal.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/journal_lines.h"
#include "whinchat/error.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;

JournalSettings some_settings() { return {{"--beam-size", "1"}, {"the model", "/models/tiny.en"}}; }

DoneInput talk(const std::string& name) {
  return {.path = "/talks/" + name,
          .size = 352'078,
          .mtime_ns = 1'764'499'541'123'456'789,
          .outputs = {{"/out/" + name + ".txt", 110}, {"/out/" + name + ".srt", 150}}};
}

std::string refusal_of(std::string_view text) {
  try {
    read_journal(text, "j");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(JournalLines, AreReadAsTheyWereWritten) {
  const std::string text =
      settings_line(some_settings()) + done_line(talk("a")) + done_line(talk("b\\"));
  const JournalText read = read_journal(text, "j");
  EXPECT_EQ(read.settings, some_settings());
  EXPECT_EQ(read.done, (std::vector{talk("a"), talk("b\\")}));
  EXPECT_EQ(read.whole_bytes, text.size());
}

TEST(JournalLines, MayEndAnywhere) {
  const std::string whole = settings_line(some_settings()) + done_line(talk("a"));
  const std::string text = whole + done_line(talk("b"));
  for (size_t size = 0; size < text.size(); ++size) {
    const JournalText read = read_journal(std::string_view(text).substr(0, size), "j");
    EXPECT_EQ(read.done.size(), size >= whole.size() ? 1 : 0) << size;
    EXPECT_LE(read.whole_bytes, size);
  }
  EXPECT_EQ(read_journal(whole + std::string(50, '\0') + "\n", "j").whole_bytes, whole.size());
}

TEST(JournalLines, AreRefusedByTheirNumberWhereTheyAreDamaged) {
  const std::string head = settings_line(some_settings());
  const std::string done = done_line(talk("a"));
  EXPECT_EQ(refusal_of(head + done + "{broken\n" + done),
            "j, line 3: expected JSON, got a syntax error at byte 2");
  EXPECT_EQ(refusal_of(head + "{broken\n" + "{torn"),
            "j, line 2: expected JSON, got a syntax error at byte 2");
  EXPECT_EQ(refusal_of(head + R"({"type":"heard"})" + "\n"),
            "j, line 2: expected a line of the type done, got heard");
  EXPECT_EQ(refusal_of(head + head), "j, line 2: expected a line of the type done, got journal");
  EXPECT_EQ(refusal_of(head + "[]\n"), "j, line 2: expected an object");
  EXPECT_EQ(refusal_of(head + R"({"type":"done","input":"a","size":1.5})" + "\n"),
            "j, line 2: the field size must be a whole number, got 1.5");
  EXPECT_EQ(
      refusal_of(head + R"({"type":"done","input":"a","size":1,"mtime_ns":1,"outputs":[]})" + "\n"),
      "j, line 2: the field outputs must be a list of files");
}

TEST(JournalLines, AreRefusedWhereTheyAreNone) {
  EXPECT_EQ(refusal_of("RIFF"), R"(j is no journal: expected {"type":"journal", at its beginning)");
  EXPECT_EQ(refusal_of(R"({"type":"journal","version":2})"
                       "\n"),
            "j, line 1: expected a journal of version 1, got version 2");
  EXPECT_EQ(refusal_of(R"({"type":"journal",broken)"
                       "\n"),
            "j, line 1: expected JSON, got a syntax error at byte 19");
}

class JournalFile : public testing::Test {
 protected:
  JournalFile() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~JournalFile() override { fs::remove_all(folder_); }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void write(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  std::string refusal_of(const JournalSettings& settings, ErrorKind kind) const {
    try {
      const Journal journal(path_, settings);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / "journal";
  const fs::path path_ = folder_ / "journal.jsonl";
};

TEST_F(JournalFile, HoldsWhatWasAddedTheLatestOfEach) {
  {
    Journal journal(path_, some_settings());
    EXPECT_FALSE(journal.holds(talk("a")));
    DoneInput older = talk("a");
    older.mtime_ns -= 1;
    journal.add(older);
    EXPECT_FALSE(journal.holds(talk("a")));
    journal.add(talk("a"));
    EXPECT_TRUE(journal.holds(talk("a")));
    EXPECT_FALSE(journal.holds(older));
  }
  const Journal again(path_, some_settings());
  EXPECT_TRUE(again.holds(talk("a")));
  EXPECT_FALSE(again.holds(talk("b")));
}

TEST_F(JournalFile, KnowsAnInputOrOutputThatIsNotAsItWas) {
  Journal journal(path_, some_settings());
  journal.add(talk("a"));
  DoneInput now = talk("a");
  now.size += 1;
  EXPECT_FALSE(journal.holds(now));
  now = talk("a");
  now.outputs[1].size = -1;
  EXPECT_FALSE(journal.holds(now));
  now = talk("a");
  now.outputs.pop_back();
  EXPECT_FALSE(journal.holds(now));
  now = talk("a");
  now.path = "/talks/other";
  EXPECT_FALSE(journal.holds(now));
}

TEST_F(JournalFile, CutsATornLineBeforeItGoesOn) {
  const std::string whole = settings_line(some_settings()) + done_line(talk("a"));
  write(path_, whole + R"({"type":"done","inp)" + std::string(1000, 'x'));
  Journal journal(path_, some_settings());
  EXPECT_TRUE(journal.holds(talk("a")));
  journal.add(talk("b"));
  EXPECT_EQ(content(path_), whole + done_line(talk("b")));
}

TEST_F(JournalFile, OfAnotherRunIsRefusedAndLeftAsItIs) {
  const std::string text = settings_line(some_settings()) + done_line(talk("a")) + "{torn";
  write(path_, text);
  const std::string start = "the journal " + path_.string() + " is of a run with ";
  JournalSettings other = some_settings();
  other["--beam-size"] = "5";
  EXPECT_EQ(refusal_of(other, ErrorKind::BadInput),
            start + "--beam-size 1; this one has --beam-size 5");
  other.erase("--beam-size");
  EXPECT_EQ(refusal_of(other, ErrorKind::BadInput),
            start + "--beam-size 1; this one has no --beam-size");
  other = some_settings();
  other["--task"] = "translate";
  EXPECT_EQ(refusal_of(other, ErrorKind::BadInput),
            start + "no --task; this one has --task translate");
  EXPECT_EQ(content(path_), text);
}

TEST_F(JournalFile, ThatHoldsNothingIsBegunAgain) {
  write(path_, settings_line({{"--beam-size", "5"}}) + "{torn");
  const Journal journal(path_, some_settings());
  EXPECT_EQ(content(path_), settings_line(some_settings()));
}

TEST_F(JournalFile, IsOfOneRunAtATime) {
  const Journal journal(path_, some_settings());
  EXPECT_EQ(refusal_of(some_settings(), ErrorKind::Busy),
            "the journal " + path_.string() + " is in use by another run");
}

TEST_F(JournalFile, IsNoFolderAndNoOtherFile) {
  write(path_, "my notes\n");
  EXPECT_NE(refusal_of(some_settings(), ErrorKind::BadInput).find(" is no journal: "),
            std::string::npos);
  EXPECT_EQ(content(path_), "my notes\n");
  EXPECT_THROW(Journal(folder_, some_settings()), Error);
  EXPECT_THROW(Journal(folder_ / "no" / "where", some_settings()), Error);
  EXPECT_THROW(Journal("/dev/null", some_settings()), Error);
}

TEST_F(JournalFile, SeesFilesAsTheyAreNow) {
  const fs::path input = folder_ / "a\\\xff.wav";
  write(input, "sound");
  write(folder_ / "a.txt", "words\n");
  const std::vector<fs::path> outputs{folder_ / "a.txt", folder_ / "a.srt"};
  const auto seen = look_at(input, outputs);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->path, (folder_ / R"(a\\\xff.wav)").string());
  EXPECT_EQ(seen->size, 5);
  EXPECT_GT(seen->mtime_ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(seen->outputs[0], (WrittenFile{outputs[0].string(), 6}));
  EXPECT_EQ(seen->outputs[1], (WrittenFile{outputs[1].string(), -1}));
  EXPECT_EQ(look_at(folder_, outputs), std::nullopt);
  EXPECT_EQ(look_at(folder_ / "missing", outputs), std::nullopt);
}

}  // namespace
}  // namespace whinchat::cli
