// Decimal text to float64, correctly rounded, without leaving the text it is given.
//
// Every reader here relies on one sentinel: the byte after the text is readable and NUL, so that
// a byte-wise loop stops by itself. Wider loads happen only when `room` says that they may.
#pragma once

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>

#include "digits.hpp"

namespace boxlens::json {

enum class NumberProblem { none, syntax, infinite };

// Bytes that must be readable after the current one for the wide path.
inline constexpr std::ptrdiff_t number_room = 48;

namespace number_detail {

inline constexpr std::array<double, 23> power_of_ten = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

struct Quotient {
    std::uint64_t value;
    std::uint64_t remainder;
};

// (high * 2^64 + low) / divisor, where high < divisor.
inline Quotient divide_128(std::uint64_t high, std::uint64_t low, std::uint64_t divisor) {
#if defined(__x86_64__)
    Quotient result;
    __asm__("divq %4"
            : "=a"(result.value), "=d"(result.remainder)
            : "a"(low), "d"(high), "r"(divisor)
            : "cc");
    return result;
#else
    __extension__ using Wide = unsigned __int128;
    const Wide dividend = static_cast<Wide>(high) << 64 | low;
    return {static_cast<std::uint64_t>(dividend / divisor),
            static_cast<std::uint64_t>(dividend % divisor)};
#endif
}

// 10^places shifted up to 64 bits, and 2^127 divided by that.
struct Divisor {
    std::uint64_t value;
    std::uint64_t reciprocal;
    int shift;
};

constexpr std::array<Divisor, 20> divisors() {
    __extension__ using Wide = unsigned __int128;
    std::array<Divisor, 20> all{};
    for (std::size_t places = 1; places < all.size(); ++places) {
        const int shift = std::countl_zero(integer_power_of_ten[places]);
        const std::uint64_t value = integer_power_of_ten[places] << shift;
        all[places] = {value, static_cast<std::uint64_t>((Wide{1} << 127) / value), shift};
    }
    return all;
}
inline constexpr std::array<Divisor, 20> divisor_of_places = divisors();

// mantissa / 10^places for places in [1, 19] and a mantissa that is not 0, correctly rounded.
inline double divided_exactly(std::uint64_t mantissa, unsigned places) {
    __extension__ using Wide = unsigned __int128;
    const Divisor& divisor = divisor_of_places[places];
    const int shift = std::countl_zero(mantissa);
    const std::uint64_t top = mantissa << shift;
    // The quotient top * 2^63 / divisor has 63 or 64 bits. By the reciprocal it comes out at most 2
    // too small, which can change the rounding to 53 bits only beside a multiple of 2^9.
    std::uint64_t quotient = static_cast<std::uint64_t>(
        static_cast<Wide>(top) * divisor.reciprocal >> 64);
    if (((quotient + 1) & 0x1FF) <= 1) [[unlikely]] {
        const Quotient exact = divide_128(top >> 1, top << 63, divisor.value);
        quotient = exact.value | (exact.remainder != 0);
    } else {
        quotient |= 1;
    }
    // Without its last bit the quotient converts as a signed number; what was beyond is sticky.
    const std::uint64_t sticky = quotient >> 1 | (quotient & 1);
    const int exponent = divisor.shift - shift - 62;
    const double scale = std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
    return static_cast<double>(static_cast<std::int64_t>(sticky)) * scale;
}

inline constexpr std::uint64_t exact_integer_limit = std::uint64_t{1} << 53;

// mantissa / 10^places for places in [0, 19], correctly rounded.
inline double scaled_down(std::uint64_t mantissa, unsigned places) {
    if (mantissa <= exact_integer_limit) {
        return static_cast<double>(mantissa) / power_of_ten[places];
    }
    return places == 0 ? static_cast<double>(mantissa) : divided_exactly(mantissa, places);
}

// A number as it is spelled: [-] digits [. digits] [e digits], and what its digits amount to.
struct Spelling {
    const char* end = nullptr;
    const char* whole = nullptr;
    std::ptrdiff_t n_whole = 0;
    std::ptrdiff_t n_fraction = 0;
    bool negative = false;
    bool has_exponent = false;
    // Held below 10^6 in size: beyond that only "too large" or "zero" remains.
    std::int64_t exponent = 0;
};

// Checks the grammar of RFC 8259 byte by byte. On a syntax error `end` is where it was seen.
inline bool spell(const char* p, Spelling& s) {
    s.negative = *p == '-';
    p += s.negative;
    s.whole = p;
    while (is_digit(*p)) ++p;
    s.n_whole = p - s.whole;
    if (s.n_whole == 0 || (s.n_whole > 1 && *s.whole == '0')) {
        s.end = s.n_whole == 0 ? p : s.whole;
        return false;
    }
    if (*p == '.') {
        const char* fraction = ++p;
        while (is_digit(*p)) ++p;
        s.n_fraction = p - fraction;
        s.end = p;
        if (s.n_fraction == 0) return false;
    }
    if (*p == 'e' || *p == 'E') {
        s.has_exponent = true;
        ++p;
        const bool down = *p == '-';
        if (*p == '-' || *p == '+') ++p;
        const char* digits = p;
        for (; is_digit(*p); ++p) {
            if (s.exponent < 1000000) s.exponent = s.exponent * 10 + (*p - '0');
        }
        s.end = p;
        if (p == digits) return false;
        if (down) s.exponent = -s.exponent;
    }
    s.end = p;
    return true;
}

// The value of a spelling that the wide path did not take.
inline NumberProblem value_of(const char* p, const Spelling& s, double& out) {
    const std::ptrdiff_t n_digits = s.n_whole + s.n_fraction;
    const std::int64_t exponent = s.exponent - s.n_fraction;
    if (n_digits <= 19 && exponent >= -19 && exponent <= 22) {
        std::uint64_t mantissa = 0;
        for (std::ptrdiff_t i = 0; i < n_digits; ++i) {
            const char c = i < s.n_whole ? s.whole[i] : s.whole[i + 1];
            mantissa = mantissa * 10 + static_cast<std::uint64_t>(c - '0');
        }
        if (exponent <= 0) {
            out = scaled_down(mantissa, static_cast<unsigned>(-exponent));
        } else if (mantissa <= exact_integer_limit) {
            out = static_cast<double>(mantissa) * power_of_ten[static_cast<std::size_t>(exponent)];
        } else {
            const auto result = std::from_chars(s.whole, s.end, out);
            if (result.ec != std::errc{}) return NumberProblem::syntax;
        }
        if (s.negative) out = -out;
        return NumberProblem::none;
    }
    const auto result = std::from_chars(p, s.end, out);
    if (result.ec == std::errc::result_out_of_range) {
        // Too large or too small: the place of the first digit that is not 0 decides.
        std::ptrdiff_t first = 0;
        while (first < n_digits && (first < s.n_whole ? s.whole[first] : s.whole[first + 1]) == '0') {
            ++first;
        }
        const std::int64_t magnitude = s.exponent + s.n_whole - first;
        if (first < n_digits && magnitude > 0) return NumberProblem::infinite;
        out = s.negative ? -0.0 : 0.0;
    }
    return out - out == 0 ? NumberProblem::none : NumberProblem::infinite;
}

}  // namespace number_detail

// Reads a number at p. On success p stands behind it; on a problem p stands where it was seen.
inline NumberProblem read_number_slowly(const char*& p, double& out) {
    number_detail::Spelling spelling;
    if (!number_detail::spell(p, spelling)) {
        p = spelling.end;
        return NumberProblem::syntax;
    }
    const NumberProblem problem = number_detail::value_of(p, spelling, out);
    if (problem == NumberProblem::none) p = spelling.end;
    return problem;
}

namespace number_detail {

// The number with `above` before the point and 9 to 19 digits behind it.
[[gnu::always_inline]] inline double long_fraction(std::uint64_t above, const char* fraction,
                                                   unsigned places) {
    // The digits as 0 to 3, then 1 to 8, then 8.
    const unsigned n_first = places > 16 ? places - 16 : 0;
    const unsigned n_second = places - n_first - 8;
    const std::uint64_t first =
        above * integer_power_of_ten[n_first] + few_digits(fraction, n_first);
    const std::uint64_t second =
        first * integer_power_of_ten[n_second] + some_digits(fraction + n_first, n_second);
    const std::uint64_t mantissa = second * 100000000 + eight_digits(load8(fraction + places - 8));
    return mantissa == 0 ? 0.0 : divided_exactly(mantissa, places);
}

}  // namespace number_detail

// The same for plain decimals of up to 19 digits when `number_room` bytes may be read; false leaves
// p where it was, for the slow reader. Lengths vary from number to number, so nothing in here
// branches on them except short against long, which a file seldom mixes.
[[gnu::always_inline]] inline bool read_plain_number(const char*& p, double& out) {
    using namespace number_detail;
    const bool negative = *p == '-';
    const char* whole = p + negative;
    const std::uint32_t digits = digit_mask_16(whole);
    const unsigned n_whole = low_ones(digits);
    if ((n_whole - 1U >= 8U) | ((*whole == '0') & (n_whole > 1))) [[unlikely]] return false;
    const char* rest = whole + n_whole;
    double value;
    if (*rest == '.') [[likely]] {
        unsigned places = low_ones(digits >> (n_whole + 1));
        const char* fraction = rest + 1;
        if ((places <= 8) & (n_whole + places < 15)) {
            if (places == 0) [[unlikely]] return false;
            std::uint64_t mantissa;
            if (n_whole + places < 8) [[likely]] {
                // One word holds all: close the gap of the point.
                const std::uint64_t word = load8(whole);
                const std::uint64_t before = (std::uint64_t{1} << 8 * n_whole) - 1;
                const std::uint64_t joined = (word & before) | (word >> 8 & ~before);
                mantissa = eight_digits(joined << (64 - 8 * (n_whole + places)));
            } else {
                mantissa = some_digits(whole, n_whole) * integer_power_of_ten[places] +
                           some_digits(fraction, places);
            }
            // At most 14 digits: both are exact, so the division rounds once.
            value = static_cast<double>(static_cast<std::int64_t>(mantissa)) / power_of_ten[places];
        } else {
            places = low_ones((digits | digit_mask_16(whole + 16) << 16) >> (n_whole + 1));
            const std::uint64_t above = some_digits(whole, n_whole);
            if ((places <= 8) | (places + (above == 0 ? 0 : n_whole) > 19)) [[unlikely]] return false;
            value = long_fraction(above, fraction, places);
        }
        rest = fraction + places;
    } else {
        value = static_cast<double>(static_cast<std::int64_t>(some_digits(whole, n_whole)));
    }
    if ((*rest | 0x20) == 'e') [[unlikely]] return false;
    out = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) |
                                static_cast<std::uint64_t>(negative) << 63);
    p = rest;
    return true;
}

// Steps over a number: the same acceptance as reading it, without its value.
[[gnu::always_inline]] inline bool skip_plain_number(const char*& p) {
    using namespace number_detail;
    const char* whole = p + (*p == '-');
    std::uint32_t digits = digit_mask_16(whole);
    const unsigned n_whole = low_ones(digits);
    if ((n_whole - 1U >= 15U) | ((*whole == '0') & (n_whole > 1))) [[unlikely]] return false;
    const char* rest = whole + n_whole;
    if (*rest == '.') {
        unsigned places = low_ones(digits >> (n_whole + 1));
        if (n_whole + places >= 15) {
            digits |= digit_mask_16(whole + 16) << 16;
            places = low_ones(digits >> (n_whole + 1));
            if (n_whole + places >= 31) return false;
        }
        if (places == 0) [[unlikely]] return false;
        rest += 1 + places;
    }
    if ((*rest | 0x20) == 'e') [[unlikely]] return false;
    p = rest;
    return true;
}

}  // namespace boxlens::json
