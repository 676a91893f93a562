# Sourced by dev: ./dev doctor says what is missing or odd. It changes nothing and needs nothing but a
# bare system's own commands. Status 1 when something is missing; what is odd works all the same.

# The machine's own files; a test has a folder that stands for them.
machine=${WHINCHAT_DOCTOR_MACHINE:-}

doctor() {
  [ $# -eq 0 ] || usage "dev doctor: expected nothing more, got '$1'."
  is_missing=no
  doctor_system
  doctor_memory
  doctor_cores
  doctor_tools
  doctor_cache
  doctor_disk
  doctor_build
  doctor_variables
  doctor_installed
  [ "$is_missing" = no ]
}

# finding ok|odd|missing WHAT SENTENCE
finding() {
  printf '%-8s %-18s %s\n' "$1" "$2" "$3"
  [ "$1" != missing ] || is_missing=yes
}

doctor_system() {
  words=$(check_platform 2>&1) || { finding missing system "${words#set-up: }"; return 0; }
  finding ok system "${words:-$(uname -s) on $(uname -m), $(getconf GNU_LIBC_VERSION 2>/dev/null || echo "no glibc")}"
  [ -r "$machine/proc/cpuinfo" ] || return 0
  flags=" $(sed -n 's/^flags[^:]*: //p;/^flags/q' "$machine/proc/cpuinfo") "
  name=$(sed -n 's/^model name[^:]*: //p' "$machine/proc/cpuinfo" | head -n 1)
  has=
  for feature in avx2 avx512f avx512_vnni avx512_bf16 amx_bf16; do
    case $flags in *" $feature "*) has="$has $feature" ;; esac
  done
  case $has in
    *avx2*) finding ok processor "$name:$has" ;;
    *) finding odd processor "$name: without avx2, so products are slow" ;;
  esac
}

# kilobytes NAME: of /proc/meminfo.
kilobytes() { sed -n "s/^$1: *\([0-9]*\) kB/\1/p" "$machine/proc/meminfo" 2>/dev/null; }

# group_limit FILE FILE1: what the control group allows, by cgroup 2's file or cgroup 1's.
group_limit() {
  for file in "$machine/sys/fs/cgroup/$1" "$machine/sys/fs/cgroup/$2"; do
    [ ! -r "$file" ] || { cat "$file"; return; }
  done
}

doctor_memory() {
  total=$(kilobytes MemTotal)
  free=$(kilobytes MemAvailable)
  [ -n "$total" ] || return 0
  words="$((total / 1024)) MB, $((free / 1024)) MB of them free"
  limit=$(group_limit memory.max memory/memory.limit_in_bytes)
  case $limit in
    '' | *[!0-9]*) ;;
    *)
      if [ "${#limit}" -lt 16 ] && [ $((limit / 1024)) -lt "$total" ]; then
        words="$words; the control group allows $((limit / 1048576)) MB"
        [ $((limit / 1024)) -ge "$free" ] || free=$((limit / 1024))
      fi
      ;;
  esac
  # A compilation was measured to take up to 430 MB.
  if [ "$free" -lt $((430 * 1024 * $(nproc))) ]; then
    finding odd memory "$words: one compilation a core may not fit; ninja -C build/release -j1 builds with less"
  else
    finding ok memory "$words"
  fi
}

doctor_cores() {
  usable=$(nproc 2>/dev/null || echo 1)
  online=$(grep -c ^processor "$machine/proc/cpuinfo" 2>/dev/null || echo "$usable")
  words="$usable usable of $online"
  # Microseconds of processor time in a period, and the period.
  # shellcheck disable=SC2046 # words
  set -- $(group_limit cpu.max cpu/cpu.cfs_quota_us) $(cat "$machine/sys/fs/cgroup/cpu/cpu.cfs_period_us" 2>/dev/null || :)
  quota=${1:-} period=${2:-}
  case $quota$period in
    '' | *[!0-9]*) finding ok cores "$words" ;;
    *)
      allowed=$((quota / period))
      if [ "$allowed" -lt "$usable" ]; then
        finding odd cores "$words, but the control group allows the time of $quota/$period: call with --threads $((allowed > 0 ? allowed : 1))"
      else
        finding ok cores "$words"
      fi
      ;;
  esac
}

# The first line that a tool says of its version.
version_of() {
  said=$("$@" --version 2>/dev/null </dev/null | head -n 1)
  printf "%s\n" "${said:-of no known version}"
}

doctor_tools() {
  for tool in c++ cmake ninja cargo; do
    if command -v "$tool" >/dev/null 2>&1; then
      finding ok "$tool" "$(version_of "$tool")"
    else
      finding missing "$tool" "./dev run installs it, after asking"
    fi
  done
  groups=build
  command -v cargo >/dev/null 2>&1 && ! has_recent_cargo &&
    finding missing cargo "1.85 or later: ./dev run installs Debian's cargo-web, after asking"
  has_recent_cargo || groups="build rust"
  if pip=$(find_python); then
    finding ok pip "$(version_of "$pip" -m pip)"
  else
    finding missing pip "python3 with pip fetches wheels: ./dev run installs it, after asking"
  fi
  if command -v dpkg-query >/dev/null 2>&1; then
    # shellcheck disable=SC2086 # a list of words
    packages=$(missing_packages $groups)
    if [ -z "$packages" ]; then
      finding ok packages "all that tools/debian.txt lists for a build"
    else
      finding missing packages "${packages# }: ./dev run installs them, after asking"
    fi
  else
    finding odd packages "no dpkg here: see tools/debian.txt for what a build needs"
  fi
}

# The folder itself, or the nearest one above it that is there.
existing() {
  folder=$1
  while [ ! -d "$folder" ]; do folder=$(dirname "$folder"); done
  printf '%s\n' "$folder"
}

doctor_cache() {
  if [ ! -w "$(existing "$cache")" ]; then
    finding missing cache "$cache cannot be written: see who may, or set WHINCHAT_CACHE"
  elif [ ! -d "$cache" ]; then
    finding missing cache "$cache is not there yet: ./dev run fills it"
  else
    finding ok cache "$cache, $(du -sh "$cache" 2>/dev/null | cut -f 1)"
  fi
  places=$(sed -n 's/^\[\(.*\)\]$/\1/p' "$root/tools/pins.ini")
  for place in $places; do
    section=$(sed -n "\|^\[$place\]\$|,/^\$/p" "$root/tools/pins.ini")
    case $section in
      *'system = darwin'* | *'crate = '*) continue ;;
    esac
    printf '%s\n' "$section" | grep -q '^for = .*run' || continue
    # A stamp holds the sums of the pins; both are compared as sets.
    stamp=$cache/stamps/$(printf '%s' "$place" | tr / -)
    if [ ! -d "$cache/$place" ] || [ ! -f "$stamp" ]; then
      finding missing "$place" "not fetched yet: ./dev run fetches it"
    elif [ "$(sums <"$stamp")" != "$(printf '%s\n' "$section" | sums)" ]; then
      finding missing "$place" "fetched by other pins than tools/pins.ini's: ./dev run fetches it again"
    else
      finding ok "$place" "as pinned"
    fi
  done
}

sums() { grep -oE '[0-9a-f]{64}' | sort | tr '\n' ' '; }

doctor_disk() {
  for folder in "$root" "$cache"; do
    free=$(df -Pk "$(existing "$folder")" | sed -n '2s/^[^ ]* *[0-9]* *[0-9]* *\([0-9]*\).*/\1/p')
    words="$((free / 1024)) MB free for $folder"
    # A build was measured to take 670 MB, what it fetches 600 MB.
    if [ "$free" -lt $((1000 * 1024)) ]; then
      finding odd disk "$words: a first build may not fit"
    else
      finding ok disk "$words"
    fi
  done
}

doctor_build() {
  program=$build/bin/whinchat
  if [ ! -x "$program" ]; then
    finding missing build "not built yet: ./dev build"
  elif words=$("$program" --version 2>&1 </dev/null); then
    finding ok build "$(printf '%s' "$words" | tr '\n' ';' | sed 's/;/; /g')"
    case $words in
      *openblas*) ;;
      *) finding odd BLAS "this is not OpenBLAS, so --faithful refuses: is another one in LD_PRELOAD?" ;;
    esac
    if is_self_tested; then
      finding ok self-test "passed on this processor"
    else
      finding odd self-test "not run yet for this build and processor: ./dev run does"
    fi
  else
    finding missing build "it does not start: $(printf '%s\n' "$words" | tail -n 1)"
  fi
  alternative=$(readlink -f "/usr/lib/$(uname -m)-linux-gnu/libopenblas.so.0" 2>/dev/null || :)
  [ ! -f "$alternative" ] || finding ok alternatives "$alternative (whinchat takes openblas-openmp whatever this is)"
}

# What changes how whinchat or what it stands on behaves. Tokens are named, not shown.
doctor_variables() {
  any=no
  for name in $(env | sed -n 's/^\([A-Za-z_][A-Za-z_0-9]*\)=.*/\1/p' | sort -u); do
    case $name in
      WHINCHAT_CACHE | WHINCHAT_DOCTOR_*) continue ;; # the first is dev's own and has its line
      OMP_* | GOMP_* | OPENBLAS_* | ONEDNN_* | DNNL_* | LD_PRELOAD | LD_LIBRARY_PATH | HF_* | HUGGING* | WHINCHAT_*) ;;
      *) continue ;;
    esac
    eval "value=\${$name:-}"
    [ -n "$value" ] || continue
    case $name in *TOKEN*) value="(not shown)" ;; esac
    finding odd "$name" "is set: $value"
    any=yes
  done
  [ "$any" = yes ] || finding ok variables "none is set that changes results or speed"
}

doctor_installed() {
  program=$(command -v whinchat) || { finding ok installed "no whinchat on the PATH"; return 0; }
  version=$(sed -n 's/^project(whinchat VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  if ! words=$("$program" --version 2>&1 </dev/null); then
    finding odd installed "$program does not start: $(printf '%s\n' "$words" | tail -n 1)"
  elif [ "$(printf '%s\n' "$words" | head -n 1)" != "whinchat $version" ]; then
    finding odd installed "$program is $(printf '%s\n' "$words" | head -n 1), and this is $version"
  else
    finding ok installed "$program, $version"
  fi
}
