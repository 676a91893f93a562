# Sourced by dev: formatting, lint, include arrows, then (after a build, for the generated headers)
# clang-tidy. Every part runs; the status says whether all passed.

check() {
  all=no
  case ${1:-} in
    --all) all=yes ;;
    '') ;;
    *) usage "dev check: there is no option '$1'; ./dev check [--all]." ;;
  esac
  cd "$root" || exit 1
  # In CI's clone of main nothing differs from origin/main, so everything is read.
  if [ "${CI:-}" = true ] && [ "$(git rev-parse HEAD)" = "$(git rev-parse --verify --quiet origin/main)" ]; then
    all=yes
  fi
  failed=
  check_part "formatting of C++" check_format
  check_part "Python" check_python
  check_part "shell" check_shell
  check_part "include arrows" check_arrows
  check_part "Rust" check_rust
  build_targets all
  check_part "clang-tidy" check_tidy
  [ -z "$failed" ] || stop "check: failed:$failed"
  say "check: passed"
}

check_part() {
  say "check: $1"
  "$2" >&2 || failed="$failed $1;"
}

check_format() {
  git ls-files -z '*.h' '*.cpp' |
    xargs -0 "$cache/tools/clang_format/data/bin/clang-format" --dry-run -Werror || {
    say "check: this rewrites them: git ls-files -z '*.h' '*.cpp' | xargs -0 $cache/tools/clang_format/data/bin/clang-format -i"
    return 1
  }
}

check_python() {
  ruff=$(ls "$cache"/tools/ruff-*.data/scripts/ruff)
  python_folders=
  for folder in tools oracles tests bench; do
    [ ! -d "$folder" ] || python_folders="$python_folders $folder"
  done
  # shellcheck disable=SC2086 # a list of words
  "$ruff" check --quiet --no-cache --line-length 100 --select E,F,I,B,UP --target-version py39 $python_folders &&
    "$ruff" format --quiet --no-cache --line-length 100 --check --diff $python_folders
}

check_shell() {
  if command -v shellcheck >/dev/null 2>&1; then
    # shellcheck disable=SC2046
    shellcheck -x -s sh -e SC2154,SC2016 dev $(git ls-files 'tools/*.sh' 'tests/tools/*.sh' 'bench/*.sh')
  else
    say "check: shellcheck is not installed, so the shell was not checked"
  fi
}

check_arrows() {
  # The table is the rule, so a change of it is shown.
  git diff -U0 "$(diff_base)" -- docs/map.md | grep '^[+-].*→' || :
  python3 tools/arrows.py .
}

check_rust() {
  manifest=rust/textcore/Cargo.toml
  [ -f "$manifest" ] || return 0
  rust_status=0
  if cargo fmt --version >/dev/null 2>&1; then
    cargo fmt --manifest-path "$manifest" --check || rust_status=1
  else
    say "check: cargo has no fmt here, so the formatting of Rust was not checked"
  fi
  if cargo clippy --version >/dev/null 2>&1; then
    CARGO_TARGET_DIR=$root/build/clippy \
      WHINCHAT_VOCABULARIES=$cache/mlx-whisper-0.4.3/mlx_whisper/assets \
      cargo clippy --quiet --locked --all-targets --manifest-path "$manifest" -- -D warnings ||
      rust_status=1
  else
    say "check: cargo has no clippy here, so Rust was not linted"
  fi
  return "$rust_status"
}

# What the changes are measured from: where this branch left origin/main, else the last commit.
diff_base() {
  head=$(git rev-parse HEAD)
  base=$(git merge-base origin/main HEAD 2>/dev/null || :)
  if [ -z "$base" ] || [ "$base" = "$head" ]; then
    base=$(git rev-parse --verify --quiet HEAD~1 || echo "$head")
  fi
  echo "$base"
}

# One .cpp a line. A changed header is seen through the sources that include it.
tidy_files() {
  if [ "$all" = yes ]; then
    git ls-files '*.cpp'
    return
  fi
  { git diff --name-only --diff-filter=d "$(diff_base)" -- '*.cpp' '*.h'
    git ls-files --others --exclude-standard -- '*.cpp' '*.h'; } | sort -u | while read -r changed; do
    case $changed in
      *.cpp) echo "$changed" ;;
      *.h) git grep -lF "\"${changed#*/}\"" -- '*.cpp' || : ;;
    esac
  done | sort -u
}

check_tidy() {
  # Only what the build compiles can be read: the rest has no flags.
  tidy_files | while read -r file; do
    if grep -qF "\"$root/$file\"" "$build/compile_commands.json"; then echo "$file"; else
      say "check: $file is in no target of this build, so clang-tidy did not read it"
    fi
  done >"$build/tidy.files"
  say "check: clang-tidy reads $(wc -l <"$build/tidy.files") files"
  # MLX's dispatch takes std::bind, which libstdc++ 12 makes of what it deprecates.
  xargs -P 2 -n 1 "$cache/tools/clang_tidy/data/bin/clang-tidy" -p "$build" --quiet \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations \
    <"$build/tidy.files" 2>"$build/tidy.log" || {
    grep -E 'error|rror while' "$build/tidy.log" | head -n 20
    return 1
  }
}
