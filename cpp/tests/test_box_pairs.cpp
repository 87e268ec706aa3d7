// Pairs of boxes of a group, and neighbours, against plain loops.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "box_pairs.hpp"
#include "check.hpp"
#include "overlaps.hpp"

using namespace boxlens;

namespace {

std::int64_t plain_pairs(const std::vector<Box>& boxes, double iou) {
    std::int64_t n = 0;
    for (std::size_t i = 0; i < boxes.size(); ++i)
        for (std::size_t j = i + 1; j < boxes.size(); ++j)
            n += overlap(boxes[i], boxes[j], false) >= iou;
    return n;
}

// Whole numbers: equal boxes, sides of zero and overlaps of exactly a half occur.
std::vector<Box> whole_boxes(std::mt19937& random, std::size_t n, unsigned span) {
    auto up_to = [&](unsigned most) { return 1. * (random() % most); };
    std::vector<Box> boxes(n);
    for (Box& box : boxes) box = {up_to(span), up_to(span), up_to(span), up_to(span)};
    return boxes;
}

// Fractions of an image, from tiny to whole.
std::vector<Box> fraction_boxes(std::mt19937& random, std::size_t n) {
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Box> boxes(n);
    for (Box& box : boxes) {
        double w = std::pow(unit(random), 3), h = std::pow(unit(random), 3);
        box = {unit(random) * (1 - w), unit(random) * (1 - h), w, h};
    }
    return boxes;
}

void pairs_are_those_of_plain_loops() {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        const std::size_t n = random() % 120;
        const std::vector<Box> boxes =
            seed % 3 ? whole_boxes(random, n, 2 + seed % 9) : fraction_boxes(random, n);
        for (double iou : {1e-9, 0.3, 0.5, 0.75, 1 - 1e-10})
            CHECK(count_overlapping_pairs(boxes.data(), n, iou, 1 + static_cast<int>(seed % 2)) ==
                  plain_pairs(boxes, iou));
    }
}

void many_boxes_are_counted_as_few() {
    std::mt19937 random(7);
    const std::vector<Box> boxes = fraction_boxes(random, 3000);
    const std::int64_t expected = plain_pairs(boxes, 0.5);
    for (int threads : {1, 2, 5})
        CHECK(count_overlapping_pairs(boxes.data(), boxes.size(), 0.5, threads) == expected);
}

void equal_boxes_all_overlap() {
    const std::vector<Box> boxes(1000, Box{0.1, 0.2, 0.3, 0.4});
    CHECK(count_overlapping_pairs(boxes.data(), boxes.size(), 0.5, 1) == 1000 * 999 / 2);
    CHECK(count_overlapping_pairs(boxes.data(), 1, 0.5, 1) == 0);
    CHECK(count_overlapping_pairs(boxes.data(), 0, 0.5, 1) == 0);
}

void neighbours_touch_or_are_near() {
    // Two that share an edge, one two pixels off, one of another class, one in another image.
    const std::vector<std::int64_t> offsets{0, 4, 4, 5};
    const std::vector<std::int32_t> class_row{0, 0, 0, 1, 0};
    const std::vector<Box> box{
        {0, 0, 10, 10}, {10, 0, 10, 10}, {22, 0, 5, 5}, {0, 0, 10, 10}, {0, 0, 10, 10}};
    auto counted = [&](double gap) {
        return count_neighbours(offsets.data(), 3, class_row.data(), box.data(), gap, 1);
    };
    CHECK((counted(0) == std::vector<std::int32_t>{1, 1, 0, 0, 0}));
    CHECK((counted(2) == std::vector<std::int32_t>{1, 2, 1, 0, 0}));
}

}  // namespace

int main() {
    pairs_are_those_of_plain_loops();
    many_boxes_are_counted_as_few();
    equal_boxes_all_overlap();
    neighbours_touch_or_are_near();
    return check::report();
}
