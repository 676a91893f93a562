// library_probe LIBWHINCHAT [LIBMLX]: opens the library at run time, as a plug-in host would, after
// LIBMLX where one is given, and says which BLAS MLX uses there and whether a model would load.

#include <dlfcn.h>

#include <exception>
#include <iostream>

#include "whinchat/transcription.h"
#include "whinchat/version.h"

namespace {

void* open_library(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) std::cout << dlerror() << '\n';
  return library;
}

// Constructors have no address, so that the probe reaches them through a function of its own.
template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2 && open_library(argv[2]) == nullptr) return 1;
  void* library = argc > 1 ? open_library(argv[1]) : nullptr;
  if (library == nullptr) return 1;
  // The mangled names of whinchat::version_info() and Transcriber(const ModelOptions&).
  const auto version_info =
      symbol<whinchat::VersionInfo (*)()>(library, "_ZN8whinchat12version_infoEv");
  const auto construct = symbol<void (*)(void*, const whinchat::ModelOptions&)>(
      library, "_ZN8whinchat11TranscriberC1ERKNS_12ModelOptionsE");
  const auto destroy = symbol<void (*)(void*)>(library, "_ZN8whinchat11TranscriberD1Ev");
  if (version_info == nullptr || construct == nullptr || destroy == nullptr) return 1;

  const whinchat::VersionInfo info = version_info();
  std::cout << info.blas_library << (info.blas_is_openblas ? " is OpenBLAS\n" : " is other\n");
  try {
    alignas(whinchat::Transcriber) unsigned char storage[sizeof(whinchat::Transcriber)];
    construct(storage, {.model = "tiny.en", .faithful = true});
    destroy(storage);
    std::cout << "the model loads\n";
  } catch (const std::exception& error) {
    std::cout << "refused: " << error.what() << '\n';
  }
  return 0;
}
