# Sourced by dev: the machine, Debian's packages, Rust, then tools/setup for all that is fetched.

say() { printf '%s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

# set_up GROUP…: nothing but a few file tests when the same groups were set up before.
set_up() {
  setup_stamp=$root/build/setup.$(printf '%s' "$*" | tr ' ' -)
  setup_key=$({ echo "$cache"; cat "$root"/tools/*.txt "$root/tools/pins.ini" \
    "$root"/tools/setup/*.py "$root/rust/textcore/Cargo.lock" 2>/dev/null || :; } | cksum)
  # Debian's cargo serves a second call as it served the first: no question to it here.
  if [ -f "$setup_stamp" ] && [ "$(cat "$setup_stamp")" = "$setup_key" ] &&
    [ -f "$root/samples/jfk.wav" ] && [ -f "$cache/models/base/model.bin" ]; then
    return 0
  fi
  check_platform
  install_packages "$@"
  python=$(find_python) || stop "set-up: python3 has no pip: install Debian's python3-pip, and call the same command again"
  "$python" "$root/tools/setup" "$cache" "$@" </dev/null || exit 1
  mkdir -p "$root/build" || stop "set-up: $root/build cannot be made: see to it and call again"
  printf '%s\n' "$setup_key" >"$setup_stamp"
}

forget_setup() { rm -f "$root"/build/setup.*; }

check_platform() {
  system=$(uname -s)-$(uname -m)
  case $system in
    Linux-x86_64) ;;
    Darwin-arm64)
      say "set-up: macOS: this path was written and never run"
      return 0
      ;;
    *) stop "set-up: whinchat builds on x86_64 Linux, and this is $system: nothing was installed" ;;
  esac
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null || echo "none")
  version=${libc#glibc }
  major=${version%%.*}
  minor=${version#*.}
  minor=${minor%%.*}
  case $major$minor in *[!0-9]* | '') major=0 minor=0 ;; esac
  if [ "$major" -lt 2 ] || { [ "$major" -eq 2 ] && [ "$minor" -lt 35 ]; }; then
    stop "set-up: MLX's wheel needs glibc 2.35 or later, and this machine has $libc: use Debian 12, Ubuntu 22.04 or newer; nothing was installed"
  fi
}

# The first python3 that has pip: one on the PATH may lack what Debian's has.
find_python() {
  for candidate in python3 /usr/bin/python3; do
    "$candidate" -m pip --version >/dev/null 2>&1 && { echo "$candidate"; return 0; }
  done
  return 1
}

# rust/textcore's crates ask for 1.85.
has_recent_cargo() {
  cargo_version=$(cargo --version 2>/dev/null) || return 1
  cargo_version=${cargo_version#cargo }
  cargo_minor=${cargo_version#*.}
  cargo_minor=${cargo_minor%%.*}
  [ "${cargo_version%%.*}" -gt 1 ] || [ "$cargo_minor" -ge 85 ]
}

# rows COLUMN GROUP…: one column of tools/debian.txt.
rows() {
  column=$1
  shift
  sed '/^#/d; s/[[:space:]]*|[[:space:]]*/|/g' "$root/tools/debian.txt" | while IFS='|' read -r group package brew serves _; do
    case " $* " in *" $group "*) ;; *) continue ;; esac
    case $column in
      package) echo "$package $serves" ;;
      brew) [ "$brew" = - ] || echo "$brew" ;;
    esac
  done
}

# Prints which of the groups' packages are missing, on one line.
missing_packages() {
  rows package "$@" | while read -r package serves; do
    case $serves in
      command:*) command -v "${serves#command:}" >/dev/null 2>&1 && continue ;;
      module:pip) find_python >/dev/null && continue ;;
    esac
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=absent
    [ "$state" = installed ] || printf ' %s' "$package"
  done
}

install_packages() {
  groups=build
  has_recent_cargo || groups="$groups rust"
  for group in "$@"; do groups="$groups $group"; done
  if [ "$(uname -s)" = Darwin ]; then
    # shellcheck disable=SC2086 # a list of words
    say "set-up: if the build misses something, call: brew install $(rows brew $groups | tr '\n' ' ')"
    return 0
  fi
  command -v dpkg-query >/dev/null 2>&1 ||
    stop "set-up: this is no Debian-like system: install what tools/debian.txt lists is not automatic here, so use Debian 12 or newer"
  # shellcheck disable=SC2086
  missing=$(missing_packages $groups)
  [ -z "$missing" ] || apt_install "$missing"
}

# apt_install PACKAGES: prints the line, asks once, upgrades only when told to, and never removes.
apt_install() {
  sudo=
  [ "$(id -u)" -eq 0 ] || sudo="sudo "
  options="-y --no-install-recommends --no-upgrade --no-remove"
  say "set-up: packages are missing; this installs them:"
  say "  ${sudo}apt-get update && ${sudo}apt-get install $options$1"
  confirm
  [ -z "$sudo" ] || command -v sudo >/dev/null 2>&1 ||
    stop "set-up: there is no sudo here: call the line above as root, then the same command again"
  apt_log=$(mktemp) || stop "set-up: no temporary file can be made: free some space in ${TMPDIR:-/tmp} and call again"
  trap 'rm -f "$apt_log"' EXIT
  say "set-up: asking apt for its lists…"
  as_root apt-get update
  # Dependencies of a new package may ask for newer versions of installed ones: that is an upgrade.
  # shellcheck disable=SC2086
  upgraded=$(LC_ALL=C apt-get install -s $options $1 2>/dev/null | sed -n 's/^Inst \([^ ]*\) \[.*/\1/p' | tr '\n' ' ')
  upgraded=${upgraded% }
  [ -z "$upgraded" ] || [ "$upgrade" = yes ] ||
    stop "set-up: the missing packages ask for newer versions of installed ones ($upgraded), and set-up upgrades nothing by itself: call ./dev --upgrade …, or upgrade those yourself, then call the same command again"
  say "set-up: installing$1${upgraded:+, upgrading $upgraded}…"
  # shellcheck disable=SC2086
  as_root apt-get install $options $1
  rm -f "$apt_log"
  trap - EXIT
}

confirm() {
  [ "$ask" = yes ] || return 0
  if ! (: </dev/tty) 2>/dev/null; then
    stop "set-up: there is no terminal to ask on: call the line above yourself, or call ./dev --yes …"
  fi
  printf 'set-up: go on? [y/N] ' >&2
  read -r answer </dev/tty || answer=
  case $answer in
    y | Y | yes | Yes) ask=no ;;
    *) stop "set-up: nothing was installed" ;;
  esac
}

# as_root apt-get …: quiet unless it fails; then its own last error and what to do.
as_root() {
  if ${sudo:+sudo} env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" -o DPkg::Lock::Timeout=600 </dev/null >"$apt_log" 2>&1; then
    return 0
  fi
  words=$(sed -n 's/^E: //p' "$apt_log" | head -n 1)
  rm -f "$apt_log"
  case $words in
    *[Nn]'o space left'* | *'enough free space'*)
      stop "set-up: the disk is too full for the packages above ($words): free some space, and call the same command again" ;;
    *remove*)
      stop "set-up: the packages above cannot stand beside installed ones ($words), and set-up never removes: remove those yourself, and call the same command again" ;;
  esac
  stop "set-up: apt-get failed (its words: ${words:-none}): check the network and apt's sources, and call the same command again"
}
