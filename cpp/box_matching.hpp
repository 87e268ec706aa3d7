// Boxes of two lists matched one to one, image by image, from the largest overlap down (METHODS 6.2),
// for several lengths of the second list at once.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "overlaps.hpp"
#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

// Boxes of both lists, grouped by image.
struct BoxLists {
    const std::int64_t* a_offsets = nullptr;
    const Box* a = nullptr;
    const std::int64_t* b_offsets = nullptr;
    const Box* b = nullptr;
    std::size_t n_images = 0;
};

// By budget and row of a: partner among the first `budget` of b, and the largest overlap with any.
struct BoxMatches {
    std::vector<double> iou, best;
    std::vector<std::int64_t> partner;  // a row of b, -1 none
};

namespace detail {

// Matches one image after the other; keeps its buffers.
class ImageMatcher {
  public:
    ImageMatcher(const BoxLists& lists, std::span<const std::int64_t> budgets, BoxMatches& out)
        : lists_(lists), budgets_(budgets), out_(out) {}

    void match_image(std::size_t image) {
        begin_ = lists_.a_offsets[image];
        n_a_ = static_cast<std::size_t>(lists_.a_offsets[image + 1] - begin_);
        first_b_ = lists_.b_offsets[image];
        const std::int64_t n_b = lists_.b_offsets[image + 1] - first_b_;
        find_pairs(std::min(n_b, budgets_.back()));
        const auto n_all = static_cast<std::size_t>(lists_.a_offsets[lists_.n_images]);
        for (std::size_t i = 0; i < budgets_.size(); ++i)
            match_budget(std::min(n_b, budgets_[i]), i * n_all);
    }

  private:
    struct Pair {
        double iou;
        std::int32_t b;  // within the image
    };

    // The best pair that a row has left.
    struct Candidate {
        double iou;
        std::int32_t row, b;
        // Largest overlap first, then the earlier row.
        bool operator<(const Candidate& other) const {
            return iou != other.iou ? iou < other.iou : row > other.row;
        }
    };

    // The overlaps of every row with the first boxes of b, b ascending; none of 0.
    void find_pairs(std::int64_t n_b) {
        const auto n = static_cast<std::size_t>(n_b);
        spread(lists_.b + first_b_, n);
        ious_.resize(n);
        row_offsets_.assign(1, 0);
        std::size_t n_pairs = 0;
        for (std::size_t row = 0; row < n_a_; ++row) {
            overlap_with_all(lists_.a[begin_ + static_cast<std::int64_t>(row)], n);
            if (pairs_.size() < n_pairs + n) pairs_.resize(2 * (n_pairs + n));
            // Without a branch, which could not be foreseen: the next pair overwrites one of 0.
            for (std::size_t b = 0; b < n; ++b) {
                pairs_[n_pairs] = {ious_[b], static_cast<std::int32_t>(b)};
                n_pairs += ious_[b] > 0;
            }
            row_offsets_.push_back(n_pairs);
        }
    }

    // Column after column: right, bottom and area are worked out once.
    void spread(const Box* b, std::size_t n) {
        for (auto* column : {&x1_, &y1_, &x2_, &y2_, &area_}) column->resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            x1_[i] = b[i].x;
            y1_[i] = b[i].y;
            x2_[i] = b[i].w + b[i].x;
            y2_[i] = b[i].h + b[i].y;
            area_[i] = b[i].w * b[i].h;
        }
    }

    // To the last bit as `overlap` does it, several boxes in one instruction: plain comparisons of
    // local values, for a branch on whether two boxes meet, which cannot be foreseen, would cost
    // more than all the rest. Two boxes without area give NaN, which is not above 0 either.
    void overlap_with_all(const Box& a, std::size_t n) {
        const double left = a.x, top = a.y, right = a.w + a.x, bottom = a.h + a.y;
        const double area = a.w * a.h;
        const double* __restrict x1 = x1_.data();
        const double* __restrict y1 = y1_.data();
        const double* __restrict x2 = x2_.data();
        const double* __restrict y2 = y2_.data();
        const double* __restrict areas = area_.data();
        double* __restrict iou = ious_.data();
        for (std::size_t i = 0; i < n; ++i) {
            const double b_left = x1[i], b_top = y1[i], b_right = x2[i], b_bottom = y2[i];
            const double width =
                (b_right < right ? b_right : right) - (b_left > left ? b_left : left);
            const double height =
                (b_bottom < bottom ? b_bottom : bottom) - (b_top > top ? b_top : top);
            const double common = positive(width) * positive(height);
            iou[i] = common / (area + areas[i] - common);
        }
    }

    // The number, or 0 below it.
    static double positive(double a) { return (a + std::abs(a)) * 0.5; }

    void match_budget(std::int64_t n_b, std::size_t out) {
        taken_.assign(static_cast<std::size_t>(n_b), 0);
        waiting_ = {};
        for (std::size_t row = 0; row < n_a_; ++row) {
            const std::size_t place = out + static_cast<std::size_t>(begin_) + row;
            const Candidate first = best_left(row, n_b);
            out_.best[place] = first.iou;
            if (first.iou > 0) waiting_.push(first);
        }
        while (!waiting_.empty()) {
            const Candidate top = waiting_.top();
            waiting_.pop();
            if (taken_[top.b]) {
                const Candidate next = best_left(static_cast<std::size_t>(top.row), n_b);
                if (next.iou > 0) waiting_.push(next);
                continue;
            }
            taken_[top.b] = 1;
            const std::size_t place =
                out + static_cast<std::size_t>(begin_) + static_cast<std::size_t>(top.row);
            out_.iou[place] = top.iou;
            out_.partner[place] = first_b_ + top.b;
        }
    }

    // The first of the largest overlaps of a row with boxes that are not taken; 0 where none is.
    Candidate best_left(std::size_t row, std::int64_t n_b) const {
        Candidate best{0, static_cast<std::int32_t>(row), -1};
        for (std::size_t p = row_offsets_[row]; p < row_offsets_[row + 1]; ++p) {
            const Pair& pair = pairs_[p];
            if (pair.b >= n_b) break;
            if (pair.iou > best.iou && !taken_[pair.b]) {
                best.iou = pair.iou;
                best.b = pair.b;
            }
        }
        return best;
    }

    const BoxLists& lists_;
    std::span<const std::int64_t> budgets_;
    BoxMatches& out_;
    std::int64_t begin_ = 0, first_b_ = 0;
    std::size_t n_a_ = 0;
    std::vector<double> x1_, y1_, x2_, y2_, area_, ious_;
    std::vector<Pair> pairs_;
    std::vector<std::size_t> row_offsets_;
    std::vector<std::uint8_t> taken_;
    std::priority_queue<Candidate> waiting_;
};

}  // namespace detail

// Budgets ascend; of an image with fewer boxes in b all are looked at.
inline BoxMatches match_boxes(const BoxLists& lists, std::span<const std::int64_t> budgets,
                              int threads) {
    const auto n = static_cast<std::size_t>(lists.a_offsets[lists.n_images]) * budgets.size();
    BoxMatches out{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0),
                   std::vector<std::int64_t>(n, -1)};
    for_each_task(lists.n_images, threads, [&] {
        return [matcher = detail::ImageMatcher(lists, budgets, out)](std::size_t image) mutable {
            matcher.match_image(image);
        };
    });
    return out;
}

}  // namespace boxlens
