// Cells: every (area range, IoU threshold) pair is one bit of a 64-bit word, so that one AND or OR
// decides all of them at once. Bit = area * n_thresholds + threshold.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace boxlens {

using Word = std::uint64_t;

class Cells {
  public:
    // Thresholds ascend. An IoU of exactly 1 must pass a threshold of 1, hence METHODS 10's cap.
    Cells(std::vector<double> thresholds, std::vector<std::pair<double, double>> area_ranges)
        : thresholds_(std::move(thresholds)), area_ranges_(std::move(area_ranges)) {
        if (thresholds_.empty() || area_ranges_.empty() || n_cells() > 64)
            throw std::invalid_argument("between 1 and 64 cells of threshold and area fit a word");
        if (!std::is_sorted(thresholds_.begin(), thresholds_.end()))
            throw std::invalid_argument("IoU thresholds must ascend");
        for (double& t : thresholds_) t = std::min(t, 1 - 1e-10);
        reached_.assign(n_thresholds() + 1, 0);
        for (std::size_t count = 0; count <= n_thresholds(); ++count)
            for (std::size_t area = 0; area < n_areas(); ++area)
                reached_[count] |= low_bits(count) << (area * n_thresholds());
    }

    std::size_t n_thresholds() const { return thresholds_.size(); }
    std::size_t n_areas() const { return area_ranges_.size(); }
    std::size_t n_cells() const { return n_thresholds() * n_areas(); }
    Word all() const { return low_bits(n_cells()); }

    // The cells whose threshold the IoU reaches.
    Word reached(double iou) const {
        std::size_t count = 0;
        while (count < thresholds_.size() && !(iou < thresholds_[count])) ++count;
        return reached_[count];
    }

    // The cells whose area range leaves the area out; ranges are closed at both ends.
    Word outside(double area_px) const {
        Word out = 0;
        for (std::size_t a = 0; a < n_areas(); ++a)
            if (area_px < area_ranges_[a].first || area_px > area_ranges_[a].second)
                out |= low_bits(n_thresholds()) << (a * n_thresholds());
        return out;
    }

    static Word low_bits(std::size_t count) { return count >= 64 ? ~Word{0} : (Word{1} << count) - 1; }

  private:
    std::vector<double> thresholds_;
    std::vector<std::pair<double, double>> area_ranges_;
    std::vector<Word> reached_;  // by number of thresholds reached
};

}  // namespace boxlens
