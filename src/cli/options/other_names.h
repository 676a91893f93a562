// The options of other programs and what they are here: one table, by which a command line is
// translated and docs/coming-from.md is written.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace whinchat::cli {

enum class Takes {
  Nothing,
  Value,
  Switch,  // alone, or with True or False; False is as if it were not there
};

enum class Fate {
  Becomes,       // other arguments
  Already,       // it is so here in any case
  LeftOut,       // the words are the same without it: a sentence says so
  Refused,       // the words would not be those asked for: a sentence says what to do
  Input,         // a FILE
  FormatOrFile,  // a format here, a FILE there
  Format,        // a file in this format, beside the input unless a place is given
  OutputFile,    // a file's name without its extension; - is standard output
  Offset,        // where the clip begins, in ms
  Duration,      // how long it is, in ms
};

struct OtherName {
  std::string_view names;  // as they are typed, with spaces between
  Takes takes = Takes::Value;
  std::string_view when;  // for these values alone, with spaces between; empty: for any
  Fate fate = Fate::Becomes;
  std::string_view here;  // what it becomes: words with {} for the value; a format; or the sentence
};

// Of several rows with a name, the first that is for the value counts. Where none is, an option of
// that name here has its own meaning.
std::span<const OtherName> other_names();

// Whether `words`, with spaces between, hold this one.
bool has_word(std::string_view words, std::string_view word);

// The table for people, in Markdown.
std::string other_names_table();

}  // namespace whinchat::cli
