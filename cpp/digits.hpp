// Runs of ASCII digits: how long they are, and what they amount to, several bytes at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace boxlens::json::number_detail {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

constexpr std::array<std::uint64_t, 20> integer_powers() {
    std::array<std::uint64_t, 20> powers{};
    powers[0] = 1;
    for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
    return powers;
}
inline constexpr std::array<std::uint64_t, 20> integer_power_of_ten = integer_powers();

inline std::uint64_t load8(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, 8);
    return word;
}

// Bit i is set when p[i] is a digit, for the next 16 bytes.
inline std::uint32_t digit_mask_16(const char* p) {
#if defined(__SSE2__)
    const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const __m128i value = _mm_sub_epi8(text, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
    return static_cast<std::uint32_t>(_mm_movemask_epi8(is_digit));
#else
    std::uint32_t mask = 0;
    for (int i = 0; i < 16; ++i) {
        mask |= static_cast<std::uint32_t>(static_cast<unsigned char>(p[i] - '0') < 10) << i;
    }
    return mask;
#endif
}

// The same for the next 32 bytes.
inline std::uint32_t digit_mask(const char* p) {
    return digit_mask_16(p) | digit_mask_16(p + 16) << 16;
}

// How many bits at the low end are set. (Without BMI, std::countr_one pays for the case of all.)
inline unsigned low_ones(std::uint32_t mask) {
    return static_cast<unsigned>(__builtin_ctzll(~static_cast<std::uint64_t>(mask)));
}

// The value of eight ASCII digits, the first in the lowest byte; absent leading digits may be 0.
// Each step joins neighbours: two digits, then two pairs, then two fours.
inline std::uint64_t eight_digits(std::uint64_t word) {
    word = (word & 0x0F0F0F0F0F0F0F0F) * (10 * 0x100 + 1) >> 8;
    word = (word & 0x00FF00FF00FF00FF) * (100 * 0x10000 + 1) >> 16;
    return (word & 0x0000FFFF0000FFFF) * (10000 * 0x100000000 + 1) >> 32;
}

// The value of the first n (1 to 8) digits at p; eight bytes must be readable.
inline std::uint64_t some_digits(const char* p, unsigned n) {
    return eight_digits(load8(p) << (64 - 8 * n));
}

// The same for n from 0 to 7.
inline std::uint64_t few_digits(const char* p, unsigned n) {
    return eight_digits(load8(p) << 1 << (63 - 8 * n));
}

}  // namespace boxlens::json::number_detail
