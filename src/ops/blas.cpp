#include "ops/blas.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <mlx/array.h>
#include <mlx/backend/cpu/encoder.h>
#include <mlx/device.h>
#include <mlx/ops.h>
#include <mlx/stream.h>
#include <mlx/transforms.h>
#include <mlx/version.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

extern "C" {
char* openblas_get_config();
void openblas_set_num_threads(int threads);
int openblas_get_num_threads();
}

namespace whinchat::ops {
namespace {

namespace mx = mlx::core;

// What lies at an address of a dynamic section, which holds addresses as numbers.
template <typename T>
const T* at_address(ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// The parts of a loaded library's dynamic section that name the functions it calls.
struct CallTable {
  const ElfW(Rela) * relocations = nullptr;
  size_t count = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
};

CallTable call_table(const link_map& library) {
  CallTable table;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const auto address = entry->d_un.d_ptr;
    switch (entry->d_tag) {
      case DT_JMPREL:
        table.relocations = at_address<ElfW(Rela)>(address);
        break;
      case DT_PLTRELSZ:
        table.count = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_SYMTAB:
        table.symbols = at_address<ElfW(Sym)>(address);
        break;
      case DT_STRTAB:
        table.names = at_address<char>(address);
        break;
      default:
        break;
    }
  }
  return table;
}

// The address to which the library that holds `member` has bound its calls of `name`, or null.
const void* bound_address(const void* member, std::string_view name) {
  Dl_info info;
  link_map* library = nullptr;
  if (dladdr1(member, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0) {
    return nullptr;
  }
  const CallTable table = call_table(*library);
  for (size_t i = 0; i < table.count; ++i) {
    const ElfW(Rela) & relocation = table.relocations[i];
    const ElfW(Sym) & symbol = table.symbols[ELF64_R_SYM(relocation.r_info)];
    if (name == table.names + symbol.st_name) {
      return *at_address<const void*>(library->l_addr + relocation.r_offset);
    }
  }
  return nullptr;
}

}  // namespace

BlasInfo blas_in_use() {
  // Calls are bound at their first use.
  mx::array product = mx::matmul(mx::ones({2, 2}), mx::ones({2, 2}));
  mx::eval(product);

  const void* sgemm = bound_address(reinterpret_cast<const void*>(&mx::version), "cblas_sgemm");
  Dl_info info{};
  if (sgemm == nullptr || dladdr(sgemm, &info) == 0) return {};
  Dl_info openblas{};
  const bool found = dladdr(reinterpret_cast<const void*>(&openblas_get_config), &openblas) != 0;
  return {info.dli_fname, found && info.dli_fbase == openblas.dli_fbase};
}

void require_openblas() {
  const BlasInfo blas = blas_in_use();
  if (blas.is_openblas) return;
  base::fail(ErrorKind::Unsupported,
             "faithful results need MLX's products on OpenBLAS, but this process runs them in {}: "
             "another MLX was loaded before whinchat",
             blas.library.empty() ? "an unknown library" : blas.library);
}

std::string openblas_description() { return openblas_get_config(); }

void set_blas_threads(int threads) {
  // OpenMP keeps the number for each thread that asks, and the stream's thread runs the products.
  const mx::Stream stream = mx::default_stream(mx::Device::cpu);
  mx::cpu::get_command_encoder(stream).dispatch([=] { openblas_set_num_threads(threads); });
  mx::synchronize(stream);
}

int blas_threads() { return openblas_get_num_threads(); }

}  // namespace whinchat::ops
