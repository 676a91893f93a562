#!/bin/sh
# ./dev prove fresh: a bare Debian 12, the committed clone in it, the README's first command: words.
# Then ./dev package there, the .deb in a second bare Debian and the tarball in a third: words again,
# without a network. The bare machine gets this one's way to the network (apt's sources and keys, pip's
# and cargo's configuration, certificates, proxies), and nothing else. Writes docs/proofs/fresh.md.
set -eu
cd "$(dirname "$0")/.."
. tools/bare_root.sh
. tools/fresh_packages.sh

command='./dev --yes run transcribe samples/jfk.wav'
expected='and so my fellow americans ask not what your country can do for you ask what you can do for your country'
record=docs/proofs/fresh.md

[ "$(id -u)" -eq 0 ] || stop "prove fresh: making a bare root and entering it takes root: call it as root"
command -v mmdebstrap >/dev/null 2>&1 || stop "prove fresh: mmdebstrap is missing: apt-get install mmdebstrap"
if [ -f README.md ]; then
  grep -q '\./dev.* run transcribe samples/jfk\.wav' README.md ||
    stop "prove fresh: the README does not show $command, so this would prove something else"
fi

folder=$(mktemp -d)
bare=$folder/root
trap 'rm -rf --one-file-system "$folder"' EXIT
trap 'exit 130' INT TERM
start=$(date +%s)
seconds() { echo $(($(date +%s) - start)); }
fold() { tr '[:upper:]\n' '[:lower:] ' | tr -d '[:punct:]' | tr -s ' ' | sed 's/^ //; s/ $//'; }

say "prove fresh: making a bare Debian 12…"
make_bare_root "$bare"
made=$(seconds)
say "prove fresh: bare root after $made s; $(in_bare_root "$bare" 'dpkg -l | grep -c ^ii') packages, no compiler, no cargo, no FFmpeg"
require_bare "$bare"
git clone --quiet --no-hardlinks . "$bare/srv/whinchat"
commit=$(git rev-parse --short HEAD)

say "prove fresh: $command"
start=$(date +%s)
in_bare_root "$bare" "cd /srv/whinchat && $command >/tmp/words; echo \$? >/tmp/status" 2>&1 |
  while IFS= read -r line; do
    printf '%4d s  %s\n' "$(seconds)" "$line" | tee -a "$folder/log" >&2
  done
first=$(seconds)
status=$(cat "$bare/tmp/status")
words=$(cat "$bare/tmp/words")
say "prove fresh: status $status after $first s: $words"
[ "$status" -eq 0 ] || stop "prove fresh: FAILED: the first command ended with status $status"
[ "$(printf '%s' "$words" | fold)" = "$expected" ] || stop "prove fresh: FAILED: those are not the words"

# What a second call costs before the program runs: ./dev run against the program itself, ten times.
timed() { in_bare_root "$bare" "cd /srv/whinchat && t=\$(date +%s%N) && for i in 1 2 3 4 5 6 7 8 9 10; do $1 --version >/dev/null || exit 1; done && echo \$(((\$(date +%s%N) - t) / 10000000))"; }
through_dev=$(timed './dev run')
alone=$(timed build/release/bin/whinchat)
added=$((through_dev - alone))
start=$(date +%s%N)
in_bare_root "$bare" "cd /srv/whinchat && $command" >"$folder/words" 2>"$folder/second" ||
  stop "prove fresh: FAILED: the second call failed: $(tail -n 1 "$folder/second")"
second=$((($(date +%s%N) - start) / 1000000))
[ "$(cat "$folder/words")" = "$words" ] || stop "prove fresh: FAILED: the second call has other words"
[ "$added" -lt 300 ] || stop "prove fresh: FAILED: the second call adds $added ms, more than 300"

make_packages
prove_deb
prove_tarball

mkdir -p docs/proofs
cat >"$record" <<END
# Fresh: words from a bare machine

A bare Debian 12 (mmdebstrap, minbase and ca-certificates: no compiler, no cargo, no FFmpeg, no pip),
the clone of $commit in it, one command. Written by \`./dev prove fresh\`.

- Date: $(date -u +%Y-%m-%d)
- Processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores
- Result: passed

\`\`\`
\$ $command
$words
\`\`\`

| what | seconds |
|---|---|
| the bare root itself | $made |
| the first call, from nothing to words | $first |
| the second call, whole | $((second / 1000)).$(printf %03d $((second % 1000))) |
| what \`./dev run\` adds to a second call before the program runs | 0.$(printf %03d "$added") |

The first call, each line at its second:
\`\`\`
$(grep -vE '  (\[[0-9]+/[0-9]+\]|ninja:)' "$folder/log")
\`\`\`

$(packages_record)
END
say "prove fresh: passed; $record says how"
