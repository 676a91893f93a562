#include "hub/digest.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file_map.h"

namespace whinchat::hub {

bool is_hex(std::string_view text, size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  Digest::Kind kind = Digest::Kind::Sha256;

  ~State() { EVP_MD_CTX_free(context); }
};

Hasher::Hasher(Digest::Kind kind, uint64_t bytes) : state_(std::make_unique<State>()) {
  state_->kind = kind;
  const EVP_MD* method = kind == Digest::Kind::Sha256 ? EVP_sha256() : EVP_sha1();
  if (EVP_DigestInit_ex(state_->context, method, nullptr) != 1) {
    base::fail(ErrorKind::Internal, "OpenSSL offers no {}",
               kind == Digest::Kind::Sha256 ? "SHA-256" : "SHA-1");
  }
  if (kind != Digest::Kind::GitBlob) return;
  const std::string header = fmt::format("blob {}", bytes);
  add(base::as_bytes({header.c_str(), header.size() + 1}));
}

Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::add(base::Bytes bytes) {
  EVP_DigestUpdate(state_->context, bytes.data(), bytes.size());
}

Digest Hasher::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  EVP_DigestFinal_ex(state_->context, bytes.data(), &size);
  Digest digest{state_->kind, ""};
  for (unsigned int i = 0; i < size; ++i) digest.hex += fmt::format("{:02x}", bytes.at(i));
  return digest;
}

Digest digest_of_file(const std::filesystem::path& file, Digest::Kind kind) {
  const auto map = base::FileMap::open(file);
  Hasher hasher(kind, map->bytes().size());
  hasher.add(map->bytes());
  return hasher.finish();
}

}  // namespace whinchat::hub
