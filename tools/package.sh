# Sourced by dev: ./dev package writes a .deb and a tarball of the release build into build/package.

package() {
  [ $# -eq 0 ] || usage "dev package: expected nothing more, got '$1'."
  version=$(sed -n 's/^project(whinchat VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
  out=$root/build/package
  deb=$out/whinchat_${version}_amd64.deb
  tarball=$out/whinchat-$version-linux-x86_64.tar.gz
  rm -rf "$out"
  stage "$out/stage"
  package_deb
  package_tarball
  rm -rf "$out/stage" "$out/deb" "$out/shlibdeps" "${tarball%.tar.gz}"
  say "package: $(du -h "$deb" | cut -f 1)  $deb"
  say "package: $(du -h "$tarball" | cut -f 1)  $tarball"
}

# The stage below /usr, as Debian has it: dependencies in place of copies, its OpenBLAS by a link.
package_deb() {
  say "package: writing ${deb##*/}…"
  tree=$out/deb
  mkdir -p "$tree/DEBIAN"
  cp -a "$out/stage" "$tree/usr"
  check_tree "$tree/usr"
  depends=$(deb_dependencies)
  ln -sfn "../x86_64-linux-gnu/openblas-openmp/libopenblas.so.0" "$tree/usr/lib/whinchat/libopenblas.so.0"
  mv "$tree/usr/share/zsh/site-functions" "$tree/usr/share/zsh/vendor-completions"
  maintainer="${DEBFULLNAME:-The whinchat maintainers} <${DEBEMAIL:-maintainers@whinchat.example}>"
  deb_documents
  deb_control
  echo "libwhinchat 0 whinchat (>= $version)" >"$tree/DEBIAN/shlibs"
  echo "activate-noawait ldconfig" >"$tree/DEBIAN/triggers"
  (cd "$tree" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
  chmod -R u+rwX,go+rX,go-w "$tree"
  dpkg-deb --root-owner-group --build "$tree" "$deb" >/dev/null || stop "package: dpkg-deb failed; its words are above"
}

# What Debian wants of /usr/share/doc and lintian of one package with program, library and headers.
deb_documents() {
  doc=$tree/usr/share/doc/whinchat
  {
    cat "$doc/LICENSE" "$doc/THIRD-PARTY-NOTICES.md"
    printf '\nTheir full texts: /usr/share/common-licenses/GPL-2, LGPL-2.1, Apache-2.0.\n'
  } >"$doc/copyright"
  rm "$doc/LICENSE"
  printf 'whinchat (%s) unstable; urgency=medium\n\n  * CHANGELOG.md says what changed.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(LC_ALL=C date -R -r "$root/CHANGELOG.md")" >"$doc/changelog"
  gzip -9 -n "$doc/changelog" "$tree/usr/share/man/man1/whinchat.1"
  mkdir -p "$tree/usr/share/lintian/overrides"
  printf 'whinchat: %s\n' link-to-shared-library-in-wrong-package package-name-doesnt-match-sonames \
    pkg-config-unavailable-for-cross-compilation >"$tree/usr/share/lintian/overrides/whinchat"
}

deb_control() {
  cat >"$tree/DEBIAN/control" <<END_OF_CONTROL
Package: whinchat
Version: $version
Architecture: amd64
Maintainer: $maintainer
Installed-Size: $(du -sk "$tree/usr" | cut -f 1)
Depends: $depends
Recommends: ca-certificates
Section: sound
Priority: optional
Description: speech to text on this machine, exact and native
 Whisper in C++ on MLX: a command line and a library that turn audio and video
 files into text on this machine alone, without Python.
 .
 It brings MLX in a folder of its own; models are fetched by name.
END_OF_CONTROL
}

# By the symbols that the programs take from Debian's libraries. OpenBLAS is named by hand: any
# variant would do for the symbols, but results are defined on one.
deb_dependencies() {
  mkdir -p "$out/shlibdeps/debian"
  printf 'Source: whinchat\n\nPackage: whinchat\nArchitecture: amd64\n' >"$out/shlibdeps/debian/control"
  own=$tree/usr/lib
  found=$(cd "$out/shlibdeps" && dpkg-shlibdeps -O --ignore-missing-info -S"$tree" -xwhinchat \
    -l"$own/whinchat" -l"$own/whinchat/mlx/lib" -l"$own/whinchat/mlx_cpu.libs" \
    "$tree/usr/bin/whinchat" "$own/libwhinchat.so.$version" \
    "$own/whinchat/mlx/lib/libmlx.so" 2>"$out/shlibdeps/log") || {
    cat "$out/shlibdeps/log" >&2
    stop "package: dpkg-shlibdeps failed; its words are above"
  }
  printf '%s\n' "${found#shlibs:Depends=}" | sed 's/, /\n/g' | grep -v '^libopenblas' | {
    echo libopenblas0-openmp
    cat
  } | sed ':more; N; $!b more; s/\n/, /g'
}

# The stage with every library that it needs beside it, so that it runs wherever glibc and libstdc++
# are recent enough; these two and libgcc are every system's own.
package_tarball() {
  say "package: writing ${tarball##*/}…"
  tree=${tarball%.tar.gz}
  cp -a "$out/stage" "$tree"
  own=$tree/lib/whinchat
  carry "$(readlink -f "$own/libopenblas.so.0")" "$own/libopenblas.so.0"
  ldd "$tree/bin/whinchat" "$tree/lib/libwhinchat.so.$version" |
    sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | sort -u >"$out/closure"
  while read -r name file; do
    case $file in "$tree"/*) continue ;; esac
    carry "$file" "$own/$name"
  done <"$out/closure"
  rm "$out/closure"
  check_tree "$tree"
  check_closure
  tar -C "$out" --owner=0 --group=0 --numeric-owner --sort=name -czf "$tarball" "${tree##*/}"
}

# carry FILE COPY: a library of Debian's, with its package's name and copyright.
carry() {
  file=$(readlink -f "$1")
  # Where /lib is a link to /usr/lib, dpkg may know the file by either name.
  package=$(dpkg-query -S "$file" "${file#/usr}" 2>/dev/null | head -n 1)
  package=${package%%:*}
  case $package in
    libc6 | libgcc-s1 | libstdc++6) return 0 ;;
    '') stop "package: no Debian package holds $file, so its licence is unknown" ;;
  esac
  rm -f "$2"
  cp "$file" "$2"
  # Its own search path would hide the program's.
  patchelf --remove-rpath "$2"
  licences=$tree/share/doc/whinchat/licences/debian
  [ -d "$licences" ] || { mkdir -p "$licences" && cp -RL /usr/share/common-licenses "$licences/"; }
  [ ! -f "$licences/$package" ] || return 0
  cp "/usr/share/doc/$package/copyright" "$licences/$package"
  dpkg-query -W -f '${Package} ${Version}, source ${source:Package} ${source:Version}\n' "$package" >>"$licences/VERSIONS"
}

# check_tree FOLDER: nothing in it may know this machine.
check_tree() {
  for place in "$root" "$cache" "${CARGO_HOME:-$HOME/.cargo}"; do
    knowing=$(grep -rlaF -- "$place" "$1" || :)
    [ -z "$knowing" ] || stop "package: these name $place: $(echo "$knowing" | tr '\n' ' ')"
  done
  absolute=$(find "$1" -type f \( -name '*.so*' -o -name whinchat \) -exec sh -c '
    for file; do
      ! readelf -d "$file" 2>/dev/null | sed -n "s/.*PATH).*\[\(.*\)\]/:\1/p" | grep -q ":[^\$]" || echo "$file"
    done' sh {} +)
  [ -z "$absolute" ] || stop "package: these have a library path that is not below \$ORIGIN: $absolute"
}

# Moved to another place, the program and its library find everything beside themselves.
check_closure() {
  moved="$out/moved to"
  mv "$tree" "$moved"
  ldd "$moved/bin/whinchat" "$moved/lib/libwhinchat.so.$version" >"$out/ldd" 2>&1
  astray=$(sed -n '/not found/p; s/^\t\([^ ]*\) => \(\/.*\) (0x.*/\1 \2/p' "$out/ldd" |
    grep -vF "$moved/" | grep -vE '^(libc|libm|libmvec|libdl|libpthread|librt|libresolv|libutil|libanl|libnsl|libgcc_s|libstdc\+\+)\.so\.' || :)
  mv "$moved" "$tree"
  rm "$out/ldd"
  [ -z "$astray" ] || stop "package: the tarball's programs look outside of it for: $astray"
}
