// A place in a JSON text and the steps forward from it: every step validates what it passes.
//
// Accepts exactly RFC 8259 with orjson's limits: valid UTF-8, no lone surrogates, no number beyond
// float64, 1,024 levels of nesting. The byte at `end` must be readable and NUL.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "json_number.hpp"
#include "scan_error.hpp"
#include "utf8.hpp"

namespace boxlens::json {

inline constexpr int max_depth = 1024;

// The containers that are open around a place, outermost first: one bit each.
class Nesting {
public:
    explicit Nesting(int around) : around_(around) {}
    bool full() const { return around_ + open_ >= max_depth; }
    bool empty() const { return open_ == 0; }
    void push(bool object) {
        const std::uint64_t bit = std::uint64_t{1} << (open_ & 63);
        std::uint64_t& word = objects_[static_cast<std::size_t>(open_ >> 6)];
        word = object ? word | bit : word & ~bit;
        ++open_;
    }
    void pop() { --open_; }
    bool in_object() const {
        const int top = open_ - 1;
        return objects_[static_cast<std::size_t>(top >> 6)] >> (top & 63) & 1;
    }

private:
    int around_;
    int open_ = 0;
    std::array<std::uint64_t, max_depth / 64> objects_;
};

class Cursor {
public:
    Cursor(const char* begin, const char* at, const char* end) : p(at), begin_(begin), end_(end) {}

    const char* p;

    const char* end() const { return end_; }
    std::int64_t offset() const { return offset_of(p); }
    std::int64_t offset_of(const char* at) const { return at - begin_; }
    bool room(std::ptrdiff_t bytes) const { return end_ - p >= bytes; }

    // The text is no JSON here.
    [[noreturn, gnu::cold, gnu::noinline]] void fail(const std::string& expected) const {
        if (p >= end_) throw ScanError(end_ - begin_, "unexpected end of file", true);
        throw ScanError(offset(), "expected " + expected + ", found " + shown(*p), true);
    }
    [[noreturn, gnu::cold, gnu::noinline]] void fail_with(const std::string& problem) const {
        throw ScanError(offset(), problem, true);
    }

    bool at_number() const { return *p == '-' || number_detail::is_digit(*p); }

    void space() {
        if (static_cast<unsigned char>(*p) <= ' ') {
            while (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') ++p;
        }
    }

    void expect(char c, const char* named) {
        if (*p != c) fail(named);
        ++p;
    }

    [[gnu::always_inline]] double number() {
        double value;
        if (room(number_room) && read_plain_number(p, value)) [[likely]] return value;
        return number_slowly();
    }

    [[gnu::always_inline]] void skip_number() {
        if (room(number_room) && skip_plain_number(p)) [[likely]] return;
        number_slowly();
    }

    // Steps over a string; p stands on its opening quote. Returns whether it holds escapes.
    bool skip_string() {
        if (*p != '"') fail("a string");
        ++p;
        bool escaped = false;
        for (;;) {
            find_special();
            const auto c = static_cast<unsigned char>(*p);
            if (c == '"') {
                ++p;
                return escaped;
            }
            if (c == '\\') {
                escaped = true;
                escape();
            } else if (c < 0x20) {
                if (p >= end_) fail("");
                fail_with("control character in a string (" + shown(*p) + ")");
            } else {
                const int length = utf8_sequence(p);
                if (length == 0) fail_with("invalid UTF-8 (" + shown(*p) + ")");
                p += length;
            }
        }
    }

    // Reads a string: a view into the text, or into `scratch` where escapes had to be resolved.
    std::string_view string(std::string& scratch) {
        const char* first = p + 1;
        const bool escaped = skip_string();
        const std::string_view raw(first, static_cast<std::size_t>(p - 1 - first));
        if (!escaped) return raw;
        resolve(raw, scratch);
        return scratch;
    }

    // A key and its colon; p then stands before the value.
    std::string_view key(std::string& scratch) {
        space();
        if (*p != '"') fail("a key in quotes");
        const std::string_view name = string(scratch);
        space();
        expect(':', "':'");
        return name;
    }

    void skip_literal() {
        const auto is = [this](std::string_view word) {
            return std::strncmp(p, word.data(), word.size()) == 0 && (p += word.size(), true);
        };
        if (!is("true") && !is("false") && !is("null")) {
            if (std::string_view("tfn").find(*p) != std::string_view::npos && *p != '\0') {
                while (*p >= 'a' && *p <= 'z') ++p;
                if (p >= end_) fail("");
                fail_with("unknown word; only true, false and null are allowed");
            }
            fail("a value");
        }
    }

    // Steps over any value inside `depth` open containers.
    void skip(int depth) {
        Nesting nesting(depth);
        for (;;) {
            space();
            const char c = *p;
            if (c == '[' || c == '{') {
                if (nesting.full()) fail_with("nested deeper than 1,024 levels");
                ++p;
                space();
                if (*p == c + 2) {  // ] follows [ at a distance of two, and } follows {
                    ++p;
                } else {
                    nesting.push(c == '{');
                    if (c == '{') skip_key();
                    continue;
                }
            } else if (c == '"') {
                skip_string();
            } else if (at_number()) {
                skip_number();
                if (!nesting.empty() && !nesting.in_object()) skip_further_numbers();
            } else {
                skip_literal();
            }
            if (!another(nesting)) return;
        }
    }

private:
    // After a value: closes what ends here. False when the value that was asked for is complete.
    bool another(Nesting& nesting) {
        while (!nesting.empty()) {
            space();
            const bool object = nesting.in_object();
            if (*p == ',') {
                ++p;
                if (object) skip_key();
                return true;
            }
            if (*p != (object ? '}' : ']')) fail(object ? "',' or '}'" : "',' or ']'");
            ++p;
            nesting.pop();
        }
        return false;
    }

    // Inside an array, after a number: as many more as follow directly. Polygons are little else.
    void skip_further_numbers() {
        while (*p == ',') {
            const char* comma = p++;
            if (*p == ' ') ++p;
            if (!at_number()) {
                p = comma;
                return;
            }
            skip_number();
        }
    }

    void skip_key() {
        space();
        if (*p != '"') fail("a key in quotes");
        skip_string();
        space();
        expect(':', "':'");
    }

    [[gnu::noinline]] double number_slowly() {
        const char* first = p;
        double value = 0;
        const NumberProblem problem = read_number_slowly(p, value);
        if (problem == NumberProblem::infinite) fail_with("number too large for float64");
        if (problem == NumberProblem::syntax) {
            if (number_detail::is_digit(*p) && *p == '0') fail_with("number with a leading zero");
            if (p == first) fail("a number");
            fail("a digit");
        }
        return value;
    }

    // Moves to the next quote, backslash, control character or byte beyond ASCII.
    void find_special() {
#if defined(__SSE2__)
        while (room(16)) {
            const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
            const __m128i last_control = _mm_set1_epi8(0x1F);
            const __m128i found = _mm_or_si128(
                _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')),
                             _mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))),
                _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(text, last_control), text), text));
            const auto mask = static_cast<std::uint32_t>(_mm_movemask_epi8(found));
            if (mask != 0) {
                p += std::countr_zero(mask);
                return;
            }
            p += 16;
        }
#endif
        for (;; ++p) {
            const auto c = static_cast<unsigned char>(*p);
            if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\') return;
        }
    }

    // Steps over a backslash and what belongs to it.
    void escape() {
        const char* first = p;
        ++p;
        if (*p == 'u') {
            ++p;
            const std::uint32_t unit = hex4();
            if (unit >= 0xDC00 && unit <= 0xDFFF) lone_surrogate(first);
            if (unit >= 0xD800 && unit <= 0xDBFF) {
                if (p[0] != '\\' || p[1] != 'u') lone_surrogate(first);
                p += 2;
                const std::uint32_t low = hex4();
                if (low < 0xDC00 || low > 0xDFFF) lone_surrogate(first);
            }
            return;
        }
        if (*p == '\0' || std::strchr("\"\\/bfnrt", *p) == nullptr) fail("an escape");
        ++p;
    }

    [[noreturn, gnu::cold]] void lone_surrogate(const char* first) {
        if (p >= end_) fail("");
        p = first;
        fail_with("escape of a lone surrogate");
    }

    std::uint32_t hex4() {
        std::uint32_t value = 0;
        for (int i = 0; i < 4; ++i, ++p) {
            const char lower = static_cast<char>(*p | 0x20);
            std::uint32_t digit;
            if (number_detail::is_digit(*p)) {
                digit = static_cast<std::uint32_t>(*p - '0');
            } else if (lower >= 'a' && lower <= 'f') {
                digit = static_cast<std::uint32_t>(lower - 'a') + 10;
            } else {
                fail("a hexadecimal digit");
            }
            value = value << 4 | digit;
        }
        return value;
    }

    // Resolves the escapes of a string that has been validated.
    static void resolve(std::string_view raw, std::string& text) {
        text.clear();
        const auto unit_at = [&](std::size_t i) {
            std::uint32_t unit = 0;
            std::from_chars(raw.data() + i, raw.data() + i + 4, unit, 16);
            return unit;
        };
        for (std::size_t i = 0; i < raw.size(); ++i) {
            if (raw[i] != '\\') {
                text.push_back(raw[i]);
                continue;
            }
            const char kind = raw[++i];
            if (kind != 'u') {
                const std::string_view names = "bfnrt";
                const std::size_t at = names.find(kind);
                text.push_back(at == std::string_view::npos ? kind : "\b\f\n\r\t"[at]);
                continue;
            }
            std::uint32_t code_point = unit_at(i + 1);
            i += 4;
            if (code_point >= 0xD800 && code_point <= 0xDBFF) {
                const std::uint32_t low = unit_at(i + 3);
                code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
                i += 6;
            }
            append_utf8(text, code_point);
        }
    }

    const char* begin_;
    const char* end_;
};

}  // namespace boxlens::json
