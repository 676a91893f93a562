# Sourced by prove_fresh.sh: what ./dev package makes, in bare roots of its own.

# require_bare FOLDER
require_bare() {
  in_bare_root "$1" 'for p in cc g++ cmake cargo ffmpeg pip python3 git whinchat; do ! command -v $p || exit 1; done' ||
    stop "prove fresh: the bare root is not bare: it holds the program above"
}

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
megabytes() { echo $((($(stat -c %s "$1") + 500000) / 1000000)); }

# In the first root, where the clone was built. The tests' recordings and their program in C serve too.
make_packages() {
  say "prove fresh: ./dev package"
  began=$(milliseconds)
  in_bare_root "$bare" 'cd /srv/whinchat && ./dev --yes package' >"$folder/package.log" 2>&1 || {
    cat "$folder/package.log" >&2
    stop "prove fresh: FAILED: ./dev package"
  }
  package_s=$((($(milliseconds) - began) / 1000))
  deb=$(echo "$bare"/srv/whinchat/build/package/whinchat_*_amd64.deb)
  tarball=$(echo "$bare"/srv/whinchat/build/package/whinchat-*.tar.gz)
  in_bare_root "$bare" 'cd /srv/whinchat && ninja -C build/release bin/make_media && mkdir /srv/media &&
    build/release/bin/make_media samples/jfk.wav /srv/media &&
    cc -o /srv/c_program tests/library/c_program.c -Iinclude -Lbuild/release/lib -lwhinchat' >"$folder/media.log" 2>&1 || {
    cat "$folder/media.log" >&2
    stop "prove fresh: FAILED: the recordings or the program in C could not be made"
  }
}

# other_root NAME FILE…: another bare root with these files, the sample and a model in /srv.
other_root() {
  root=$folder/$1
  shift
  make_bare_root "$root"
  require_bare "$root"
  cp "$@" "$bare/srv/whinchat/samples/jfk.wav" "$root/srv/"
  cp -R "$bare/root/.cache/whinchat/models/base" "$root/srv/model"
}

# require_words ROOT COMMAND: it prints the words, without a network.
require_words() {
  said=$(offline_in_bare_root "$1" "$2" 2>"$folder/err") ||
    stop "prove fresh: FAILED: $2: $(tail -n 1 "$folder/err")"
  [ "$(printf '%s' "$said" | fold)" = "$expected" ] || stop "prove fresh: FAILED: $2 says: $said"
}

prove_deb() {
  say "prove fresh: the .deb in a second bare root"
  other_root deb_root "$deb" "$bare/srv/c_program"
  before=$(in_bare_root "$root" 'dpkg -l | grep -c ^ii')
  began=$(milliseconds)
  in_bare_root "$root" 'apt-get update && cd /srv && apt-get install -y --no-install-recommends ./whinchat_*.deb' \
    >"$folder/apt.log" 2>&1 || {
    cat "$folder/apt.log" >&2
    stop "prove fresh: FAILED: the .deb could not be installed"
  }
  install_s=$((($(milliseconds) - began) / 1000))
  deb_packages=$(($(in_bare_root "$root" 'dpkg -l | grep -c ^ii') - before - 1))
  began=$(milliseconds)
  require_words "$root" 'whinchat transcribe --model /srv/model /srv/jfk.wav'
  deb_ms=$(($(milliseconds) - began))
  [ "$said" = "$words" ] || stop "prove fresh: FAILED: the installed program has other words: $said"
  offline_in_bare_root "$root" '/srv/c_program /srv/jfk.wav model /srv/model' >"$folder/c_words" 2>"$folder/err" ||
    stop "prove fresh: FAILED: the program in C: $(tail -n 1 "$folder/err")"
  [ "$(sed 's/^[0-9.]* [0-9.]* //' "$folder/c_words")" = "$words" ] ||
    stop "prove fresh: FAILED: the program in C has other words: $(cat "$folder/c_words")"
  in_bare_root "$root" 'gzip -t /usr/share/man/man1/whinchat.1.gz && bash -n /usr/share/bash-completion/completions/whinchat' ||
    stop "prove fresh: FAILED: the man page or the completion is not as it should be"
  prove_blas
  in_bare_root "$root" 'apt-get purge -y whinchat' >"$folder/apt.log" 2>&1 ||
    stop "prove fresh: FAILED: apt-get purge: $(tail -n 1 "$folder/apt.log")"
  left=$(in_bare_root "$root" 'find / -xdev -iname "*whinchat*" -not -path "/srv/*" -not -path "/proc/*"; ldconfig -p | grep whinchat; :')
  [ -z "$left" ] || stop "prove fresh: FAILED: purging the package leaves $left"
  rm -rf --one-file-system "$root"
}

# Debian's alternatives give programs the variant with threads of its own; whinchat keeps to the other.
prove_blas() {
  in_bare_root "$root" 'apt-get install -y --no-install-recommends libopenblas0-pthread &&
    update-alternatives --set libopenblas.so.0-x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0 &&
    ldconfig && readlink -f /usr/lib/x86_64-linux-gnu/libopenblas.so.0 | grep -q pthread' >"$folder/apt.log" 2>&1 ||
    stop "prove fresh: FAILED: no other OpenBLAS could be chosen: $(tail -n 1 "$folder/apt.log")"
  deb_blas=$(in_bare_root "$root" 'whinchat --version | sed -n "s/^BLAS //p"; readlink -f /usr/lib/whinchat/libopenblas.so.0' | tr '\n' ' ')
  case $deb_blas in
    *USE_OPENMP*openblas-openmp*) ;;
    *) stop "prove fresh: FAILED: another OpenBLAS is in use: $deb_blas" ;;
  esac
  deb_blas=$(echo "$deb_blas" | sed 's/ NO_LAPACKE.* (/ (/; s/ *$//')
  require_words "$root" 'whinchat transcribe --faithful --model /srv/model /srv/jfk.wav'
}

prove_tarball() {
  say "prove fresh: the tarball in a third bare root"
  other_root tarball_root "$tarball" "$bare/srv/media/talk.mp3" "$bare/srv/media/talk.flac"
  in_bare_root "$root" 'mkdir "/opt/a place" && cd "/opt/a place" && tar xzf /srv/whinchat-*.tar.gz &&
    mv whinchat-* "/opt/a place/moved here"' || stop "prove fresh: FAILED: the tarball could not be unpacked"
  unpacked_mb=$(du -sm "$root/opt" | cut -f 1)
  for file in jfk.wav talk.mp3 talk.flac; do
    require_words "$root" "'/opt/a place/moved here/bin/whinchat' transcribe --model /srv/model /srv/$file"
  done
  rm -rf --one-file-system "$root"
}

# What the record says of all this.
packages_record() {
  cat <<END_OF_RECORD
## Installed, without a network
\`./dev package\` in the same root; then two more bare roots, which get the sample and whisper-base as files. There the
program runs in a network namespace of its own, with no interface in it.

| what | |
|---|---|
| \`./dev package\` (the library, the man page, completions; the packages and their checks) | $package_s s |
| ${deb##*/} | $(megabytes "$deb") MB, with $deb_packages packages of Debian's that the root lacked |
| \`apt-get install ./${deb##*/}\` | $install_s s |
| the first transcription there | $deb_ms ms |
| a program in C that links the installed \`libwhinchat.so.0\` | the same words |
| with another OpenBLAS chosen by Debian's alternatives | BLAS: $deb_blas; \`--faithful\`: the same words |
| after \`apt-get purge\` | no file, folder or entry of the loader's is left |
| ${tarball##*/} | $(megabytes "$tarball") MB, unpacked $unpacked_mb MB |
| unpacked with nothing installed, into a folder with a space in its name, and moved | the same words of wav, mp3 and flac |
END_OF_RECORD
}
