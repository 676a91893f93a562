#include "hub/model_name.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

namespace whinchat::hub {
namespace {

TEST(ModelName, TakesARepositoryWithOrWithoutARevision) {
  const auto plain = parse_repository("openai/whisper-tiny.en");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->id, "openai/whisper-tiny.en");
  EXPECT_EQ(plain->revision, "main");
  const auto branch = parse_repository("a/b@refs/pr/1");
  ASSERT_TRUE(branch);
  EXPECT_EQ(branch->id, "a/b");
  EXPECT_EQ(branch->revision, "refs/pr/1");
}

TEST(ModelName, RefusesWhatWouldLeadOutOfTheCache) {
  for (const std::string_view text :
       {"",      "tiny",  "/",      "a/",    "/b",       "a/b/c",  "../b",   "a/..",
        "./b",   "a/.",   ".a/b",   "a/b@",  "a/b@../x", "a/b@/x", "a/b@x/", "a/b@x//y",
        "a b/c", "a/b\n", "a--b/c", "a/b?c", "a/b@x y",  "a\\b/c"}) {
    EXPECT_FALSE(parse_repository(text)) << text;
  }
}

TEST(ModelName, GivesEveryShortNameRepositories) {
  std::set<std::string_view> ids;
  int parameters = 0;
  for (const KnownModel& model : known_models()) {
    EXPECT_GE(model.million_parameters, parameters) << model.name << ": smallest first";
    parameters = model.million_parameters;
    EXPECT_FALSE(parse_repository(model.name)) << model.name;
    for (const std::string_view id : model.repositories) {
      EXPECT_TRUE(parse_repository(id)) << id;
      EXPECT_TRUE(ids.insert(id).second) << id << " stands for two models";
    }
  }
  EXPECT_EQ(candidate_repositories("tiny.en").front().id, "Systran/faster-whisper-tiny.en");
  EXPECT_EQ(candidate_repositories("turbo").front().id,
            candidate_repositories("large-v3-turbo").front().id);
  EXPECT_EQ(candidate_repositories("large").front().id, "Systran/faster-whisper-large-v3");
  EXPECT_TRUE(candidate_repositories("huge").empty());
}

TEST(ModelName, SuggestsTheNearestName) {
  EXPECT_EQ(nearest_known_name("tinyen"), "tiny.en");
  EXPECT_EQ(nearest_known_name("large-v4").substr(0, 7), "large-v");
  EXPECT_EQ(nearest_known_name("bsae"), "base");
  EXPECT_EQ(nearest_known_name("x"), "");
  EXPECT_EQ(nearest_known_name("wav2vec2-xlsr"), "");
  EXPECT_EQ(nearest_known_name(std::string(100'000, 'a')), "");
}

}  // namespace
}  // namespace whinchat::hub
