// UTF-8 as RFC 3629 allows it: shortest forms only, no surrogates, nothing above U+10FFFF.
#pragma once

#include <cstdint>
#include <string>

namespace boxlens::json {

// The length of the valid sequence of two to four bytes at p, 0 where it is none. Reads no byte
// beyond the first that does not fit, so a NUL behind the text is enough of a fence.
inline int utf8_sequence(const char* p) {
    const auto byte = [p](int i) { return static_cast<unsigned char>(p[i]); };
    const auto follows = [&](int i) { return (byte(i) & 0xC0) == 0x80; };
    const unsigned char lead = byte(0);
    if (lead < 0xC2 || lead > 0xF4) return 0;
    if (lead < 0xE0) return follows(1) ? 2 : 0;
    if (lead < 0xF0) {
        if (!follows(1)) return 0;
        if (lead == 0xE0 && byte(1) < 0xA0) return 0;
        if (lead == 0xED && byte(1) > 0x9F) return 0;
        return follows(2) ? 3 : 0;
    }
    if (!follows(1)) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return follows(2) && follows(3) ? 4 : 0;
}

inline void append_utf8(std::string& text, std::uint32_t code_point) {
    const auto add = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
    if (code_point < 0x80) {
        add(code_point);
    } else if (code_point < 0x800) {
        add(0xC0 | code_point >> 6);
        add(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        add(0xE0 | code_point >> 12);
        add(0x80 | (code_point >> 6 & 0x3F));
        add(0x80 | (code_point & 0x3F));
    } else {
        add(0xF0 | code_point >> 18);
        add(0x80 | (code_point >> 12 & 0x3F));
        add(0x80 | (code_point >> 6 & 0x3F));
        add(0x80 | (code_point & 0x3F));
    }
}

}  // namespace boxlens::json
