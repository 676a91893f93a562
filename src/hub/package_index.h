// Finds a package's file in the page of an index (PEP 503 in HTML, PEP 691 in JSON), which comes
// from outside. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace whinchat::hub {

struct PackageLink {
  std::string address;  // as it stands there: perhaps relative to the page
  std::string sha256;   // empty where the page states none
};

// `what` names the page. Throws Error{Corrupt} for damaged JSON, {NotFound} where the page has no
// such file.
PackageLink find_package_link(std::string_view page, std::string_view content_type,
                              std::string_view filename, std::string_view what);

}  // namespace whinchat::hub
