#!/bin/sh
# ./dev prove leaks: fifty transcriptions in one process, of a WAV and an MP3 file by turns: with the
# address and leak sanitizers nothing is lost, and without them resident memory stays flat. Writes
# docs/proofs/leaks.md.
set -eu
cd "$(dirname "$0")/.."
root=$PWD
preset=release
build=$root/build/$preset
ask=no
upgrade=no
cache=$WHINCHAT_CACHE
. tools/setup.sh
. tools/build.sh

times=50
record=docs/proofs/leaks.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

set_up run test
build_targets bin/repeat bin/make_media
build/release/bin/make_media samples/jfk.wav "$folder"

# Optimised: in a debug build fifty transcriptions take hours.
sanitized=$root/build/leaks
cmake --preset dev -B "$sanitized" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DWHINCHAT_CACHE="$cache" >"$folder/configure.log" 2>&1 || {
  cat "$folder/configure.log" >&2
  stop "prove leaks: cmake could not configure build/leaks; its words are above"
}
ninja -C "$sanitized" bin/repeat >&2 || stop "prove leaks: the build failed"

# run_fifty PROGRAM: its words without the transcript, or the end.
run_fifty() {
  "$1" tiny.en $times samples/jfk.wav "$folder/talk.mp3" >"$folder/out" 2>"$folder/err" || {
    cat "$folder/out" "$folder/err" >&2
    stop "prove leaks: FAILED: $1"
  }
  tail -n 1 "$folder/out"
}

say "prove leaks: $times transcriptions"
flat=$(run_fifty build/release/bin/repeat)
say "$flat"
say "prove leaks: $times transcriptions with the sanitizers"
begin=$(date +%s)
ASAN_OPTIONS=detect_leaks=1 run_fifty "$sanitized/bin/repeat" >&2
took=$(($(date +%s) - begin))

mkdir -p docs/proofs
cat >"$record" <<END
# Leaks: fifty transcriptions in one process

$(date -u +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), commit $(git rev-parse --short HEAD).
Written by \`./dev prove leaks\`: samples/jfk.wav and the same speech as MP3 by turns, whisper-tiny.en.

| build | result |
|---|---|
| release | $flat |
| with AddressSanitizer and LeakSanitizer | no error and no leak in $times transcriptions ($took s) |
END
say "prove leaks: passed; $record says how"
