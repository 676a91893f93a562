# Sourced by dev: configure, build, self-test. All of it speaks on standard error.

# macOS takes another wheel of the same MLX (never run).
mlx_option() {
  [ "$(uname -s)" != Darwin ] || echo "-DWHINCHAT_MLX=metal"
}

configure() {
  # Another place, cache or Rust makes another configuration.
  configure_key="$root $cache $(cksum <"$root/CMakePresets.json") $(command -v cargo || :)"
  if [ -f "$build/build.ninja" ] && [ "$(cat "$build/configured" 2>/dev/null)" = "$configure_key" ]; then
    return 0
  fi
  say "build: configuring build/$preset…"
  mkdir -p "$build" || stop "build: $build cannot be made: see to it and call again"
  # shellcheck disable=SC2046 # one word or none
  (cd "$root" && cmake --fresh --preset "$preset" -DWHINCHAT_CACHE="$cache" $(mlx_option)) </dev/null >"$build/configure.log" 2>&1 || {
    cat "$build/configure.log" >&2
    forget_setup
    stop "build: cmake could not configure build/$preset; its words are above"
  }
  printf '%s\n' "$configure_key" >"$build/configured"
}

# build_targets NAME…: ninja's lines show, but for those that say there is nothing to do.
build_targets() {
  configure
  [ -f "$build/bin/whinchat" ] || say "build: compiling, which takes some minutes the first time…"
  nothing='^ninja: (Entering directory|no work to do)|Re-checking globbed directories'
  built=$({
    {
      code=0
      only_here ninja -C "$build" "$@" </dev/null 2>&1 3>&- || code=$?
      echo "$code" >&3
    } | grep --line-buffered -vE "$nothing" >&2 || :
  } 3>&1)
  [ "$built" -eq 0 ] || {
    forget_setup
    stop "build: the build failed; the first error above says where"
  }
}

# Two builds in one folder would write the same objects.
only_here() {
  if command -v flock >/dev/null 2>&1; then
    flock "$build/lock" "$@"
  else
    "$@"
  fi
}

# Once for each binary and processor: a BLAS older than the processor may compute wrong results.
self_test() {
  is_self_tested && return 0
  program=$build/bin/whinchat-selftest
  [ -x "$program" ] || return 0
  "$program" </dev/null >&2 || stop "build: the self-test failed, so its results cannot be trusted on this processor; the sentence above says why"
  processor >"$build/selftest"
}

is_self_tested() {
  stamp=$build/selftest
  [ -f "$stamp" ] && [ -x "$build/bin/whinchat-selftest" ] && [ "$(cat "$stamp")" = "$(processor)" ] &&
    [ -z "$(find "$build/bin/whinchat" "$build/bin/whinchat-selftest" -newer "$stamp")" ]
}

processor() {
  sed -n '/^model name/p; /^flags/{p;q;}' /proc/cpuinfo 2>/dev/null || sysctl -n machdep.cpu.brand_string
}
