// How many pairs of boxes of one group overlap enough: exact, without looking at every pair.
//
// Boxes of a group stand in a tree whose nodes know the range of every corner and of the area.
// Rounding is monotone, so the overlap of two ranges, computed as that of two boxes is, bounds every
// overlap between them to the last bit: whole nodes are counted or left out at once, and only pairs
// near the threshold are looked at one by one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

namespace detail {

// The ranges of corners and areas that the boxes begin : end of a tree span.
struct BoxRange {
    double x1_low, x1_high, y1_low, y1_high, x2_low, x2_high, y2_low, y2_high;
    double area_low, area_high;
    std::int32_t begin, end;
    std::int32_t left = -1;  // the right child follows it; -1: a leaf

    std::int64_t size() const { return end - begin; }
};

enum class Overlap { none, all, some };

inline double side(double low, double high) { return std::max(high - low, 0.0); }

// Do all pairs of two nodes reach the overlap, none, or perhaps some?
inline Overlap overlap_of(const BoxRange& a, const BoxRange& b, double iou) {
    double most = side(std::max(a.x1_low, b.x1_low), std::min(a.x2_high, b.x2_high)) *
                  side(std::max(a.y1_low, b.y1_low), std::min(a.y2_high, b.y2_high));
    double least_whole = a.area_low + b.area_low - most;
    if (least_whole > 0 && most / least_whole < iou) return Overlap::none;
    double least = side(std::max(a.x1_high, b.x1_high), std::min(a.x2_low, b.x2_low)) *
                   side(std::max(a.y1_high, b.y1_high), std::min(a.y2_low, b.y2_low));
    double most_whole = a.area_high + b.area_high - least;
    return least / most_whole >= iou ? Overlap::all : Overlap::some;
}

// The boxes of one group, near ones beside each other.
class BoxTree {
  public:
    explicit BoxTree(std::vector<Box> boxes) {
        // Nothing overlaps a box without area.
        std::erase_if(boxes, [](const Box& box) { return !(box.w > 0 && box.h > 0); });
        if (boxes.empty()) return;
        nodes_.reserve(4 * boxes.size() / leaf_size + 4);
        nodes_.push_back({});
        split(0, boxes, 0, static_cast<std::int32_t>(boxes.size()));
        for (auto* column : {&x1_, &y1_, &x2_, &y2_, &area_}) column->reserve(boxes.size());
        for (const Box& box : boxes) {
            x1_.push_back(box.x);
            y1_.push_back(box.y);
            x2_.push_back(box.w + box.x);
            y2_.push_back(box.h + box.y);
            area_.push_back(box.w * box.h);
        }
    }

    bool empty() const { return nodes_.empty(); }
    const BoxRange& node(std::int32_t row) const { return nodes_[static_cast<std::size_t>(row)]; }

    // Pairs within a node, and between two.
    std::int64_t count_within(std::int32_t row, double iou) const {
        const BoxRange& one = node(row);
        if (overlap_of(one, one, iou) == Overlap::all) return one.size() * (one.size() - 1) / 2;
        if (one.left < 0) return look_within(one, iou);
        return count_within(one.left, iou) + count_within(one.left + 1, iou) +
               count_between(one.left, one.left + 1, iou);
    }

    std::int64_t count_between(std::int32_t a_row, std::int32_t b_row, double iou) const {
        const BoxRange &a = node(a_row), &b = node(b_row);
        switch (overlap_of(a, b, iou)) {
            case Overlap::none: return 0;
            case Overlap::all: return a.size() * b.size();
            case Overlap::some: break;
        }
        if (a.left < 0 && b.left < 0) return look_between(a, b, iou);
        if (b.left < 0 || (a.left >= 0 && a.size() >= b.size()))
            return count_between(a.left, b_row, iou) + count_between(a.left + 1, b_row, iou);
        return count_between(a_row, b.left, iou) + count_between(a_row, b.left + 1, iou);
    }

  private:
    static constexpr std::int32_t leaf_size = 4;

    static BoxRange range_of(const std::vector<Box>& boxes, std::int32_t begin, std::int32_t end) {
        constexpr double inf = std::numeric_limits<double>::infinity();
        BoxRange range{inf, -inf, inf, -inf, inf, -inf, inf, -inf, inf, -inf, begin, end};
        auto widen = [](double& low, double& high, double value) {
            low = std::min(low, value);
            high = std::max(high, value);
        };
        for (std::int32_t row = begin; row < end; ++row) {
            const Box& box = boxes[static_cast<std::size_t>(row)];
            widen(range.x1_low, range.x1_high, box.x);
            widen(range.y1_low, range.y1_high, box.y);
            widen(range.x2_low, range.x2_high, box.w + box.x);
            widen(range.y2_low, range.y2_high, box.h + box.y);
            widen(range.area_low, range.area_high, box.w * box.h);
        }
        return range;
    }

    // Overlap depends on sides as ratios and on places in sides: the longest of these is halved.
    static double coordinate(const Box& box, int axis) {
        switch (axis) {
            case 0: return box.w;
            case 1: return box.h;
            case 2: return box.x + box.w / 2;
            default: return box.y + box.h / 2;
        }
    }

    static int longest_axis(const std::vector<Box>& boxes, std::int32_t begin, std::int32_t end) {
        std::array<double, 4> low, high;
        low.fill(std::numeric_limits<double>::infinity());
        high.fill(-std::numeric_limits<double>::infinity());
        for (std::int32_t row = begin; row < end; ++row)
            for (int axis = 0; axis < 4; ++axis) {
                double value = coordinate(boxes[static_cast<std::size_t>(row)], axis);
                low[axis] = std::min(low[axis], value);
                high[axis] = std::max(high[axis], value);
            }
        std::array<double, 4> length{
            std::log(high[0] / low[0]), std::log(high[1] / low[1]),
            (high[2] - low[2]) / std::sqrt(low[0] * high[0]),
            (high[3] - low[3]) / std::sqrt(low[1] * high[1])};
        return static_cast<int>(std::max_element(length.begin(), length.end()) - length.begin());
    }

    void split(std::int32_t row, std::vector<Box>& boxes, std::int32_t begin, std::int32_t end) {
        BoxRange range = range_of(boxes, begin, end);
        if (end - begin > leaf_size) {
            int axis = longest_axis(boxes, begin, end);
            std::int32_t middle = begin + (end - begin) / 2;
            std::nth_element(boxes.begin() + begin, boxes.begin() + middle, boxes.begin() + end,
                             [axis](const Box& a, const Box& b) {
                                 return coordinate(a, axis) < coordinate(b, axis);
                             });
            range.left = static_cast<std::int32_t>(nodes_.size());
            nodes_.push_back({});
            nodes_.push_back({});
            split(range.left, boxes, begin, middle);
            split(range.left + 1, boxes, middle, end);
        }
        nodes_[static_cast<std::size_t>(row)] = range;
    }

    // The operations and their order are those of `overlap`; without branches, for vector units.
    std::int64_t look(std::size_t one, std::int32_t begin, std::int32_t end, double iou) const {
        const double x1 = x1_[one], y1 = y1_[one], x2 = x2_[one], y2 = y2_[one], area = area_[one];
        std::int64_t n = 0;
        for (auto row = static_cast<std::size_t>(begin); row < static_cast<std::size_t>(end); ++row) {
            double common = side(std::max(x1, x1_[row]), std::min(x2, x2_[row])) *
                            side(std::max(y1, y1_[row]), std::min(y2, y2_[row]));
            n += common / (area + area_[row] - common) >= iou;
        }
        return n;
    }

    std::int64_t look_within(const BoxRange& a, double iou) const {
        std::int64_t n = 0;
        for (std::int32_t row = a.begin; row < a.end; ++row)
            n += look(static_cast<std::size_t>(row), row + 1, a.end, iou);
        return n;
    }

    std::int64_t look_between(const BoxRange& a, const BoxRange& b, double iou) const {
        std::int64_t n = 0;
        for (std::int32_t row = a.begin; row < a.end; ++row)
            n += look(static_cast<std::size_t>(row), b.begin, b.end, iou);
        return n;
    }

    std::vector<BoxRange> nodes_;
    std::vector<double> x1_, y1_, x2_, y2_, area_;
};

// Pairs of nodes that share the work out: small enough to be many, and not yet decided.
class PairTasks {
  public:
    PairTasks(const BoxTree& tree, double iou) : tree_(tree), iou_(iou) {
        if (tree.empty()) return;
        most_ = std::max<std::int64_t>(tree.node(0).size() / pieces, 1);
        within(0);
    }

    std::size_t size() const { return tasks_.size(); }
    std::int64_t n_decided() const { return n_decided_; }
    std::int64_t count(std::size_t task) const {
        auto [a, b] = tasks_[task];
        return a == b ? tree_.count_within(a, iou_) : tree_.count_between(a, b, iou_);
    }

  private:
    static constexpr std::int64_t pieces = 64;

    void within(std::int32_t row) {
        const BoxRange& one = tree_.node(row);
        if (one.left < 0 || one.size() <= most_) {
            tasks_.emplace_back(row, row);
            return;
        }
        within(one.left);
        within(one.left + 1);
        between(one.left, one.left + 1);
    }

    void between(std::int32_t a_row, std::int32_t b_row) {
        const BoxRange &a = tree_.node(a_row), &b = tree_.node(b_row);
        const Overlap overlap = overlap_of(a, b, iou_);
        if (overlap == Overlap::none) return;
        if (overlap == Overlap::all) {
            n_decided_ += a.size() * b.size();
        } else if (a.left < 0 || b.left < 0 || std::max(a.size(), b.size()) <= most_) {
            tasks_.emplace_back(a_row, b_row);
        } else {
            for (std::int32_t left : {a.left, a.left + 1})
                for (std::int32_t right : {b.left, b.left + 1}) between(left, right);
        }
    }

    const BoxTree& tree_;
    double iou_;
    std::int64_t most_ = 1;
    std::int64_t n_decided_ = 0;
    std::vector<std::pair<std::int32_t, std::int32_t>> tasks_;
};

}  // namespace detail

// Pairs i < j with IoU >= iou, which is above 0.
inline std::int64_t count_overlapping_pairs(const Box* boxes, std::size_t n, double iou,
                                            int threads) {
    const detail::BoxTree tree(std::vector<Box>(boxes, boxes + n));
    const detail::PairTasks tasks(tree, iou);
    std::atomic<std::int64_t> total{tasks.n_decided()};
    for_each_task(tasks.size(), threads,
                  [&] { return [&](std::size_t task) { total += tasks.count(task); }; });
    return total;
}

// For every object how many others of its class and image touch it, or are `gap` away at most.
inline std::vector<std::int32_t> count_neighbours(const std::int64_t* offsets, std::size_t n_images,
                                                  const std::int32_t* class_row, const Box* box,
                                                  double gap, int threads) {
    std::vector<std::int32_t> n_neighbours(static_cast<std::size_t>(offsets[n_images]), 0);
    constexpr std::size_t images_per_task = 128;
    auto near = [&](const Box& a, const Box& b) {
        return std::max(a.x, b.x) - std::min(a.w + a.x, b.w + b.x) <= gap &&
               std::max(a.y, b.y) - std::min(a.h + a.y, b.h + b.y) <= gap;
    };
    for_each_task((n_images + images_per_task - 1) / images_per_task, threads, [&] {
        return [&](std::size_t task) {
            const std::size_t first = task * images_per_task;
            const std::size_t last = std::min(first + images_per_task, n_images);
            for (std::size_t image = first; image < last; ++image)
                for (std::int64_t i = offsets[image]; i < offsets[image + 1]; ++i)
                    for (std::int64_t j = i + 1; j < offsets[image + 1]; ++j)
                        if (class_row[i] == class_row[j] && near(box[i], box[j])) {
                            ++n_neighbours[static_cast<std::size_t>(i)];
                            ++n_neighbours[static_cast<std::size_t>(j)];
                        }
        };
    });
    return n_neighbours;
}

}  // namespace boxlens
