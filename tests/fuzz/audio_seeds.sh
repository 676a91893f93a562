#!/bin/sh
# Writes the seeds of the targets wav and container into tests/fuzz/corpus, with the command ffmpeg.
# usage: audio_seeds.sh        A tenth of a second of a tone (or a little more) in each format.
set -eu
cd "$(dirname "$0")/corpus"
mkdir -p wav container

# make SECONDS RATE CHANNELS OUTPUT OPTIONS…
make() {
  source="aevalsrc=exprs=$(tone "$3"):s=$2:d=$1"
  output=$4
  shift 4
  ffmpeg -nostdin -v error -y -f lavfi -i "$source" -fflags +bitexact -flags +bitexact \
    -map_metadata -1 "$@" "$output"
}
tone() { [ "$1" = 1 ] && echo '0.4*sin(2764*t)' || echo '0.4*sin(2764*t)|0.2*sin(5529*t)'; }

make 0.02 16000 1 wav/s16.wav -c:a pcm_s16le
make 0.02 44100 2 wav/s24_stereo.wav -c:a pcm_s24le
make 0.02 8000 1 wav/u8.wav -c:a pcm_u8
make 0.02 48000 1 wav/s32.wav -c:a pcm_s32le
make 0.02 22050 2 wav/f32_stereo.wav -c:a pcm_f32le
make 0.02 16000 1 wav/f64.wav -c:a pcm_f64le
make 0.02 16000 1 wav/rf64.wav -c:a pcm_s16le -rf64 always
make 0.02 16000 1 - -c:a pcm_s16le -f wav | cat >wav/streamed.wav
make 0.02 16000 1 wav/mulaw.wav -c:a pcm_mulaw

make 0.2 16000 1 container/tone.flac -c:a flac
make 0.3 16000 1 container/tone.mp3 -c:a libmp3lame -b:a 32k
make 0.1 16000 1 container/tone.ogg -c:a flac
make 0.3 48000 1 container/tone.opus -c:a libopus -b:a 24k
make 0.2 44100 1 container/tone.m4a -c:a aac -b:a 32k
make 0.2 44100 2 container/first.mp4 -c:a aac -b:a 32k -movflags +faststart
make 0.2 48000 1 container/tone.webm -c:a libopus -b:a 24k
make 0.1 16000 1 container/tone.aiff
make 0.2 44100 1 container/tone.aac -c:a aac -b:a 32k
make 0.1 16000 1 container/adpcm.wav -c:a adpcm_ms
make 0.1 44100 2 container/tone.wma -c:a wmav2 -b:a 32k
make 0.2 44100 1 container/tone.ts -c:a aac -b:a 32k
ffmpeg -nostdin -v error -y -f lavfi -i color=size=16x16:rate=5:duration=0.4 \
  -f lavfi -i "aevalsrc=exprs=0.4*sin(2764*t):s=16000:d=0.2" -fflags +bitexact -flags +bitexact \
  -map_metadata -1 -c:v mpeg4 -c:a libmp3lame container/video.mkv
