# Sourced by dev: ./dev install, and the tree that it and ./dev package write.

# stage FOLDER: what is installed, stripped, with the licences of what is linked into it.
stage() {
  build_targets bin/whinchat bin/whinchat-selftest lib/libwhinchat.so share
  self_test
  rm -rf "$1"
  cmake --install "$build" --prefix "$1" --strip </dev/null >"$build/install.log" 2>&1 || {
    cat "$build/install.log" >&2
    stop "install: cmake could not write $1; its words are above"
  }
  # The wheels' libraries come with their symbols.
  strip --strip-unneeded "$1"/lib/whinchat/mlx/lib/*.so
  licences=$1/share/doc/whinchat/licences
  mkdir -p "$licences"
  crate_licences "$licences/crates"
  # Of Debian's headers, what is compiled in.
  for headers in nlohmann-json3-dev libcli11-dev; do
    [ ! -f "/usr/share/doc/$headers/copyright" ] || cp "/usr/share/doc/$headers/copyright" "$licences/$headers"
  done
  chmod -R u+rwX,go+rX,go-w "$1"
}

# What rust/textcore's crates say of themselves, from where cargo unpacked them for the build.
crate_licences() {
  sed -n '/^name = /{s/.*"\(.*\)"/\1/;h;}; /^version = /{s/.*"\(.*\)"/\1/;H;x;s/\n/-/;p;}' \
    "$root/rust/textcore/Cargo.lock" | while read -r crate; do
    for file in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate"/LICEN[CS]E* \
      "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/"$crate"/COPYRIGHT*; do
      [ -f "$file" ] || continue
      mkdir -p "$1/$crate" && cp "$file" "$1/$crate/"
    done
  done
}

# install_command [--remove] [PREFIX]
install_command() {
  remove=no
  [ "${1:-}" != --remove ] || { remove=yes; shift; }
  prefix=${1:-}
  case $prefix in -*) usage "dev install: there is no option '$prefix'; ./dev install [--remove] [PREFIX]." ;; esac
  [ $# -le 1 ] || usage "dev install: expected one PREFIX, got $#."
  if [ -z "$prefix" ]; then
    prefix=$HOME/.local
    [ "$(id -u)" -ne 0 ] || prefix=/usr/local
  fi
  case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
  # What lies in PREFIX is ours when this list names it: one path a line, a folder's ends in /.
  manifest=$prefix/lib/whinchat/installed
  if [ "$remove" = yes ]; then
    [ -f "$manifest" ] || stop "install: $manifest is not there, so nothing in $prefix is known to be ours; nothing was removed"
    remove_installed
  else
    set_up run
    stage "$build/stage"
    install_stage "$build/stage"
  fi
}

# For a program that links the library: the loader's list of it.
tell_loader() {
  [ "$(id -u)" -ne 0 ] || [ "$prefix" != /usr/local ] || ldconfig
}

remove_installed() {
  listed=$(cat "$manifest")
  delete_listed "$listed"
  tell_loader
  [ ! -e "$manifest" ] || stop "install: $manifest could not be removed: see who may write there, and call again"
  say "install: removed $(printf '%s\n' "$listed" | grep -vc '/$') files from $prefix"
}

# delete_listed LINES: the files, then those of the folders that are empty.
delete_listed() {
  printf '%s\n' "$1" | LC_ALL=C sort -r | while IFS= read -r path; do
    case $path in
      /* | *..*) say "install: $manifest names $path, which is not below $prefix: left alone" ;;
      */) rmdir "$prefix/$path" 2>/dev/null || : ;;
      ?*) rm -f "$prefix/$path" || : ;;
    esac
  done
}

# install_stage FOLDER: copies it into PREFIX, if that overwrites nothing but ours.
install_stage() {
  old=$(cat "$manifest" 2>/dev/null || :)
  new=$(cd "$1" && { find . -type d | sed 's|$|/|'; find . ! -type d; echo ./lib/whinchat/installed; } |
    sed 's|^\./||; /^$/d' | sort)
  others=$(printf '%s\n' "$new" | grep -v '/$' | while IFS= read -r path; do
    { [ -e "$prefix/$path" ] || [ -L "$prefix/$path" ]; } || continue
    printf '%s\n' "$old" | grep -Fxq -- "$path" || printf ' %s' "$prefix/$path"
  done)
  [ -z "$others" ] || stop "install: not ours, and in the way:$others; nothing was written"
  # Folders that are there already are not ours, unless we made them before.
  new=$(printf '%s\n' "$new" | while IFS= read -r path; do
    case $path in */) [ ! -d "$prefix/$path" ] || printf '%s\n' "$old" | grep -Fxq -- "$path" || continue ;; esac
    printf '%s\n' "$path"
  done)
  if ! mkdir -p "$prefix/lib/whinchat" 2>/dev/null || [ ! -w "$prefix/lib/whinchat" ]; then
    stop "install: $prefix cannot be written: call it as root, or name another PREFIX: ./dev install PREFIX"
  fi
  # The list comes first: what a cut installation leaves can then be removed.
  printf '%s\n%s\n' "$old" "$new" | sed '/^$/d' | sort -u >"$manifest"
  copy_listed "$1" "$new"
  gone=$(printf '%s\n' "$old" | while IFS= read -r path; do
    printf '%s\n' "$new" | grep -Fxq -- "$path" || printf '%s\n' "$path"
  done)
  delete_listed "$gone"
  printf '%s\n' "$new" >"$manifest"
  tell_loader
  report_installed "$1"
}

# Each file under another name first: a program that runs keeps the file it started from.
copy_listed() {
  printf '%s\n' "$2" | while IFS= read -r path; do
    case $path in
      */) mkdir -p "$prefix/$path" ;;
      lib/whinchat/installed) ;;
      *) cp -P -p "$1/$path" "$prefix/$path.part" && mv -f "$prefix/$path.part" "$prefix/$path" ;;
    esac || stop "install: $prefix/$path could not be written: free some space or see who may write there, and call again"
  done || exit 1
}

report_installed() {
  words=$("$prefix/bin/whinchat" --version 2>&1 </dev/null) ||
    stop "install: the installed program does not start: $words"
  say "install: wrote $(du -shL "$1" | cut -f 1) to $prefix, as $manifest lists:"
  printf '%s\n' "$new" | grep -v '/$' |
    sed 's!^\(lib/whinchat\|include/whinchat\|share/doc/whinchat\)/.*!\1/!' | sort -u | sed 's/^/  /' >&2
  printf '%s\n' "$words" | sed 's/^/  /' >&2
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) say "install: $prefix/bin is not on the PATH" ;;
  esac
}
