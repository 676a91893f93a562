#include "transcription/writers/profile.h"

#include <gtest/gtest.h>

#include <string>

#include "base/json.h"
#include "whinchat/transcription.h"

namespace whinchat::transcription {
namespace {

Profile profile() {
  return {.spans = {{.name = "embed", .start_s = 0, .duration_s = 0.001},
                    {.name = "mlp", .start_s = 0.1, .duration_s = 0.1, .flop = 8'000'000'000},
                    {.name = "mlp", .start_s = 0.2, .duration_s = 0.1, .read_bytes = 500'000'000}},
          .wall_s = 0.4,
          .resident_bytes = 123'400'000,
          .peak_resident_bytes = 200'600'000};
}

TEST(Profile, GivesTheRatesOfWhatWasCounted) {
  EXPECT_EQ(write_profile(profile()),
            "operation              calls         ms   share   GFLOP/s     GB/s\n"
            "mlp                        2      200.0   50.0%      40.0      2.5\n"
            "embed                      1        1.0    0.2%\n"
            "between operations                199.0   49.8%\n"
            "all                               400.0  100.0%\n"
            "memory: 123 MB, 201 MB at its peak\n");
}

TEST(Profile, SaysNothingOfMemoryThatIsNotKnown) {
  EXPECT_EQ(write_profile({}).find("memory"), std::string::npos);
}

TEST(Profile, TellsTraceViewersWhatAnOperationDid) {
  const base::Json trace = base::parse_json(write_chrome_trace(profile()), "trace");
  EXPECT_EQ(trace["traceEvents"][1]["args"]["flop"], 8'000'000'000);
  EXPECT_EQ(trace["traceEvents"][2]["args"]["read_bytes"], 500'000'000);
}

}  // namespace
}  // namespace whinchat::transcription
