// The ranking of every class: detections by score descending, ties by row (METHODS 0.3, 10).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "parallel.hpp"

namespace boxlens {

// Class k owns order[offsets[k]] : order[offsets[k + 1]]; order holds detection rows.
struct Ranking {
    std::vector<std::int32_t> order;
    std::vector<std::int64_t> offsets;
};

namespace detail {

// An integer that ascends as the score descends; -0 and 0 are equal.
inline std::uint64_t descending_key(double score) {
    auto bits = std::bit_cast<std::uint64_t>(-score + 0.0);
    return bits >> 63 ? ~bits : bits | (std::uint64_t{1} << 63);
}

struct Keyed {
    std::uint64_t key;
    std::int32_t row;
};

// Stable radix sort by 11-bit digits; digits that all keys share are skipped.
inline void radix_sort(std::vector<Keyed>& items, std::vector<Keyed>& spare) {
    constexpr int digit_bits = 11;
    constexpr std::size_t n_digits = std::size_t{1} << digit_bits;
    std::uint64_t any = 0, every = ~std::uint64_t{0};
    for (const Keyed& item : items) {
        any |= item.key;
        every &= item.key;
    }
    const std::uint64_t varying = any ^ every;
    std::vector<std::uint32_t> start(n_digits);
    spare.resize(items.size());
    for (int shift = 0; shift < 64; shift += digit_bits) {
        if (((varying >> shift) & (n_digits - 1)) == 0) continue;
        std::fill(start.begin(), start.end(), 0);
        for (const Keyed& item : items) ++start[(item.key >> shift) & (n_digits - 1)];
        std::exclusive_scan(start.begin(), start.end(), start.begin(), std::uint32_t{0});
        for (const Keyed& item : items) spare[start[(item.key >> shift) & (n_digits - 1)]++] = item;
        items.swap(spare);
    }
}

inline void sort_by_key(std::vector<Keyed>& items, std::vector<Keyed>& spare) {
    constexpr std::size_t radix_pays = 256;
    if (items.size() >= radix_pays) return radix_sort(items, spare);
    std::stable_sort(items.begin(), items.end(),
                     [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
}

}  // namespace detail

inline Ranking rank_classes(std::size_t n_dets, const std::int32_t* class_row, const double* score,
                            std::size_t n_classes, int threads) {
    Ranking ranking;
    ranking.offsets.assign(n_classes + 1, 0);
    for (std::size_t d = 0; d < n_dets; ++d) ++ranking.offsets[class_row[d] + 1];
    std::partial_sum(ranking.offsets.begin(), ranking.offsets.end(), ranking.offsets.begin());
    ranking.order.resize(n_dets);
    std::vector<std::int64_t> next(ranking.offsets.begin(), ranking.offsets.end() - 1);
    for (std::size_t d = 0; d < n_dets; ++d)
        ranking.order[next[class_row[d]]++] = static_cast<std::int32_t>(d);

    for_each_task(n_classes, threads, [&] {
        return [&, items = std::vector<detail::Keyed>(),
                spare = std::vector<detail::Keyed>()](std::size_t k) mutable {
            items.clear();
            for (std::int64_t i = ranking.offsets[k]; i < ranking.offsets[k + 1]; ++i) {
                std::int32_t row = ranking.order[i];
                items.push_back({detail::descending_key(score[row]), row});
            }
            detail::sort_by_key(items, spare);
            std::int64_t at = ranking.offsets[k];
            for (const detail::Keyed& item : items) ranking.order[at++] = item.row;
        };
    });
    return ranking;
}

}  // namespace boxlens
