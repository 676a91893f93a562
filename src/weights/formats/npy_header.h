// The header of a .npy file: a literal of Python's such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
// of which exactly these three keys, with these kinds of values, are understood.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace whinchat::weights {

struct NpyHeader {
  std::string descr;  // the type, in NumPy's short form
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Throws Error{Corrupt} that names `what` and the byte where something else stood.
NpyHeader read_npy_header(std::string_view text, std::string_view what);

}  // namespace whinchat::weights
