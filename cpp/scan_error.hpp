// What the JSON scanner throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace boxlens::json {

// What is wrong with a text, and where. `syntax` tells a text that is no JSON from one that is,
// but does not say what was expected.
struct ScanError : std::runtime_error {
    ScanError(std::int64_t at, std::string what_is_wrong, bool is_syntax)
        : std::runtime_error(what_is_wrong),
          offset(at),
          problem(std::move(what_is_wrong)),
          syntax(is_syntax) {}

    std::int64_t offset;
    std::int64_t record = -1;
    std::string array;
    std::string field;
    std::string problem;
    bool syntax;
};

// A byte as a message shows it.
inline std::string shown(char c) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) return std::string("'") + c + "'";
    const char* hex = "0123456789abcdef";
    return std::string("byte 0x") + hex[byte >> 4] + hex[byte & 15];
}

}  // namespace boxlens::json
