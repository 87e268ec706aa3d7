// Weighted counting against copies that are written down, on random rankings and at the edges.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"
#include "resample.hpp"

using namespace boxlens;

namespace {

struct Shape {
    std::size_t n_thresholds, n_groups, n_limits;
};

// Rankings of a few classes with verdicts at random; a word never holds a hit that is ignored.
struct World {
    Shape shape;
    std::size_t n_classes, n_units, n_replicates;
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> unit, gt_class, gt_unit, weights;
    std::vector<Word> tp, ignored, positive;
    std::vector<std::uint8_t> limit;
    std::vector<double> value, gt_value, normal;
    std::vector<std::int8_t> kind;
    std::mt19937 random;

    std::size_t up_to(std::size_t n) { return random() % n; }
    Word word() { return static_cast<Word>(random()) << 32 | random(); }

    World(unsigned seed, Shape s, std::size_t most_dets, std::size_t replicates)
        : shape(s), n_classes(1 + seed % 4), n_units(1 + seed % 7), n_replicates(replicates),
          random(seed) {
        for (std::size_t k = 0; k < n_classes; ++k) {
            for (std::size_t i = up_to(4) ? up_to(most_dets) + 1 : 0; i > 0; --i) add_detection();
            offsets.push_back(static_cast<std::int64_t>(unit.size()));
        }
        for (std::size_t i = up_to(12); i > 0; --i) {
            gt_class.push_back(static_cast<std::int32_t>(up_to(n_classes)));
            gt_unit.push_back(static_cast<std::int32_t>(up_to(n_units)));
            positive.push_back((word() | word()) & Cells::low_bits(s.n_groups));
            gt_value.push_back(up_to(3) ? 1 : 0.5);
        }
        for (std::size_t b = 0; b < n_replicates; ++b) {
            normal.push_back(0.5 + static_cast<double>(up_to(9)));
            for (std::size_t u = 0; u < n_units; ++u)
                weights.push_back(static_cast<std::int32_t>(up_to(2) * up_to(4)));
        }
    }

    void add_detection() {
        unit.push_back(static_cast<std::int32_t>(up_to(n_units)));
        tp.push_back(up_to(2) ? word() & word() : 0);
        // Groups ignored as a whole, so that many are wrong at all thresholds alike; or any cells.
        Word whole = 0;
        for (std::size_t g = 0; g < shape.n_groups; ++g)
            if (up_to(3) == 0)
                whole |= Cells::low_bits(shape.n_thresholds) << g * shape.n_thresholds;
        ignored.push_back((up_to(4) ? whole : word()) & ~tp.back());
        limit.push_back(static_cast<std::uint8_t>(shape.n_limits ? up_to(shape.n_limits) : 0));
        value.push_back(up_to(3) ? 1 : 0.5);
        kind.push_back(static_cast<std::int8_t>(up_to(5)));
    }

    RankedRows rows(bool with_value = false) const {
        return {n_classes,      offsets.data(), unit.data(), tp.data(),
                ignored.data(), limit.data(),   with_value ? value.data() : nullptr};
    }
    WeightedObjects objects(bool with_value = false) const {
        return {gt_unit.size(), gt_class.data(), gt_unit.data(), positive.data(),
                with_value ? gt_value.data() : nullptr};
    }
    ResampleChoice choice(std::vector<double> recalls) const {
        return {shape.n_thresholds,  shape.n_groups, shape.n_limits,
                std::move(recalls), true,           nullptr,
                false};
    }
    std::int32_t weight(std::size_t b, std::int32_t u) const {
        return weights[b * n_units + static_cast<std::size_t>(u)];
    }
    Resampled count(const ResampleChoice& c, bool with_value, int threads) const {
        return resample(rows(with_value), objects(with_value), c, n_replicates, n_units,
                        weights.data(), threads);
    }
};

// One class, one cell and one replicate, every copy on its own: METHODS 0.6, 2.1 and 11 by words.
struct Copies {
    double n_positive = 0;
    std::vector<double> hits, precision, gain;  // after every copy
    std::vector<double> found;                  // hits by limit

    Copies(const World& w, std::size_t b, std::size_t k, std::size_t cell, bool with_value,
           bool spacing, bool normal)
        : found(w.shape.n_limits, 0) {
        for (std::size_t i = 0; i < w.gt_unit.size(); ++i)
            if (w.gt_class[i] == static_cast<std::int32_t>(k) &&
                w.positive[i] >> cell / w.shape.n_thresholds & 1)
                n_positive += w.weight(b, w.gt_unit[i]) * (with_value ? w.gt_value[i] : 1);
        double right = 0, wrong = 0;
        for (auto i = w.offsets[k]; i < w.offsets[k + 1]; ++i)
            for (std::int32_t copy = w.weight(b, w.unit[i]); copy > 0; --copy) {
                const bool hit = w.tp[i] >> cell & 1;
                gain.push_back(!hit ? 0 : with_value ? w.value[i] : 1);
                right += gain.back();
                wrong += !hit && !(w.ignored[i] >> cell & 1);
                if (hit)
                    for (std::size_t m = w.limit[i]; m < found.size(); ++m) ++found[m];
                const double known = normal ? right / n_positive * w.normal[b] : right;
                const double more = spacing ? std::numeric_limits<double>::epsilon() : 0;
                hits.push_back(right);
                precision.push_back(known + wrong > 0 ? known / (known + wrong + more) : 0);
            }
        for (std::size_t i = precision.size(); i-- > 1;)
            precision[i - 1] = std::max(precision[i - 1], precision[i]);
    }

    double at(double recall) const {
        for (std::size_t i = 0; i < hits.size(); ++i)
            if (hits[i] / n_positive >= recall) return precision[i];
        return 0;
    }
    double area() const {
        double sum = 0;
        for (std::size_t i = 0; i < gain.size(); ++i) sum += gain[i] * precision[i];
        return sum / n_positive;
    }
};

bool near(double a, double b) { return std::abs(a - b) < 1e-12; }
bool same_bits(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

template <class Compare>
void for_each_cell(const World& w, bool with_value, bool spacing, bool normal, Compare compare) {
    const std::size_t n_cells = w.shape.n_thresholds * w.shape.n_groups;
    for (std::size_t b = 0; b < w.n_replicates; ++b)
        for (std::size_t k = 0; k < w.n_classes; ++k)
            for (std::size_t cell = 0; cell < n_cells; ++cell)
                compare(Copies(w, b, k, cell, with_value, spacing, normal),
                        (b * w.n_classes + k) * n_cells + cell);
}

void sampled_precision_equals_copies(const World& w) {
    const std::vector<double> recalls{0, 0.1, 0.25, 1.0 / 3, 0.5, 0.75, 1};
    ResampleChoice choice = w.choice(recalls);
    choice.with_precision = true;
    const Resampled got = w.count(choice, false, 1);
    bool same = true;
    for_each_cell(w, false, true, false, [&](const Copies& expected, std::size_t at) {
        double sum = 0;
        for (std::size_t r = 0; r < recalls.size(); ++r) {
            const double precision = got.precision[at * recalls.size() + r];
            if (expected.n_positive == 0)
                same &= std::isnan(precision);
            else
                same &= precision == expected.at(recalls[r]);
            sum += expected.at(recalls[r]) / static_cast<double>(recalls.size());
        }
        same &= expected.n_positive == 0 ? std::isnan(got.ap[at]) : near(got.ap[at], sum);
        for (std::size_t m = 0; m < w.shape.n_limits; ++m) {
            const double recall = got.recall[at * w.shape.n_limits + m];
            same &= expected.n_positive == 0 ? std::isnan(recall)
                                             : recall == expected.found[m] / expected.n_positive;
        }
    });
    CHECK(same);
    choice.with_precision = false;
    const Resampled without = w.count(choice, false, 3);
    CHECK(without.precision.empty());
    const auto& again = without.ap;
    CHECK(std::equal(got.ap.begin(), got.ap.end(), again.begin(), again.end(), same_bits));
}

void areas_equal_copies(const World& w) {
    for (bool with_value : {false, true})
        for (bool normal : {false, true}) {
            ResampleChoice choice = w.choice({});
            choice.spacing = false;
            if (normal) choice.normal = w.normal.data();
            const Resampled got = w.count(choice, with_value, 2);
            bool same = true;
            auto compare = [&](const Copies& expected, std::size_t at) {
                same &= expected.n_positive == 0 ? std::isnan(got.ap[at])
                                                 : near(got.ap[at], expected.area());
            };
            for_each_cell(w, with_value, false, normal, compare);
            CHECK(same);
        }
}

void top_kinds_equal_copies(const World& w) {
    constexpr std::size_t n_kinds = 5;
    const auto got = count_top_kinds(w.rows(), w.kind.data(), n_kinds, w.objects(), w.n_replicates,
                                     w.n_units, w.weights.data(), 2);
    std::vector<std::int64_t> expected(w.n_replicates * w.n_classes * n_kinds, 0);
    for (std::size_t b = 0; b < w.n_replicates; ++b)
        for (std::size_t k = 0; k < w.n_classes; ++k) {
            std::size_t n_positive = 0;
            for (std::size_t i = 0; i < w.gt_unit.size(); ++i)
                if (w.gt_class[i] == static_cast<std::int32_t>(k))
                    n_positive += static_cast<std::size_t>(w.weight(b, w.gt_unit[i]));
            std::vector<std::int8_t> copies;
            for (auto i = w.offsets[k]; i < w.offsets[k + 1]; ++i) {
                const auto weight = static_cast<std::size_t>(w.weight(b, w.unit[i]));
                copies.insert(copies.end(), weight, w.kind[i]);
            }
            copies.resize(std::min(copies.size(), n_positive));
            for (auto kind : copies)
                ++expected[(b * w.n_classes + k) * n_kinds + static_cast<std::size_t>(kind)];
        }
    CHECK(got == expected);
}

// Hits and misses by turns: every hit is less precise than the one before, so that a recall taken
// for reached one hit too early or too late shows.
bool recalls_are_reached(std::int32_t n, std::int32_t weight, const std::vector<double>& recalls) {
    const auto n_hits = static_cast<std::size_t>(n);
    const std::vector<std::int64_t> offsets{0, 2 * n};
    const std::vector<std::int32_t> zeros(2 * n_hits, 0);
    const std::vector<Word> none(2 * n_hits, 0), positive(n_hits, 1);
    const std::vector<std::uint8_t> limit(2 * n_hits, 0);
    std::vector<Word> tp(2 * n_hits, 0);
    for (std::size_t i = 0; i < 2 * n_hits; i += 2) tp[i] = 1;
    const RankedRows rows{1,           offsets.data(), zeros.data(), tp.data(),
                          none.data(), limit.data(),   nullptr};
    const WeightedObjects objects{n_hits, zeros.data(), zeros.data(), positive.data(), nullptr};
    const ResampleChoice choice{1, 1, 0, recalls, false, nullptr, true};
    const Resampled got = resample(rows, objects, choice, 1, 1, &weight, 1);
    bool same = true;
    for (std::size_t r = 0; r < recalls.size(); ++r) {
        std::int32_t needed = 0;
        while (needed * 1.0 / (n * weight) < recalls[r]) ++needed;
        const std::int32_t hit = std::max(needed - 1, 0) / weight;  // from 0
        same &= got.precision[r] == (hit + 1.0) * weight / ((2 * hit + 1.0) * weight);
    }
    return same;
}

// COCO's recalls, in two ways that differ in their last bits.
void recalls_are_reached_to_the_bit() {
    std::vector<double> by_step, by_quotient;
    for (int i = 0; i <= 100; ++i) by_step.push_back(i * 0.01), by_quotient.push_back(i / 100.0);
    bool same = true;
    for (std::int32_t n = 1; n <= 200; ++n)
        for (const auto& recalls : {by_step, by_quotient})
            same &= recalls_are_reached(n, 1 + n % 3, recalls);
    CHECK(same);
}

// Detections that hit nowhere, each ignored by groups of its own: more than a byte can number.
void more_patterns_than_codes() {
    World w(6, {1, 64, 2}, 700, 2);
    std::set<Word> patterns;
    for (std::size_t i = 0; i < w.tp.size(); ++i) {
        if (i % 5) w.tp[i] = 0;
        w.ignored[i] = w.word() & ~w.tp[i];
        if (!w.tp[i]) patterns.insert(w.ignored[i]);
    }
    CHECK(patterns.size() > 600);
    sampled_precision_equals_copies(w);
    areas_equal_copies(w);
    // As many patterns as fit, and one more.
    for (std::size_t n_patterns : {254, 255, 256, 257}) {
        for (std::size_t i = 0; i < w.tp.size(); ++i)
            if (!w.tp[i]) w.ignored[i] = (i % n_patterns) << 11;
        sampled_precision_equals_copies(w);
    }
}

void nothing_at_all() {
    World w(3, {2, 2, 1}, 6, 3);
    World no_weight = w, no_dets = w, no_objects = w, no_classes = w, one_unit = w;
    std::fill(no_weight.weights.begin(), no_weight.weights.end(), 0);
    no_dets.offsets.assign(w.n_classes + 1, 0);
    no_dets.unit.clear(), no_dets.tp.clear(), no_dets.ignored.clear(), no_dets.limit.clear();
    no_dets.value.clear(), no_dets.kind.clear();
    no_objects.gt_class.clear(), no_objects.gt_unit.clear(), no_objects.positive.clear();
    no_objects.gt_value.clear();
    no_classes = no_objects;
    no_classes.n_classes = 0, no_classes.offsets = {0};
    // Only one unit weighs anything: candidates and objects of all others weigh nothing.
    for (std::size_t i = 0; i < one_unit.weights.size(); ++i)
        one_unit.weights[i] = i % w.n_units == 1 ? 2 : 0;
    for (const World& world : {no_weight, no_dets, no_objects, no_classes, one_unit}) {
        sampled_precision_equals_copies(world);
        areas_equal_copies(world);
        top_kinds_equal_copies(world);
    }
    const Resampled empty = no_weight.count(w.choice({}), false, 1);
    CHECK(!empty.ap.empty() &&
          std::all_of(empty.ap.begin(), empty.ap.end(), [](double v) { return std::isnan(v); }));
    const Resampled none = no_dets.count(w.choice({0.5}), false, 1);
    CHECK(std::none_of(none.ap.begin(), none.ap.end(), [](double v) { return v > 0; }));
    CHECK(std::any_of(none.ap.begin(), none.ap.end(), [](double v) { return v == 0; }));
    w.n_replicates = 0;
    CHECK(w.count(w.choice({0.5}), false, 4).ap.empty());
}

}  // namespace

int main() {
    nothing_at_all();
    recalls_are_reached_to_the_bit();
    more_patterns_than_codes();
    const std::vector<Shape> shapes{{1, 1, 0}, {10, 4, 3}, {2, 5, 1}, {4, 16, 2},
                                    {1, 17, 1}, {1, 64, 3}, {64, 1, 1}, {3, 21, 0}};
    for (unsigned seed = 0; seed < 120; ++seed) {
        World world(seed, shapes[seed % shapes.size()], 40, 1 + seed % 3);
        sampled_precision_equals_copies(world);
        areas_equal_copies(world);
        top_kinds_equal_copies(world);
    }
    return check::report();
}
