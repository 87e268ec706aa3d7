// Average precision of weighted copies of one test set, without copying anything (METHODS 11).
// What is weighted is a unit, usually an image: all its detections and objects count as often as it
// weighs, one after the other in the ranking.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "cells.hpp"
#include "parallel.hpp"

namespace boxlens {

// The detections that take part, class after class, best first. Words are cells, in groups of
// n_thresholds that share their positives, as in Matches.
struct RankedRows {
    std::size_t n_classes = 0;
    const std::int64_t* class_offsets = nullptr;
    const std::int32_t* unit = nullptr;
    const Word* tp = nullptr;
    const Word* ignored = nullptr;
    const std::uint8_t* limit = nullptr;  // the first of the limits on detections that lets it pass
    const double* value = nullptr;        // what a hit counts; null: 1
};

struct WeightedObjects {
    std::size_t n = 0;
    const std::int32_t* class_row = nullptr;
    const std::int32_t* unit = nullptr;
    const Word* positive = nullptr;  // bit: group of cells
    const double* value = nullptr;   // null: 1
};

struct ResampleChoice {
    std::size_t n_thresholds = 1;
    std::size_t n_groups = 1;
    std::size_t n_limits = 0;
    std::vector<double> recalls;      // ascending; none: the area under the envelope
    bool spacing = false;             // pycocotools' one spacing more in the count
    const double* normal = nullptr;   // [replicate]: N of P_N (METHODS 2.1); null: plain precision
    bool with_precision = false;

    std::size_t n_cells() const { return n_thresholds * n_groups; }
};

// NaN where a class has no object in a replicate.
struct Resampled {
    std::vector<double> ap;         // [replicate][class][cell]
    std::vector<double> recall;     // [replicate][class][cell][limit]
    std::vector<double> precision;  // [replicate][class][cell][recall], if asked for
};

namespace detail {

// One number per group, added in one go.
template <std::size_t lanes>
struct Lanes {
    typedef std::int32_t Vector __attribute__((vector_size(lanes * sizeof(std::int32_t))));
    Vector of_group{};
};

// Most detections are wrong whatever the threshold, and differ only in the groups that ignore them.
// There are few such patterns; what counts where is looked up by the pattern's code.
template <std::size_t lanes>
class Patterns {
  public:
    static constexpr std::uint8_t candidate = 255;
    using Mask = Lanes<lanes>;  // all bits where a group counts it, else none

    Patterns(const RankedRows& rows, const ResampleChoice& choice) {
        const std::size_t n = static_cast<std::size_t>(rows.class_offsets[rows.n_classes]);
        const Word cells = Cells::low_bits(choice.n_cells());
        Word first_of_group = 0;
        for (std::size_t g = 0; g < choice.n_groups; ++g)
            first_of_group |= Word{1} << (g * choice.n_thresholds);
        code_.resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            const Word ignored = rows.ignored[i] & cells;
            const bool alike =
                (ignored & first_of_group) * Cells::low_bits(choice.n_thresholds) == ignored;
            code_[i] = rows.tp[i] & cells || !alike ? candidate : code_of(ignored, choice);
        }
    }

    const std::uint8_t* codes() const { return code_.data(); }  // [row]
    const Mask* masks() const { return masks_.data(); }         // [code]

  private:
    std::uint8_t code_of(Word ignored, const ResampleChoice& choice) {
        if (!ignored_.empty() && ignored_[last_] == ignored) return last_;
        for (std::size_t p = 0; p < ignored_.size(); ++p)
            if (ignored_[p] == ignored) return last_ = static_cast<std::uint8_t>(p);
        if (ignored_.size() == candidate) return candidate;  // more than fit: walked, not counted
        Mask mask{};
        for (std::size_t g = 0; g < choice.n_groups; ++g)
            mask.of_group[g] = ignored >> (g * choice.n_thresholds) & 1 ? 0 : -1;
        masks_.push_back(mask);
        ignored_.push_back(ignored);
        return last_ = static_cast<std::uint8_t>(ignored_.size() - 1);
    }

    std::vector<std::uint8_t> code_;
    std::vector<Word> ignored_;
    std::vector<Mask> masks_;
    std::uint8_t last_ = 0;
};

template <std::size_t lanes>
class Replicate {
  public:
    Replicate(const RankedRows& rows, const WeightedObjects& objects, const ResampleChoice& choice,
              const Patterns<lanes>& patterns, Resampled& out)
        : rows_(rows), objects_(objects), choice_(choice), patterns_(patterns), out_(out) {}

    void count(std::size_t replicate, const std::int32_t* weights) {
        weights_ = weights;
        normal_ = choice_.normal ? choice_.normal[replicate] : 0;
        count_positives();
        for (std::size_t k = 0; k < rows_.n_classes; ++k) {
            const double* positives = &positives_[k * choice_.n_groups];
            if (std::all_of(positives, positives + choice_.n_groups, [](double n) { return n <= 0; }))
                continue;
            collect(k);
            const std::size_t first = (replicate * rows_.n_classes + k) * choice_.n_cells();
            for (std::size_t g = 0; g < choice_.n_groups; ++g)
                if (positives[g] > 0) count_group(g, positives[g], first + g * choice_.n_thresholds);
            count_found(positives, first);
        }
    }

  private:
    // A candidate as one group sees it.
    struct Member {
        Word tp, wrong;  // bit: threshold
        std::int32_t weight, wrong_before;
        double value;
    };

    void count_positives() {
        positives_.assign(rows_.n_classes * choice_.n_groups, 0);
        for (std::size_t i = 0; i < objects_.n; ++i) {
            double weight = weights_[objects_.unit[i]];
            if (objects_.value) weight *= objects_.value[i];
            double* of_class =
                &positives_[static_cast<std::size_t>(objects_.class_row[i]) * choice_.n_groups];
            for (Word rest = objects_.positive[i]; rest; rest &= rest - 1)
                of_class[__builtin_ctzll(rest)] += weight;
        }
    }

    // The detections of a class whose verdict differs between cells, with what stands before them.
    void collect(std::size_t k) {
        row_.clear(), weight_.clear(), tp_.clear(), wrong_.clear(), wrong_before_.clear();
        Lanes<lanes> n_wrong;
        const std::int32_t *weights = weights_, *unit = rows_.unit;
        const std::uint8_t* codes = patterns_.codes();
        const Lanes<lanes>* masks = patterns_.masks();
        const auto end = static_cast<std::size_t>(rows_.class_offsets[k + 1]);
        for (auto i = static_cast<std::size_t>(rows_.class_offsets[k]); i < end; ++i) {
            const std::int32_t weight = weights[unit[i]];
            if (codes[i] != Patterns<lanes>::candidate) {
                n_wrong.of_group += masks[codes[i]].of_group & weight;
            } else if (weight > 0) {
                row_.push_back(i);
                weight_.push_back(weight);
                tp_.push_back(rows_.tp[i]);
                wrong_.push_back(~(rows_.tp[i] | rows_.ignored[i]));
                wrong_before_.push_back(n_wrong);
            }
        }
        hits_.resize(row_.size() + 1), misses_.resize(row_.size() + 1);
        gain_.resize(row_.size() + 1), precision_.resize(row_.size() + 1);
    }

    void count_group(std::size_t group, double n_positive, std::size_t first) {
        find_members(group);
        find_needed(n_positive);
        const std::size_t n_recalls = choice_.recalls.size();
        for (std::size_t t = 0; t < choice_.n_thresholds; ++t) {
            find_hits(t, n_positive);
            double* at_recall =
                choice_.with_precision ? &out_.precision[(first + t) * n_recalls] : nullptr;
            out_.ap[first + t] = n_recalls ? sampled(at_recall) : area(n_positive);
        }
    }

    // The candidates that count in a group at all; others are left out once for its thresholds.
    void find_members(std::size_t group) {
        const std::size_t shift = group * choice_.n_thresholds;
        const Word cells = Cells::low_bits(choice_.n_thresholds);
        members_.clear();
        for (std::size_t c = 0; c < row_.size(); ++c) {
            const Word tp = tp_[c] >> shift & cells, wrong = wrong_[c] >> shift & cells;
            if (tp | wrong)
                members_.push_back({tp, wrong, weight_[c], wrong_before_[c].of_group[group],
                                    rows_.value ? rows_.value[row_[c]] : 1});
        }
    }

    // The number of hits that first reaches each recall; a hit counts 1 where recalls are sampled.
    void find_needed(double n_positive) {
        needed_.resize(choice_.recalls.size());
        for (std::size_t r = 0; r < needed_.size(); ++r) {
            const double recall = choice_.recalls[r];
            double count = std::ceil(recall * n_positive);
            while (count > 0 && (count - 1) / n_positive >= recall) --count;
            while (count / n_positive < recall) ++count;
            needed_[r] = count;
        }
    }

    // At each hit of a cell: hits and false positives so far, and its precision.
    void find_hits(std::size_t threshold, double n_positive) {
        double n_right = 0;
        std::int32_t n_wrong = 0;
        n_hits_ = 0;
        for (const Member& member : members_) {
            const auto tp = static_cast<std::int32_t>(member.tp >> threshold & 1);
            const auto wrong = static_cast<std::int32_t>(member.wrong >> threshold & 1);
            const double gain = (member.weight & -tp) * member.value;
            n_right += gain;
            n_wrong += member.weight & -wrong;
            hits_[n_hits_] = n_right;
            gain_[n_hits_] = gain;
            misses_[n_hits_] = n_wrong + member.wrong_before;
            n_hits_ += static_cast<std::size_t>(tp);
        }
        // After the last copy of a hit, where it is best among its copies.
        if (choice_.normal) {
            for (std::size_t i = 0; i < n_hits_; ++i) {
                const double found = hits_[i] / n_positive * normal_;
                precision_[i] = found / (found + misses_[i]);
            }
        } else {
            const double more = choice_.spacing ? std::numeric_limits<double>::epsilon() : 0;
            for (std::size_t i = 0; i < n_hits_; ++i)
                precision_[i] = hits_[i] / (hits_[i] + misses_[i] + more);
        }
    }

    // The mean over the recall grid of the best precision there or beyond, from its end.
    double sampled(double* at_recall) const {
        std::size_t r = needed_.size();
        double sum = 0, best = 0;
        if (at_recall) std::fill(at_recall, at_recall + r, 0.0);
        while (r > 0 && (n_hits_ == 0 || needed_[r - 1] > hits_[n_hits_ - 1])) --r;
        for (std::size_t i = n_hits_; i-- > 0;) {
            best = std::max(best, precision_[i]);
            const double before = i > 0 ? hits_[i - 1] : -1;
            for (; r > 0 && needed_[r - 1] > before; --r) {
                sum += best;
                if (at_recall) at_recall[r - 1] = best;
            }
        }
        return sum / static_cast<double>(needed_.size());
    }

    double area(double n_positive) const {
        double sum = 0, best = 0;
        for (std::size_t i = n_hits_; i-- > 0;) {
            best = std::max(best, precision_[i]);
            sum += gain_[i] * best;
        }
        return sum / n_positive;
    }

    void count_found(const double* positives, std::size_t first) {
        const std::size_t n_cells = choice_.n_cells(), n_limits = choice_.n_limits;
        if (n_limits == 0) return;
        found_.assign(n_cells * n_limits, 0);
        const Word cells = Cells::low_bits(n_cells);
        for (std::size_t c = 0; c < row_.size(); ++c) {
            std::int64_t* at = &found_[rows_.limit[row_[c]]];
            for (Word rest = tp_[c] & cells; rest; rest &= rest - 1)
                at[static_cast<std::size_t>(__builtin_ctzll(rest)) * n_limits] += weight_[c];
        }
        for (std::size_t cell = 0; cell < n_cells; ++cell) {
            const double n_positive = positives[cell / choice_.n_thresholds];
            if (n_positive <= 0) continue;
            std::int64_t found = 0;
            for (std::size_t m = 0; m < n_limits; ++m) {
                found += found_[cell * n_limits + m];
                out_.recall[(first + cell) * n_limits + m] = static_cast<double>(found) / n_positive;
            }
        }
    }

    const RankedRows& rows_;
    const WeightedObjects& objects_;
    const ResampleChoice& choice_;
    const Patterns<lanes>& patterns_;
    Resampled& out_;
    const std::int32_t* weights_ = nullptr;
    double normal_ = 0;
    std::vector<double> positives_;  // [class][group]
    // Candidates of the class at hand.
    std::vector<std::size_t> row_;
    std::vector<std::int32_t> weight_;
    std::vector<Word> tp_, wrong_;
    std::vector<Lanes<lanes>> wrong_before_;
    std::vector<std::int64_t> found_;  // [cell][limit]
    // Of the group at hand.
    std::vector<Member> members_;
    std::vector<double> needed_;  // [recall]
    // Hits of the cell at hand.
    std::vector<double> hits_, gain_, precision_;
    std::vector<std::int32_t> misses_;
    std::size_t n_hits_ = 0;
};

template <std::size_t lanes>
void resample_all(const RankedRows& rows, const WeightedObjects& objects,
                  const ResampleChoice& choice, std::size_t n_replicates, std::size_t n_units,
                  const std::int32_t* weights, int threads, Resampled& out) {
    const Patterns<lanes> patterns(rows, choice);
    for_each_task(n_replicates, threads, [&] {
        return [&, counting = Replicate<lanes>(rows, objects, choice, patterns, out)](
                   std::size_t replicate) mutable {
            counting.count(replicate, weights + replicate * n_units);
        };
    });
}

}  // namespace detail

// weights: [replicate][unit], not negative.
inline Resampled resample(const RankedRows& rows, const WeightedObjects& objects,
                          const ResampleChoice& choice, std::size_t n_replicates,
                          std::size_t n_units, const std::int32_t* weights, int threads) {
    const std::size_t n = n_replicates * rows.n_classes * choice.n_cells();
    const double undefined = std::numeric_limits<double>::quiet_NaN();
    Resampled out;
    out.ap.assign(n, undefined);
    out.recall.assign(n * choice.n_limits, undefined);
    if (choice.with_precision) out.precision.assign(n * choice.recalls.size(), undefined);
    // As many lanes as groups, in the few sizes that stay in registers.
    const auto all = choice.n_groups <= 4    ? detail::resample_all<4>
                     : choice.n_groups <= 16 ? detail::resample_all<16>
                                             : detail::resample_all<64>;
    all(rows, objects, choice, n_replicates, n_units, weights, threads, out);
    return out;
}

// How the best-ranked detections of every class divide into kinds: as many detections as the class
// has weighted positives (METHODS 1.3). [replicate][class][kind]
inline std::vector<std::int64_t> count_top_kinds(const RankedRows& rows, const std::int8_t* kind,
                                                 std::size_t n_kinds,
                                                 const WeightedObjects& objects,
                                                 std::size_t n_replicates, std::size_t n_units,
                                                 const std::int32_t* weights, int threads) {
    std::vector<std::int64_t> counts(n_replicates * rows.n_classes * n_kinds, 0);
    for_each_task(n_replicates, threads, [&] {
        return [&, left = std::vector<std::int64_t>()](std::size_t replicate) mutable {
            const std::int32_t* weight = weights + replicate * n_units;
            left.assign(rows.n_classes, 0);
            for (std::size_t i = 0; i < objects.n; ++i)
                left[static_cast<std::size_t>(objects.class_row[i])] += weight[objects.unit[i]];
            for (std::size_t k = 0; k < rows.n_classes; ++k) {
                std::int64_t* of_class = &counts[(replicate * rows.n_classes + k) * n_kinds];
                for (std::int64_t i = rows.class_offsets[k];
                     i < rows.class_offsets[k + 1] && left[k] > 0; ++i) {
                    const auto taken = std::min<std::int64_t>(weight[rows.unit[i]], left[k]);
                    of_class[kind[i]] += taken;
                    left[k] -= taken;
                }
            }
        };
    });
    return counts;
}

}  // namespace boxlens
