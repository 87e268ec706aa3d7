// Precision on a recall grid for every class and cell, from ranked matches (METHODS 0.6 c).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "assign.hpp"
#include "cells.hpp"
#include "parallel.hpp"

namespace boxlens {

// How detections of equal score stand: in their order, or as bad or as good for the detector as
// their order could be (METHODS 10: the band of AP over tie orders).
enum class TieOrder { ranked, worst, best };

struct RankedMatches {
    const std::int32_t* order = nullptr;
    const std::int64_t* class_offsets = nullptr;
    std::size_t n_classes = 0;
    const double* score = nullptr;
    const Word* det_tp = nullptr;
    const Word* det_ignored = nullptr;
    const std::int32_t* det_rank = nullptr;
    const std::int64_t* n_positive = nullptr;  // [class][area]
    std::size_t n_thresholds = 0;
    std::size_t n_areas = 0;
};

struct GridChoice {
    std::int64_t max_dets = 100;
    std::vector<double> recalls;  // ascending
    bool with_scores = false;
    bool with_tie_band = false;
};

// NaN where a class has no object.
struct PrecisionGrid {
    std::vector<double> precision;  // [class][area][threshold][recall]
    std::vector<double> score;      // the same, if asked for
    std::vector<double> tie_band;   // [class][threshold][worst, best]: AP over the first area
};

namespace detail {

class ClassAccumulator {
  public:
    ClassAccumulator(const RankedMatches& in, const GridChoice& choice, PrecisionGrid& out)
        : in_(in), choice_(choice), out_(out), sampled_(choice.recalls.size()) {
        for (std::size_t a = 0; a < in_.n_areas; ++a)
            first_of_area_ |= Word{1} << (a * in_.n_thresholds);
    }

    void accumulate(std::size_t k) {
        collect(k);
        for (std::size_t a = 0; a < in_.n_areas; ++a) {
            const std::int64_t n_positive = in_.n_positive[k * in_.n_areas + a];
            if (n_positive == 0) continue;
            for (std::size_t t = 0; t < in_.n_thresholds; ++t) {
                find_true_positives(a, t);
                const std::size_t cell = (k * in_.n_areas + a) * in_.n_thresholds + t;
                double* precision = &out_.precision[cell * choice_.recalls.size()];
                double* score = choice_.with_scores ? &out_.score[cell * choice_.recalls.size()] : nullptr;
                sample(static_cast<double>(n_positive), precision, score);
                if (choice_.with_tie_band && a == 0)
                    find_band(t, static_cast<double>(n_positive),
                              &out_.tie_band[(k * in_.n_thresholds + t) * 2]);
            }
        }
    }

  private:
    // Splits the ranking into candidates, whose verdict differs between thresholds, and detections
    // that are wrong (or ignored) at all thresholds of an area alike: those are only counted.
    void collect(std::size_t k) {
        constexpr std::int64_t ahead = 16;  // rows are scattered: fetch before they are needed
        tp_.clear(), ignored_.clear(), score_.clear(), wrong_before_.clear(), ties_.clear();
        n_ranked_ = 0;
        const Word cells = Cells::low_bits(in_.n_areas * in_.n_thresholds);
        std::array<std::int32_t, 64> wrong{};
        double last_score = 0;
        const std::int64_t end = in_.class_offsets[k + 1];
        for (std::int64_t i = in_.class_offsets[k]; i < end; ++i) {
            fetch(in_.order[std::min(i + ahead, end - 1)]);
            const std::int32_t d = in_.order[i];
            if (in_.det_rank[d] < 0 || in_.det_rank[d] >= choice_.max_dets) continue;
            if (n_ranked_++ == 0) top_score_ = in_.score[d];
            if (choice_.with_tie_band && (ties_.empty() || in_.score[d] != last_score))
                ties_.push_back({tp_.size(), wrong[0]});
            last_score = in_.score[d];
            const Word tp = in_.det_tp[d] & cells, ignored = in_.det_ignored[d] & cells;
            if (tp == 0 && alike_at_all_thresholds(ignored)) {
                for (std::size_t a = 0; a < in_.n_areas; ++a)
                    wrong[a] += static_cast<std::int32_t>(~ignored >> (a * in_.n_thresholds) & 1);
                continue;
            }
            tp_.push_back(tp);
            ignored_.push_back(ignored);
            score_.push_back(in_.score[d]);
            wrong_before_.insert(wrong_before_.end(), wrong.begin(), wrong.begin() + in_.n_areas);
        }
        ties_.push_back({tp_.size(), wrong[0]});
    }

    void fetch(std::int32_t d) const {
        __builtin_prefetch(&in_.det_rank[d]);
        __builtin_prefetch(&in_.score[d]);
        __builtin_prefetch(&in_.det_tp[d]);
        __builtin_prefetch(&in_.det_ignored[d]);
    }

    bool alike_at_all_thresholds(Word ignored) const {
        return (ignored & first_of_area_) * Cells::low_bits(in_.n_thresholds) == ignored;
    }

    // For each true positive of the cell: its score and the number of counted detections so far.
    void find_true_positives(std::size_t a, std::size_t t) {
        const std::size_t bit = a * in_.n_thresholds + t, n = tp_.size();
        tp_at_.resize(n + 1);
        counted_.resize(n + 1);
        std::int32_t counted = 0;
        n_tp_ = 0;
        for (std::size_t c = 0; c < n; ++c) {
            counted += static_cast<std::int32_t>(~ignored_[c] >> bit & 1);
            tp_at_[n_tp_] = static_cast<std::int32_t>(c);
            counted_[n_tp_] = counted + wrong_before_[c * in_.n_areas + a];
            n_tp_ += tp_[c] >> bit & 1;
        }
        find_envelope();
    }

    // The best precision at each true positive or after it.
    void find_envelope() {
        // pycocotools adds one spacing to the count: it shows in the last bit where the count is 1.
        constexpr double spacing = std::numeric_limits<double>::epsilon();
        precision_.resize(n_tp_);
        for (std::size_t i = 0; i < n_tp_; ++i)
            precision_[i] = static_cast<double>(i + 1) / (static_cast<double>(counted_[i]) + spacing);
        for (std::size_t i = n_tp_; i-- > 1;)
            precision_[i - 1] = std::max(precision_[i - 1], precision_[i]);
    }

    // The first rank whose recall reaches each grid point; nothing beyond the last.
    void sample(double n_positive, double* precision_at, double* score_at) {
        std::size_t i = 0;
        for (std::size_t r = 0; r < choice_.recalls.size(); ++r) {
            while (i < n_tp_ && static_cast<double>(i + 1) / n_positive < choice_.recalls[r]) ++i;
            double precision = 0, score = 0;
            if (choice_.recalls[r] <= 0 && n_ranked_ > 0) {  // any detection reaches a recall of 0
                precision = n_tp_ ? precision_[0] : 0;
                score = top_score_;
            } else if (i < n_tp_) {
                precision = precision_[i];
                score = score_[tp_at_[i]];
            }
            precision_at[r] = precision;
            if (score_at) score_at[r] = score;
        }
    }

    // AP over the first area with every tie in its worst and its best order.
    void find_band(std::size_t t, double n_positive, double* ends) {
        for (TieOrder order : {TieOrder::worst, TieOrder::best}) {
            count_with_ties(order, t);
            find_envelope();
            sample(n_positive, sampled_.data(), nullptr);
            double sum = std::accumulate(sampled_.begin(), sampled_.end(), 0.0);
            *ends++ = sum / static_cast<double>(sampled_.size());
        }
    }

    void count_with_ties(TieOrder order, std::size_t bit) {
        std::int32_t counted = 0;
        std::size_t i = 0;
        for (std::size_t tie = 0; tie + 1 < ties_.size(); ++tie) {
            std::int32_t n_right = 0, n_counted = 0;
            for (std::size_t c = ties_[tie].first; c < ties_[tie + 1].first; ++c) {
                n_right += static_cast<std::int32_t>(tp_[c] >> bit & 1);
                n_counted += static_cast<std::int32_t>(~ignored_[c] >> bit & 1);
            }
            std::int32_t before = counted + ties_[tie].second;
            if (order == TieOrder::worst)
                before = counted + n_counted - n_right + ties_[tie + 1].second;
            for (std::int32_t right = 1; right <= n_right; ++right) counted_[i++] = before + right;
            counted += n_counted;
        }
    }

    const RankedMatches& in_;
    const GridChoice& choice_;
    PrecisionGrid& out_;
    std::vector<Word> tp_, ignored_;  // candidates of the class at hand, in rank order
    std::vector<double> score_;
    std::vector<std::int32_t> wrong_before_;  // [candidate][area]
    // Where each run of equal scores starts: its first candidate, and the merely counted
    // detections of the first area that stand before it.
    std::vector<std::pair<std::size_t, std::int32_t>> ties_;
    std::vector<std::int32_t> tp_at_, counted_;
    std::vector<double> precision_, sampled_;
    std::size_t n_ranked_ = 0, n_tp_ = 0;
    double top_score_ = 0;
    Word first_of_area_ = 0;
};

}  // namespace detail

inline PrecisionGrid accumulate(const RankedMatches& in, const GridChoice& choice, int threads) {
    const std::size_t n_cells = in.n_classes * in.n_areas * in.n_thresholds;
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    PrecisionGrid out;
    out.precision.assign(n_cells * choice.recalls.size(), undefined);
    if (choice.with_scores) out.score.assign(n_cells * choice.recalls.size(), undefined);
    if (choice.with_tie_band) out.tie_band.assign(in.n_classes * in.n_thresholds * 2, undefined);
    for_each_task(in.n_classes, threads, [&] {
        return [accumulator = detail::ClassAccumulator(in, choice, out)](
                   std::size_t k) mutable { accumulator.accumulate(k); };
    });
    return out;
}

// How many true positives every class has in every cell, by detections ranked before each of
// max_dets, which ascend: [max_dets][class][area][threshold].
inline std::vector<std::int64_t> count_true_positives(const RankedMatches& in, std::size_t n_dets,
                                                      const std::int32_t* class_row,
                                                      const std::vector<std::int64_t>& max_dets) {
    const std::size_t n_cells = in.n_areas * in.n_thresholds;
    const std::size_t n_counts = in.n_classes * n_cells;
    std::vector<std::int64_t> counts(max_dets.size() * n_counts, 0);
    for (std::size_t d = 0; d < n_dets; ++d) {
        if (in.det_tp[d] == 0 || in.det_rank[d] < 0) continue;
        std::size_t m = 0;
        while (m < max_dets.size() && in.det_rank[d] >= max_dets[m]) ++m;
        if (m == max_dets.size()) continue;
        std::int64_t* of_class =
            &counts[m * n_counts + static_cast<std::size_t>(class_row[d]) * n_cells];
        for (Word rest = in.det_tp[d]; rest; rest &= rest - 1) ++of_class[__builtin_ctzll(rest)];
    }
    for (std::size_t i = n_counts; i < counts.size(); ++i) counts[i] += counts[i - n_counts];
    return counts;
}

}  // namespace boxlens
