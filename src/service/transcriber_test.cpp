#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "audio/audio_source.h"
#include "base/error.h"
#include "whinchat/formats.h"
#include "whinchat/transcription.h"

namespace whinchat {
namespace {

// The sample, heard by whisper-tiny.en; both are there once set-up has run.
class TranscriberTest : public testing::Test {
 public:
  static constexpr size_t kShortSamples = 16000;

 protected:
  static std::vector<float> sample() {
    return audio::read_all(*audio::open_audio(WHINCHAT_SAMPLE));
  }

  Transcriber transcriber_{{.model = "tiny.en"}};
};

std::string error_of(Transcriber& transcriber, const TranscribeCallbacks& callbacks) {
  try {
    transcriber.transcribe(std::vector<float>(16000, 0.0F), {}, callbacks);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(TranscriberTest, HearsTheSameInSamplesAsInTheirFile) {
  const Transcription of_samples = transcriber_.transcribe(sample(), {});
  const Transcription of_file = transcriber_.transcribe(WHINCHAT_SAMPLE, {});
  EXPECT_EQ(of_samples.text, of_file.text);
  EXPECT_NE(of_file.text.find("your country"), std::string::npos);
  EXPECT_DOUBLE_EQ(of_file.duration_s, 11.0);
  EXPECT_TRUE(of_file.warnings.empty());
}

TEST_F(TranscriberTest, HearsAStreamPieceByPiece) {
  std::vector<float> samples = sample();
  samples.insert(samples.end(), size_t{20} * 16000, 0.0F);
  const std::vector<float> again = sample();
  samples.insert(samples.end(), again.begin(), again.end());
  std::vector<std::string> texts;
  for (const size_t piece : {size_t{999}, size_t{16000}, samples.size()}) {
    TranscriptionStream stream = transcriber_.stream({.beam_size = 1});
    for (size_t begin = 0; begin < samples.size(); begin += piece) {
      stream.feed(std::span(samples).subspan(begin, std::min(piece, samples.size() - begin)));
    }
    texts.push_back(format_transcription(stream.finish(), Format::Json));
    EXPECT_THROW(stream.feed(samples), Error);
  }
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_EQ(texts[1], texts[2]);
  const size_t first = texts[0].find("your country");
  EXPECT_NE(texts[0].find("your country", first + 100), std::string::npos) << texts[0];
}

TEST_F(TranscriberTest, AStreamWaitsForNoMoreSpeechUnlessAWindowMayBeShared) {
  std::vector<float> samples = sample();
  samples.resize(samples.size() + 7UL * 16000);
  const auto heard_before_its_end = [&](std::optional<bool> share_windows) {
    int segments = 0;
    TranscribeCallbacks callbacks;
    callbacks.on_segment = [&](const Segment& /*segment*/) { ++segments; };
    const TranscribeOptions options{.share_windows = share_windows, .beam_size = 1};
    TranscriptionStream stream = transcriber_.stream(options, callbacks);
    stream.feed(samples);
    return segments;
  };
  EXPECT_GT(heard_before_its_end({}), 0);
  EXPECT_EQ(heard_before_its_end(true), 0);
}

TEST_F(TranscriberTest, AStreamOutlivesItsTranscriberAndIsCancelled) {
  std::optional<Transcriber> transcriber(std::in_place, ModelOptions{.model = "tiny.en"});
  TranscriptionStream stream = transcriber->stream({.beam_size = 1});
  transcriber.reset();
  stream.feed(sample());
  stream.cancel();
  stream.feed(sample());
  const Transcription result = stream.finish();
  EXPECT_TRUE(result.cancelled);
  EXPECT_DOUBLE_EQ(result.duration_s, 11.0);
}

TEST_F(TranscriberTest, FindsNothingInNoSamples) {
  const Transcription nothing = transcriber_.transcribe(std::span<const float>(), {});
  EXPECT_EQ(nothing.text, "");
  EXPECT_TRUE(nothing.segments.empty());
}

TEST_F(TranscriberTest, GivesAnErrorForWhatACallbackThrewAndGoesOn) {
  const auto thrower = [](double /*done_s*/, double /*total_s*/) {
    throw std::runtime_error("the caller gave up");
  };
  EXPECT_NE(error_of(transcriber_, {.on_progress = thrower}).find("gave up"), std::string::npos);
  EXPECT_EQ(error_of(transcriber_, {}), "");
}

TEST_F(TranscriberTest, EndsAfterTheWindowInHandWhenAskedToStop) {
  std::vector<float> three_windows;
  for (int i = 0; i < 6; ++i) {
    const std::vector<float> clip = sample();
    three_windows.insert(three_windows.end(), clip.begin(), clip.end());
  }
  std::stop_source stop;
  TranscribeCallbacks callbacks;
  callbacks.stop = stop.get_token();
  callbacks.on_segment = [&](const Segment& /*segment*/) { stop.request_stop(); };
  const TranscribeOptions once{.temperatures = {0.0}};  // it is repetitive
  const Transcription begun = transcriber_.transcribe(three_windows, once, callbacks);
  EXPECT_TRUE(begun.cancelled);
  EXPECT_NE(begun.text.find("your country"), std::string::npos);
  EXPECT_LE(begun.segments.back().end_s, 30);
  EXPECT_DOUBLE_EQ(begun.duration_s, 66.0);

  const Transcription nothing = transcriber_.transcribe(WHINCHAT_SAMPLE, {}, callbacks);
  EXPECT_TRUE(nothing.cancelled);
  EXPECT_TRUE(nothing.segments.empty());
  EXPECT_FALSE(transcriber_.transcribe(sample(), {}).cancelled);
}

TEST_F(TranscriberTest, ServesThreadsOneAfterAnother) {
  const std::vector<float> samples = sample();
  std::vector<std::string> texts(3);
  std::vector<std::thread> threads;
  threads.reserve(texts.size());
  for (std::string& text : texts) {
    threads.emplace_back([&] { text = transcriber_.transcribe(samples, {}).text; });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
  EXPECT_NE(texts[0], "");
}

// The most threads of this process while `callers` threads of its own transcribe at once, each with
// a model that is given to it in turn.
int most_threads(std::span<Transcriber* const> models, size_t callers) {
  const std::vector<float> samples(TranscriberTest::kShortSamples, 0.1F);
  std::atomic<int> most = 0;
  TranscribeCallbacks callbacks;
  callbacks.on_progress = [&](double /*done_s*/, double /*total_s*/) {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    most = std::max(most.load(), static_cast<int>(std::distance(begin(tasks), end(tasks))));
  };
  std::vector<std::thread> threads;
  threads.reserve(callers);
  std::barrier together(static_cast<std::ptrdiff_t>(callers));
  for (size_t i = 0; i < callers; ++i) {
    threads.emplace_back([&, model = models[i % models.size()]] {
      const TranscribeOptions quick{
          .audio_ctx = 50, .temperatures = {0.0}, .beam_size = 1, .max_new_tokens = 3};
      model->transcribe(samples, quick, callbacks);
      together.arrive_and_wait();  // so that every caller is there until the last one is served
    });
  }
  for (std::thread& thread : threads) thread.join();
  return most;
}

TEST_F(TranscriberTest, ManyRequestsOfSeveralModelsShareOneTeam) {
  Transcriber second({.model = "tiny.en", .threads = 2});
  Transcriber faithful({.model = "tiny.en", .faithful = true});
  const std::array models{&transcriber_, &second, &faithful};
  const int alone = most_threads(models, 3);
  EXPECT_GE(alone, 3 + 2);  // the callers, this thread, the engine's
  EXPECT_EQ(most_threads(models, 9) - alone, 9 - 3) << "only callers came";
}

TEST_F(TranscriberTest, ChecksOptionsBeforeAnyFile) {
  EXPECT_NO_THROW(transcriber_.check({.language = "English"}));
  EXPECT_THROW(transcriber_.check({.language = "German"}), Error);
  EXPECT_THROW(transcriber_.check({.language = "Germen"}), Error);
  EXPECT_THROW(transcriber_.check({.task = Task::Translate}), Error);
}

}  // namespace
}  // namespace whinchat
