// What the kernel takes for granted, checked once at the border: a header that reads a row does not
// ask whether it is there. Every check is one pass over a column.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cells.hpp"
#include "numpy_columns.hpp"

using Name = const char*;

inline void expect(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

[[noreturn]] inline void refuse(const std::string& what) { throw nb::value_error(what.c_str()); }

// Rows are 32-bit numbers; so is what is counted by them.
inline void expect_count(std::size_t n, Name name) {
    if (n > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        refuse(std::string(name) + " is at most 2147483647, got " + std::to_string(n));
}

template <class Array>
void expect_length(const Array& column, std::size_t n, Name name) {
    if (column.shape(0) != n)
        refuse(std::string(name) + " has length " + std::to_string(column.shape(0)) +
               ", expected " + std::to_string(n));
}

template <class Array>
void expect_length(const std::optional<Array>& column, std::size_t n, Name name) {
    if (column) expect_length(*column, n, name);
}

// Group g owns offsets[g] : offsets[g + 1]; the groups cover n rows. Returns how many there are.
inline std::size_t expect_offsets(const Column<std::int64_t>& offsets, std::size_t n, Name name) {
    expect_count(n, "the number of rows");
    const std::size_t size = offsets.shape(0);
    const std::int64_t* at = offsets.data();
    bool cover = size > 0 && at[0] == 0 && at[size - 1] == static_cast<std::int64_t>(n);
    for (std::size_t i = 1; i < size; ++i) cover &= at[i - 1] <= at[i];
    if (!cover)
        refuse(std::string(name) + " must ascend from 0 to " + std::to_string(n) +
               ", the number of rows");
    return size - 1;
}

template <class T>
void expect_rows(const Column<T>& rows, std::size_t n, Name name) {
    using Unsigned = std::make_unsigned_t<T>;  // a negative row becomes a very large one
    bool inside = true;
    for (std::size_t i = 0; i < rows.shape(0); ++i)
        inside &= static_cast<Unsigned>(rows.data()[i]) < n;
    if (!inside)
        refuse(std::string(name) + " has a value outside 0 to " + std::to_string(n) + ", exclusive");
}

template <class Array>
void expect_finite(const Array& values, Name name) {
    bool finite = true;
    for (std::size_t i = 0; i < values.size(); ++i) finite &= std::isfinite(values.data()[i]);
    if (!finite) refuse(std::string(name) + " has a value that is not finite");
}

inline void expect_cells(std::size_t n_groups, std::size_t n_thresholds) {
    expect(n_groups >= 1 && n_thresholds >= 1 && n_groups <= 64 && n_groups * n_thresholds <= 64 &&
               n_thresholds <= 64,
           "between 1 and 64 cells fit a word");
}

// Nothing but the low bits is set.
inline void expect_bits(const Column<boxlens::Word>& words, std::size_t n_bits, Name name) {
    boxlens::Word any = 0;
    for (std::size_t i = 0; i < words.shape(0); ++i) any |= words.data()[i];
    if (any & ~boxlens::Cells::low_bits(n_bits))
        refuse(std::string(name) + " has bits above the lowest " + std::to_string(n_bits));
}

inline void expect_recalls(const std::vector<double>& recalls) {
    expect(std::is_sorted(recalls.begin(), recalls.end()), "recalls must ascend");
    expect(std::all_of(recalls.begin(), recalls.end(), [](double r) { return 0 <= r && r <= 1; }),
           "recalls lie between 0 and 1");
}
