#include "cli/description/command_tree.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <vector>

#include "cli/description/completion.h"
#include "cli/description/manual.h"
#include "cli/options/choice.h"
#include "whinchat/option_values.h"

namespace whinchat::cli {
namespace {

enum class Colour { Red, Green };

constexpr auto kColours =
    std::to_array<Named<Colour>>({{"red", Colour::Red}, {"green", Colour::Green}});

// A program with a command below a command, and one that is hidden.
class CommandTree : public testing::Test {
 protected:
  CommandTree() {
    CLI::App* paint = app_.add_subcommand("paint", "Paint it's walls");
    CLI::App* wall = paint->add_subcommand("wall", "'One' \\ wall");
    add_choice(*wall, "-c,--colour", colour_, kColours, "Of [the] wall: all");
    wall->add_option("FOLDER", folders_, "Where")->type_name("")->required();
    wall->add_flag("--wet", wet_, ".leading dot");
    app_.add_subcommand("secret", "Not shown")->group("");
  }

  CLI::App app_{"Paints.", "painter"};
  Colour colour_ = Colour::Red;
  std::vector<std::string> folders_;
  bool wet_ = false;
};

TEST_F(CommandTree, HoldsWhatHelpShows) {
  const Command top = command_tree(app_);
  ASSERT_EQ(names_of(top.commands), std::vector<std::string>{"paint"});
  const Command& wall = top.commands[0].commands.at(0);
  EXPECT_EQ(wall.path, "painter paint wall");
  ASSERT_EQ(wall.arguments.size(), 4);
  const Argument& colour = wall.arguments[1];
  EXPECT_EQ(colour.names, (std::vector<std::string>{"-c", "--colour"}));
  EXPECT_EQ(colour.value, "red|green");
  EXPECT_EQ(choices(colour), (std::vector<std::string>{"red", "green"}));
  EXPECT_FALSE(colour.is_positional);
  const Argument* folder = positional(wall);
  ASSERT_NE(folder, nullptr);
  EXPECT_TRUE(takes_folders(*folder) && folder->is_required && folder->takes_many);
  EXPECT_EQ(wall.arguments[3].value, "");
  EXPECT_EQ(positional(top), nullptr);
}

TEST_F(CommandTree, ReadsAChoiceInAnyCase) {
  app_.parse("paint wall --colour GREEN here");
  EXPECT_EQ(colour_, Colour::Green);
  EXPECT_THROW(app_.parse("paint wall --colour blue here"), CLI::ValidationError);
}

TEST_F(CommandTree, BecomesAPageWhoseTextIsNoCommand) {
  const std::string page = manual(command_tree(app_), "1.2");
  EXPECT_TRUE(page.starts_with(".TH WHINCHAT 1 \"\" \"whinchat 1.2\" ")) << page;
  EXPECT_NE(page.find("\n\\fB\\-c\\fR, \\fB\\-\\-colour\\fR \\fIred|green\\fR\n"),
            std::string::npos);
  EXPECT_NE(page.find("\n\\&.leading dot\n"), std::string::npos);
  EXPECT_NE(page.find("\n\\&'One' \\e wall.\n"), std::string::npos);
  EXPECT_NE(page.find("\\fBpainter paint wall\\fR [\\fIoption\\fR ...] \\fIFOLDER\\fR ...\n"),
            std::string::npos);
  EXPECT_EQ(page.find("secret"), std::string::npos);
}

TEST_F(CommandTree, BecomesCompletionOfCommandsBelowCommands) {
  const Command top = command_tree(app_);
  const std::string bash = bash_completion(top);
  EXPECT_NE(bash.find("'painter paint') options='-h --help' words='wall' files=no"),
            std::string::npos);
  EXPECT_NE(bash.find("'painter paint wall -c' | 'painter paint wall --colour') "),
            std::string::npos);
  EXPECT_NE(bash.find("words='' files=no files=folders"), std::string::npos);
  const std::string zsh = zsh_completion(top);
  EXPECT_NE(zsh.find("wall) _painter_paint_wall && result=0"), std::string::npos);
  EXPECT_NE(zsh.find("'(-c --colour)-c+[Of \\[the\\] wall\\: all]:red|green:(red green)'"),
            std::string::npos);
  const std::string fish = fish_completion(top);
  EXPECT_NE(
      fish.find("'__fish_seen_subcommand_from paint; and not __fish_seen_subcommand_from wall' "
                "-a wall -d ''\\''One'\\'' \\ wall'"),
      std::string::npos);
}

}  // namespace
}  // namespace whinchat::cli
