#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace whinchat::cli {
namespace {

TEST(CommandLine, TakesUnderscoresForDashesInOptionNamesOnly) {
  EXPECT_EQ(normalized_option("--output_format=a_b"), "--output-format=a_b");
  EXPECT_EQ(normalized_option("--output_dir"), "--output-dir");
  EXPECT_EQ(normalized_option("my_talk.wav"), "my_talk.wav");
  EXPECT_EQ(normalized_option("-"), "-");
}

TEST(CommandLine, TakesTrueAndFalseAfterAFlagAsItsValue) {
  using Args = std::vector<std::string>;
  CLI::App app;
  CLI::App* command = app.add_subcommand("transcribe");
  bool flag = false;
  std::string value;
  command->add_flag("--word-timestamps", flag);
  command->add_option("--initial-prompt", value);
  EXPECT_EQ(with_joined_flags(app, {"--word-timestamps", "True", "a.wav"}),
            (Args{"--word-timestamps=True", "a.wav"}));
  EXPECT_EQ(with_joined_flags(app, {"--word-timestamps", "False"}),
            (Args{"--word-timestamps=False"}));
  for (const Args& plain : {Args{"--word-timestamps", "true.wav"}, Args{"--initial-prompt", "True"},
                            Args{"True", "False"}, Args{"--sing", "True"}}) {
    EXPECT_EQ(with_joined_flags(app, plain), plain);
  }
}

TEST(CommandLine, AnswersWrongUsageWithStatus2) {
  EXPECT_EQ(run({"whinchat"}), 2);
  EXPECT_EQ(run({"whinchat", "sing"}), 2);
  EXPECT_EQ(run({"whinchat", "transcribe"}), 2);
  EXPECT_EQ(run({"whinchat", "transcribe", "a.wav", "--task", "sing"}), 2);
  EXPECT_EQ(run({"whinchat", "transcribe", "a.wav", "--threads", "-1"}), 2);
  EXPECT_EQ(run({"whinchat", "transcribe", "a.wav", "--no-such-option"}), 2);
  EXPECT_EQ(run({"whinchat", "model"}), 2);
  EXPECT_EQ(run({"whinchat", "model", "sing"}), 2);
  EXPECT_EQ(run({"whinchat", "model", "pull"}), 2);
  EXPECT_EQ(run({"whinchat", "model", "list", "base"}), 2);
  EXPECT_EQ(run({"whinchat", "--help"}), 0);
  EXPECT_EQ(run({"whinchat", "transcribe", "--help"}), 0);
}

}  // namespace
}  // namespace whinchat::cli
