#include "cli/files/output_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

TEST(OutputNames, NeverCollide) {
  EXPECT_EQ(output_names({"a/talk.mp3", "b.wav"}, ".txt"), (Names{"talk.txt", "b.txt"}));
  EXPECT_EQ(output_names({"talk.mp3", "talk.wav"}, ".txt"),
            (Names{"talk.mp3.txt", "talk.wav.txt"}));
  EXPECT_EQ(output_names({"a/talk.mp3", "b/talk.mp3"}, ".json"),
            (Names{"talk.mp3.json", "talk.mp3-2.json"}));
  EXPECT_EQ(output_names({"Talk.mp3", "talk.wav"}, ".txt"),
            (Names{"Talk.mp3.txt", "talk.wav.txt"}));
  EXPECT_EQ(output_names({"a/TALK.mp3", "b/talk.mp3"}, ".txt"),
            (Names{"TALK.mp3.txt", "talk.mp3-2.txt"}));
  EXPECT_EQ(output_names({"x/a.mp3", "y/a.mp3", "a.mp3-2.wav"}, ".txt"),
            (Names{"a.mp3.txt", "a.mp3-2.txt", "a.mp3-2-2.txt"}));
  EXPECT_EQ(output_names({"-"}, ".txt"), (Names{"stdin.txt"}));
}

TEST(OutputStems, AreInTheFolderOrBesideTheInputOrAsNamed) {
  using Paths = std::vector<fs::path>;
  const Names inputs{"a/talk.mp3", "-"};
  EXPECT_EQ(output_stems(inputs, {.folder = "out"}), (Paths{"out/talk", "out/stdin"}));
  EXPECT_EQ(output_stems(inputs, {.is_beside = true}), (Paths{"a/talk.mp3", "stdin"}));
  EXPECT_EQ(output_stems(inputs, {.folder = "out", .names = {"x", "y"}}),
            (Paths{"out/x", "out/y"}));
  EXPECT_EQ(output_stems({"talk.mp3"}, {.names = {"new/x"}}), Paths{"new/x"});
  EXPECT_THROW(output_stems(inputs, {.names = {"x"}}), Error);
  EXPECT_THROW(output_stems(inputs, {.names = {"x", "x"}}), Error);
}

TEST(WriteFile, LeavesTheWholeFileAndNoPart) {
  const fs::path folder = fs::path(testing::TempDir()) / "output_files";
  make_folder(folder);
  write_file(folder / "talk.txt", "words\n");
  std::ifstream file(folder / "talk.txt");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "words\n");
  EXPECT_FALSE(fs::exists(folder / "talk.txt.part"));
  EXPECT_THROW(make_folder(folder / "talk.txt"), Error);
  EXPECT_THROW(write_file(folder / "missing" / "talk.txt", "x"), Error);
  make_folder(folder / "taken.txt" / "inside");
  EXPECT_THROW(write_file(folder / "taken.txt", "x"), Error);
  EXPECT_FALSE(fs::exists(folder / "taken.txt.part"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace whinchat::cli
