#include "cli/description/manual.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/description/command_tree.h"

namespace whinchat::cli {
namespace {

// What no option says. {0} is the program.
constexpr const char* kRest = R"(.SH EXIT STATUS
.TP
0
Everything was done.
.TP
1
Something failed; the other files were still transcribed.
.TP
2
The command line is wrong.
.TP
130, 143
Ctrl\-C or SIGTERM ended it after the window in hand; what was decoded is written.
.SH ENVIRONMENT
.TP
.B WHINCHAT_CACHE
The folder of models and of all else that is kept between runs; otherwise
.IR $XDG_CACHE_HOME/whinchat ,
otherwise
.IR \(ti/.cache/whinchat .
.TP
.BR HF_HOME ", " HF_HUB_CACHE ", " HF_ENDPOINT ", " HF_TOKEN ", " HF_HUB_OFFLINE
Where models that are named lie and come from, as other programs of the hub read them.
.TP
.B WHINCHAT_MAX_ISA
The best instruction set to use:
.BR portable ", " sse4 ", " avx2 ", " avx512 ", " avx512_vnni ", " avx512_bf16 " or " amx .
.SH OTHER PROGRAMS
The options of openai\-whisper, mlx\-whisper, whisper\-ctranslate2 and whisper.cpp are understood by
.BR "{0} transcribe" ;
.B {0} names
prints what each is here.
.SH EXAMPLES
.EX
{0} transcribe talk.mp3 > talk.txt
{0} transcribe -f json -o transcripts *.mp4
{0} model pull large\-v3\-turbo
ffmpeg -i rtsp://camera -f wav - | {0} transcribe -
.EE
)";

std::string escaped(const std::string& text) {
  return base::replaced(base::replaced(text, "\\", "\\e"), "-", "\\-");
}

// A line of text: a leading dot or quote would be a command.
std::string line(const std::string& text) {
  const bool is_command = text.starts_with('.') || text.starts_with('\'');
  return (is_command ? "\\&" : "") + escaped(text) + "\n";
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string heading(const Argument& argument) {
  if (argument.is_positional) return italic(argument.names.back());
  std::vector<std::string> names;
  std::ranges::transform(argument.names, std::back_inserter(names), bold);
  const std::string value = argument.value.empty() ? "" : " " + italic(argument.value);
  return base::join(names, ", ") + value;
}

std::string entry(const Argument& argument) {
  std::string text = argument.description;
  if (!argument.default_value.empty()) text += "; default: " + argument.default_value;
  return ".TP\n" + heading(argument) + "\n" + line(text);
}

std::string entries(const Command& command) {
  std::string text;
  for (const Argument& argument : command.arguments) text += entry(argument);
  return text;
}

std::string synopsis(const Command& command) {
  std::string text = bold(command.path) + " [" + italic("option") + " ...]";
  for (const Argument& argument : command.arguments) {
    if (!argument.is_positional) continue;
    std::string word = italic(argument.value);
    if (argument.takes_many) word += " ...";
    text += argument.is_required ? " " + word : " [" + word + "]";
  }
  return text;
}

}  // namespace

std::string manual(const Command& program, const std::string& version) {
  const std::vector<const Command*> commands = with_subcommands(program);
  std::string page =
      fmt::format(".TH WHINCHAT 1 \"\" \"whinchat {}\" \"User Commands\"\n", version);
  page += ".SH NAME\n" + escaped(program.name) + " \\- speech to text\n.SH SYNOPSIS\n.nf\n";
  for (const Command* command : commands) {
    if (command->commands.empty()) page += synopsis(*command) + "\n";
  }
  page += ".fi\n.SH DESCRIPTION\n" + line(program.description) + ".SH OPTIONS\n" + entries(program);
  page += ".SH COMMANDS\n";
  for (const Command* command : commands) {
    if (command == &program) continue;
    page += ".SS " + escaped(command->path) + "\n" + line(command->description + ".");
    page += entries(*command);
  }
  return page + fmt::format(kRest, program.name);
}

std::function<int()> add_manual(CLI::App& app) {
  app.add_subcommand("man", "Print the manual page, for man -l -");
  return [&app] {
    std::cout << manual(command_tree(app), WHINCHAT_VERSION);
    return 0;
  };
}

}  // namespace whinchat::cli
