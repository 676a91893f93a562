# Sourced: a bare Debian 12 root that reaches the network as this machine does.

say() { printf '%s\n' "$*" >&2; }
stop() { say "$*"; exit 1; }

# Variables that say how this machine reaches package registries; those that are set go along.
network_variables='http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY
  SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE
  PIP_CERT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_DEFAULT_TIMEOUT PIP_CONFIG_FILE
  CARGO_HTTP_CAINFO CARGO_HTTP_PROXY CARGO_NET_GIT_FETCH_WITH_CLI'

# make_bare_root FOLDER
make_bare_root() {
  sources=$(grep -lr bookworm /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
    /etc/apt/sources.list.d/*.sources 2>/dev/null | tr '\n' ' ')
  [ -n "$sources" ] || stop "bare root: apt has no source for bookworm here: add one, so that its mirror can be used"
  options=$(mktemp)
  apt-config dump | grep '^Acquire::' >"$options" || :
  # shellcheck disable=SC2086 # a list of files
  mmdebstrap --quiet --variant=minbase --include=ca-certificates --aptopt="$options" \
    bookworm "$1" $sources || stop "bare root: mmdebstrap failed; its words are above"
  rm -f "$options"
  copy_network "$1"
}

copy_network() {
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf "$HOME/.config/pip/pip.conf" \
    "$HOME/.pip/pip.conf" "${CARGO_HOME:-$HOME/.cargo}/config.toml" /etc/ssl/certs/ca-certificates.crt; do
    copy_file "$file" "$1"
  done
  for name in $network_variables; do
    eval "value=\${$name:-}"
    # shellcheck disable=SC2154
    [ -z "$value" ] || copy_file "$value" "$1"
  done
}

# copy_file FILE ROOT: to the same place, or below the bare root's own home.
copy_file() {
  [ -f "$1" ] || return 0
  case $1 in
    "$HOME"/*) copied=$2/root/${1#"$HOME"/} ;;
    *) copied=$2$1 ;;
  esac
  mkdir -p "$(dirname "$copied")"
  cat "$1" >"$copied"
}

# in_bare_root FOLDER SCRIPT: as root, with an environment of its own and nothing of the host's but
# the way to the network; /proc and /dev are there for as long as the script runs.
in_bare_root() {
  bundle=${SSL_CERT_FILE:-${CURL_CA_BUNDLE:-}}
  set -- "$1" "$2" PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
  [ -z "$bundle" ] || set -- "$@" CARGO_HTTP_CAINFO="$bundle"
  for name in $network_variables; do
    eval "value=\${$name:-}"
    [ -z "$value" ] || set -- "$@" "$name=$value"
  done
  bare_folder=$1 bare_script=$2
  shift 2
  # shellcheck disable=SC2086 # one word or none
  unshare --mount ${bare_isolation:-} sh -c '
    mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 1
    folder=$1 script=$2
    shift 2
    exec env -i "$@" chroot "$folder" sh -c "$script"
  ' sh "$bare_folder" "$bare_script" "$@" </dev/null
}

# Without a network, and without a word about one.
offline_in_bare_root() (
  network_variables='' SSL_CERT_FILE='' CURL_CA_BUNDLE='' bare_isolation=--net
  in_bare_root "$@"
)
