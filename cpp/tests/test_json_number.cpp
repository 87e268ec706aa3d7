// Numbers against strtod: hard cases, random spellings, halves between neighbours.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#include "check.hpp"
#include "exact_text.hpp"
#include "json_cursor.hpp"

using namespace boxlens::json;

// Reads a number both ways: with room for the wide path, and at the very end of the text.
static void check_number(const std::string& text) {
    const double expected = std::strtod(text.c_str(), nullptr);
    for (const char* behind : {"", ",", "]                                                        "}) {
        const ExactText exact(text + behind);
        Cursor cursor(exact.bytes, exact.bytes, exact.bytes + exact.size);
        double read = std::numeric_limits<double>::quiet_NaN();
        bool too_large = false;
        try {
            read = cursor.number();
            check::that(cursor.offset() == static_cast<std::int64_t>(text.size()), text.c_str(), __FILE__, __LINE__);
        } catch (const ScanError&) {
            too_large = true;
        }
        const bool same = std::memcmp(&read, &expected, sizeof read) == 0;
        check::that(too_large ? std::isinf(expected) : same, text.c_str(), __FILE__, __LINE__);
        Cursor skipping(exact.bytes, exact.bytes, exact.bytes + exact.size);
        try {
            skipping.skip_number();
            check::that(!too_large && skipping.p == cursor.p, text.c_str(), __FILE__, __LINE__);
        } catch (const ScanError&) {
            check::that(too_large, text.c_str(), __FILE__, __LINE__);
        }
    }
}

static void numbers_that_are_hard() {
    for (const char* text :
         {"0", "-0", "-0.0", "0.0", "1", "-1", "0.1", "0.5", "1e22", "1e23", "-1e-22", "1e-23",
          "9007199254740992", "9007199254740993", "9007199254740993.0", "9007199254740994",
          "9007199254740992.5", "900719925474099.25", "18446744073709551615",
          "18446744073709551616", "9999999999999999999", "0.9999999999999999999",
          "0.99999999999999994448884876874", "0.500000000000000166533453693773481063544750213623046875",
          "1.00000000000000011102230246251565404236316680908203125",
          "1.00000000000000011102230246251565404236316680908203124",
          "1.00000000000000011102230246251565404236316680908203126", "2.2250738585072014e-308",
          "2.2250738585072011e-308", "4.9406564584124654e-324", "2.4703282292062327e-324",
          "2.4703282292062328e-324", "1e-400", "-1e-400", "1e400", "-1e400",
          "1.7976931348623157e308", "1.7976931348623158e308", "1.7976931348623159e308",
          "0e99999999999999999999", "0.0e-99999999999999999999", "1e-99999999999999999999",
          "1e99999999999999999999", "123456789012345678901234567890", "1E5", "1e+5", "1e-5",
          "1.5e0000000000000000000001", "5.1234567890123456e-05", "12345678.12345678",
          "1234567.12345678", "12345678.1234567", "0.00000000", "0.000000000", "0.0000000000000000000",
          "0.00000000000000000001", "0.00000000000000000000", "99999999.99999999999",
          "99999999.9999999999", "0.12345678901234567", "0.1234567890123456789",
          "0.12345678901234567890", "1.8014398509481985e16", "72057594037927945.0"}) {
        check_number(text);
    }
    check_number("1" + std::string(400, '0'));
    check_number("1" + std::string(308, '0'));
    check_number("1" + std::string(400, '0') + "e-300");
    check_number("0." + std::string(500, '0') + "1e600");
    check_number("0." + std::string(30, '0') + "1");
}

static void numbers_at_random() {
    std::mt19937_64 random(7);
    const auto below = [&](std::uint64_t n) { return random() % n; };
    char text[400];
    for (int i = 0; i < 60000; ++i) {
        std::string spelled(below(4) == 0 ? "-" : "");
        const auto digits = [&](std::uint64_t n) {
            for (std::uint64_t k = 0; k < n; ++k) spelled += static_cast<char>('0' + below(10));
        };
        spelled += static_cast<char>('1' + below(9));
        if (below(3) == 0) {
            spelled.back() = '0';
        } else {
            digits(below(below(4) == 0 ? 22 : 4));
        }
        if (below(8) != 0) {
            spelled += '.';
            digits(1 + below(22));
        }
        if (below(6) == 0) {
            const auto exponent = static_cast<int>(below(700)) - 350;
            spelled += 'e' + std::to_string(below(2) == 0 ? exponent : exponent % 25);
        }
        check_number(spelled);
        // What a float64 prints as, and the point half way to its neighbour.
        const double value = std::ldexp(static_cast<double>(random() >> 11),
                                        static_cast<int>(below(80)) - 70);
        std::snprintf(text, sizeof text, "%.17g", value);
        check_number(text);
        const double next = std::nextafter(value, HUGE_VAL);
        std::snprintf(text, sizeof text, "%.*f", static_cast<int>(below(60)),
                      value + (next - value) / 2);
        check_number(text);
    }
    // Exact halves between neighbours that have at most 19 digits.
    const std::uint64_t top = std::uint64_t{1} << 53;
    for (int i = 0; i < 2000; ++i) {
        check_number(std::to_string(top + 2 * below(top / 2) + 1));
        check_number(std::to_string(top + 2 * below(top / 2) + 1) + ".0");
        check_number(std::to_string(top / 2 + below(top / 2)) + ".5");
        check_number(std::to_string(top / 2 + below(top / 2)) + (i % 2 == 0 ? ".50" : ".500"));
        check_number(std::to_string(top / 4 + below(top / 4)) + (i % 2 == 0 ? ".25" : ".75"));
        check_number(std::to_string(top / 8 + below(top / 8)) + (i % 2 == 0 ? ".125" : ".875"));
    }
}

int main() {
    numbers_that_are_hard();
    numbers_at_random();
    return check::report();
}
