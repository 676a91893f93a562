#include "cli/files/inputs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/files/media_files.h"

namespace whinchat::cli {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

// A folder with recordings, other files, a folder in it, and a link back to itself.
class InputsTest : public testing::Test {
 protected:
  InputsTest() : folder_(fs::path(testing::TempDir()) / "inputs") {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "deep");
    fs::create_directories(folder_ / "empty");
    for (const char* name : {"b.mp3", "a.WAV", "notes.txt", "._b.mp3", "deep/c.mkv", "[x].ogg"}) {
      write(name, "text");
    }
    write("spoken", "RIFF....WAVEfmt ");
    fs::create_directory_symlink(folder_, folder_ / "deep" / "up");
  }
  ~InputsTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name) << content;
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  Names paths(const Names& names) const {
    Names paths;
    for (const std::string& name : names) paths.push_back(path(name));
    return paths;
  }

  fs::path folder_;
};

TEST_F(InputsTest, AFolderIsItsAudioAndVideoInOrder) {
  const Inputs found = find_inputs({.files = {folder_.string()}});
  EXPECT_EQ(found.files, paths({"[x].ogg", "a.WAV", "b.mp3", "spoken"}));
  EXPECT_EQ(found.passed_over, 1) << "notes.txt; a hidden file is not counted";
  EXPECT_TRUE(found.failures.empty());
}

TEST_F(InputsTest, RecursiveSearchesFoldersInItButFollowsNoLink) {
  const Inputs found = find_inputs({.files = {folder_.string()}, .recursive = true});
  EXPECT_EQ(found.files, paths({"[x].ogg", "a.WAV", "b.mp3", "deep/c.mkv", "spoken"}));
}

TEST_F(InputsTest, AFolderWithoutSoundIsAFailureAndTheOthersGoOn) {
  const Inputs found = find_inputs({.files = {path("empty"), path("b.mp3"), path("missing.mp3")}});
  EXPECT_EQ(found.files, paths({"b.mp3", "missing.mp3"})) << "opening says what is missing";
  ASSERT_EQ(found.failures.size(), 1);
  EXPECT_NE(found.failures[0].find("empty has no audio or video file"), std::string::npos);
}

TEST_F(InputsTest, APatternIsWhatAShellWouldMakeOfIt) {
  EXPECT_EQ(find_inputs({.files = {path("*.[mW]*")}}).files, paths({"a.WAV", "b.mp3"}));
  EXPECT_EQ(find_inputs({.files = {path("[x].ogg")}}).files, paths({"[x].ogg"})) << "it is a file";
  EXPECT_EQ(find_inputs({.files = {"[no"}}).files, Names{"[no"}) << "nor is this a pattern";
  const Inputs none = find_inputs({.files = {path("*.flac")}});
  EXPECT_TRUE(none.files.empty());
  EXPECT_EQ(none.failures, Names{"no file matches " + path("*.flac")});
}

TEST_F(InputsTest, AListHasANameALineAndComments) {
  write("list", "\xEF\xBB\xBF# talks\n" + path("b.mp3") + "\r\n\n" + path("*.WAV") + "\n@odd");
  const Names expected{path("b.mp3"), path("a.WAV"), "@odd"};
  EXPECT_EQ(find_inputs({.files = {"@" + path("list")}}).files, expected);
  EXPECT_EQ(find_inputs({.lists = {path("list")}}).files, expected);
  write("list", "# nothing\n");
  EXPECT_EQ(find_inputs({.lists = {path("list")}}).failures,
            Names{"the list " + path("list") + " names no file"});
  EXPECT_THROW(find_inputs({.lists = {path("missing")}}), Error);
  write("list", std::string("ID3\0", 4));
  EXPECT_THROW(find_inputs({.lists = {path("list")}}), Error) << "it is a recording";
}

TEST_F(InputsTest, StandardInputIsReadOnce) {
  EXPECT_EQ(find_inputs({.files = {"-"}}).files, Names{"-"});
  EXPECT_THROW(find_inputs({.files = {"-", "-"}}), Error);
}

TEST(MediaFiles, AreToldFromOthersByTheirFirstBytes) {
  using std::string_literals::operator""s;
  for (const std::string& start :
       {"OggS"s, "ID3\x04"s, "\xFF\xFB\x90"s, "\x1A\x45\xDF\xA3"s, "\0\0\0\x20"s + "ftypM4A "s,
        "RIFF\0\0\0\0AVI "s, "G" + std::string(187, ' ') + "G",
        "1234G" + std::string(191, ' ') + "G"}) {
    EXPECT_TRUE(begins_as_media(start)) << start;
  }
  for (const std::string& start : {""s, "G"s, "RIFF\0\0\0\0WEBP"s, "\0\0\0\x20"s + "ftypheic"s,
                                   "\xFF\xFEt\0e\0"s, "\xFF\xD8\xFF\xE0"s, "import { a } from"s}) {
    EXPECT_FALSE(begins_as_media(start)) << start;
  }
}

}  // namespace
}  // namespace whinchat::cli
