// One-to-one matching of two lists of boxes, and duplicates, against plain loops.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "box_matching.hpp"
#include "check.hpp"
#include "duplicates.hpp"
#include "overlaps.hpp"

using namespace boxlens;

namespace {

using Offsets = std::vector<std::int64_t>;

// Whole numbers: equal boxes, sides of zero and equal overlaps occur.
std::vector<Box> random_boxes(std::mt19937& random, std::size_t n, unsigned span) {
    auto up_to = [&](unsigned most) { return 1. * (random() % most); };
    std::vector<Box> boxes(n);
    for (Box& box : boxes) box = {up_to(span), up_to(span), up_to(span), up_to(span)};
    return boxes;
}

Offsets random_offsets(std::mt19937& random, std::size_t n_images, unsigned most) {
    Offsets offsets{0};
    for (std::size_t i = 0; i < n_images; ++i) offsets.push_back(offsets.back() + random() % most);
    return offsets;
}

// Looks through all pairs again after each match.
BoxMatches plain_matches(const Offsets& a_offsets, const std::vector<Box>& a,
                         const Offsets& b_offsets, const std::vector<Box>& b, std::int64_t budget) {
    BoxMatches out{std::vector<double>(a.size(), 0), std::vector<double>(a.size(), 0),
                   std::vector<std::int64_t>(a.size(), -1)};
    for (std::size_t image = 0; image + 1 < a_offsets.size(); ++image) {
        const std::int64_t last = std::min(b_offsets[image + 1], b_offsets[image] + budget);
        std::vector<std::uint8_t> taken(b.size(), 0);
        for (std::int64_t i = a_offsets[image]; i < a_offsets[image + 1]; ++i)
            for (std::int64_t j = b_offsets[image]; j < last; ++j)
                out.best[i] = std::max(out.best[i], overlap(a[i], b[j], false));
        while (true) {
            double most = 0;
            std::int64_t row = -1, partner = -1;
            for (std::int64_t i = a_offsets[image]; i < a_offsets[image + 1]; ++i)
                for (std::int64_t j = b_offsets[image]; j < last; ++j) {
                    if (out.partner[i] >= 0 || taken[j]) continue;
                    double iou = overlap(a[i], b[j], false);
                    if (iou > most) most = iou, row = i, partner = j;
                }
            if (row < 0) break;
            taken[partner] = 1;
            out.iou[row] = most;
            out.partner[row] = partner;
        }
    }
    return out;
}

void matches_are_those_of_plain_loops() {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        const std::size_t n_images = 1 + random() % 4;
        const Offsets a_offsets = random_offsets(random, n_images, 12);
        const Offsets b_offsets = random_offsets(random, n_images, 30);
        const unsigned span = 2 + seed % 9;
        const auto a = random_boxes(random, static_cast<std::size_t>(a_offsets.back()), span);
        const auto b = random_boxes(random, static_cast<std::size_t>(b_offsets.back()), span);
        const Offsets budgets{1, 3, 10, 100};
        const BoxLists lists{a_offsets.data(), a.data(), b_offsets.data(), b.data(), n_images};
        const BoxMatches found = match_boxes(lists, budgets, 1 + static_cast<int>(seed % 3));
        for (std::size_t k = 0; k < budgets.size(); ++k) {
            const BoxMatches plain = plain_matches(a_offsets, a, b_offsets, b, budgets[k]);
            for (std::size_t i = 0; i < a.size(); ++i) {
                const std::size_t place = k * a.size() + i;
                CHECK(found.iou[place] == plain.iou[i]);
                CHECK(found.best[place] == plain.best[i]);
                CHECK(found.partner[place] == plain.partner[i]);
            }
        }
    }
}

void duplicates_are_told_after_rounding() {
    const std::vector<Box> boxes{{0.4, 0, 10, 10}, {0, 0.2, 10, 9.7}, {0.5, 0, 10, 10},
                                 {0, 0, 10, 10},   {0, 0, 10, 10},    {0, 0, 10, 10}};
    // 0.4 + 10 rounds up to 11; the second and the fourth lie on the same pixels.
    const Offsets offsets{0, 5, 6};
    const std::vector<std::uint8_t> expected{1, 1, 1, 0, 0, 1};
    for (int threads : {1, 2})
        CHECK(first_on_pixels(offsets.data(), 2, boxes.data(), threads) == expected);
}

}  // namespace

int main() {
    matches_are_those_of_plain_loops();
    duplicates_are_told_after_rounding();
    return check::report();
}
