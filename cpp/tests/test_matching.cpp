// Overlaps, assignment, pairing, ranking and accumulation against plain loops on random images.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "accumulate.hpp"
#include "assign.hpp"
#include "check.hpp"
#include "overlaps.hpp"
#include "pairing.hpp"
#include "ranking.hpp"

using namespace boxlens;

namespace {

constexpr std::size_t n_classes = 3;
const std::vector<double> thresholds{0.5, 0.6, 0.75};
const std::vector<std::pair<double, double>> areas{{0, 1e10}, {0, 16}, {16, 1e10}};

// Small integer boxes and few scores, so that equal IoUs, equal scores and exact thresholds occur.
struct World {
    std::vector<std::int64_t> det_offsets{0}, gt_offsets{0};
    std::vector<std::int32_t> det_class, gt_class;
    std::vector<Box> det_box, gt_box;
    std::vector<double> score, area;
    std::vector<std::uint8_t> region, ignored;

    explicit World(unsigned seed) {
        std::mt19937 random(seed);
        auto up_to = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
        auto box = [&] { return Box{1. * up_to(5), 1. * up_to(5), 1. * up_to(6), 1. * up_to(6)}; };
        int n_images = up_to(6);
        for (int image = 0; image < n_images; ++image) {
            for (int i = up_to(6); i > 0; --i) {
                gt_class.push_back(up_to(n_classes));
                gt_box.push_back(box());
                area.push_back(gt_box.back().w * gt_box.back().h);
                region.push_back(up_to(5) == 0);
                ignored.push_back(region.back() || up_to(5) == 0);
            }
            for (int i = up_to(12); i > 0; --i) {
                det_class.push_back(up_to(n_classes));
                det_box.push_back(box());
                score.push_back(up_to(4) / 4.0);
            }
            gt_offsets.push_back(static_cast<std::int64_t>(gt_class.size()));
            det_offsets.push_back(static_cast<std::int64_t>(det_class.size()));
        }
    }

    std::size_t n_images() const { return det_offsets.size() - 1; }
    DetectionColumns dets() const {
        return {det_class.size(), det_offsets.data(), det_class.data(), det_box.data(), score.data()};
    }
    GroundTruthColumns gts() const {
        return {gt_class.size(), gt_offsets.data(), gt_class.data(),
                gt_box.data(),   area.data(),       region.data()};
    }
};

OverlapColumns view(const Overlaps& o) { return {o.offsets.data(), o.gt_row.data(), o.iou.data()}; }

bool outside(double area, std::pair<double, double> range) {
    return area < range.first || area > range.second;
}

// METHODS 0.5 `coco`, one cell at a time: +1, -1, 0 by detection, 9 beyond max_dets.
std::vector<int> plain_coco(const World& w, double t, std::pair<double, double> range, int max_dets) {
    std::vector<int> label(w.score.size(), 9);
    for (std::size_t image = 0; image < w.n_images(); ++image) {
        for (std::int32_t k = 0; k < static_cast<std::int32_t>(n_classes); ++k) {
            std::vector<std::int64_t> dets, gts;
            for (auto d = w.det_offsets[image]; d < w.det_offsets[image + 1]; ++d)
                if (w.det_class[d] == k) dets.push_back(d);
            for (auto g = w.gt_offsets[image]; g < w.gt_offsets[image + 1]; ++g)
                if (w.gt_class[g] == k) gts.push_back(g);
            std::stable_sort(dets.begin(), dets.end(),
                             [&](auto a, auto b) { return w.score[a] > w.score[b]; });
            std::vector<bool> taken(w.area.size(), false);
            for (std::size_t i = 0; i < dets.size() && static_cast<int>(i) < max_dets; ++i) {
                auto d = dets[i];
                std::int64_t best = -1;
                for (bool want_ignored : {false, true}) {
                    double reach = t;
                    for (auto g : gts) {
                        bool ignored = w.ignored[g] || outside(w.area[g], range);
                        if (ignored != want_ignored) continue;
                        if (taken[g] && !(ignored && w.region[g])) continue;
                        double iou = overlap(w.det_box[d], w.gt_box[g], w.region[g]);
                        if (iou > 0 && iou >= reach) best = g, reach = iou;
                    }
                    if (best >= 0) {
                        label[d] = want_ignored ? 0 : 1;
                        break;
                    }
                }
                if (best >= 0)
                    taken[best] = true;
                else
                    label[d] = outside(w.det_box[d].w * w.det_box[d].h, range) ? 0 : -1;
            }
        }
    }
    return label;
}

Matches match(const World& w, Rule rule, int max_dets, int threads) {
    Overlaps overlaps = find_overlaps(w.dets(), w.gts(), w.n_images(), n_classes, {0.5, true}, threads);
    AssignChoice choice{rule, max_dets, true, true};
    return assign(w.dets(), w.gts(), view(overlaps), Cells(thresholds, areas),
                  {w.ignored.data(), nullptr, nullptr}, choice, w.n_images(), n_classes, threads);
}

void coco_equals_plain_loops(const World& w) {
    constexpr int max_dets = 3;
    Matches m = match(w, Rule::coco, max_dets, 2);
    for (std::size_t a = 0; a < areas.size(); ++a)
        for (std::size_t t = 0; t < thresholds.size(); ++t) {
            std::vector<int> expected = plain_coco(w, thresholds[t], areas[a], max_dets);
            Word bit = Word{1} << (a * thresholds.size() + t);
            bool same = true;
            for (std::size_t d = 0; d < expected.size(); ++d) {
                int got = m.det_rank[d] >= max_dets  ? 9
                          : m.det_tp[d] & bit        ? 1
                          : m.det_ignored[d] & bit   ? 0
                                                     : -1;
                same = same && got == expected[d];
            }
            CHECK(same);
        }
}

void threads_change_nothing(const World& w) {
    for (Rule rule : {Rule::coco, Rule::voc, Rule::hoiem, Rule::open_images}) {
        Matches one = match(w, rule, 100, 1), four = match(w, rule, 100, 4);
        CHECK(one.det_tp == four.det_tp && one.det_ignored == four.det_ignored);
        CHECK(one.hit_row == four.hit_row && one.gt_hit == four.gt_hit);
    }
}

void every_object_is_hit_once(const World& w) {
    Matches m = match(w, Rule::hoiem, 100, 1);
    for (std::size_t cell = 0; cell < thresholds.size() * areas.size(); ++cell) {
        std::vector<int> hits(w.area.size(), 0);
        for (std::size_t d = 0; d < w.score.size(); ++d) {
            std::int32_t g = m.hit_row[cell * w.score.size() + d];
            if (g >= 0) ++hits[g];
        }
        CHECK(std::all_of(hits.begin(), hits.end(), [](int n) { return n <= 1; }));
    }
}

void pairs_are_one_to_one(const World& w) {
    Overlaps any = find_overlaps(w.dets(), w.gts(), w.n_images(), n_classes, {0.1, false}, 2);
    auto partner = pair_one_to_one(w.dets(), view(any), w.gt_class.data(), w.n_images(),
                                   w.area.size(), nullptr, nullptr, 0.3, 2);
    std::vector<int> used(w.area.size(), 0);
    for (std::int32_t g : partner)
        if (g >= 0) ++used[g];
    CHECK(std::all_of(used.begin(), used.end(), [](int n) { return n <= 1; }));
}

void ranking_is_a_stable_sort(unsigned seed) {
    std::mt19937 random(seed);
    std::size_t n = random() % 2000;
    std::vector<std::int32_t> class_row(n);
    std::vector<double> score(n);
    for (std::size_t i = 0; i < n; ++i) {
        class_row[i] = static_cast<std::int32_t>(random() % n_classes);
        score[i] = (static_cast<double>(random() % 50) - 25) / (seed % 2 ? 8.0 : 7.0);
    }
    Ranking ranking = rank_classes(n, class_row.data(), score.data(), n_classes, 2);
    std::vector<std::int32_t> expected(n);
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) {
        return class_row[a] != class_row[b] ? class_row[a] < class_row[b] : score[a] > score[b];
    });
    CHECK(ranking.order == expected);
}

// METHODS 0.6 c by its words, for the first area and threshold.
void accumulation_equals_plain_loops(const World& w) {
    Matches m = match(w, Rule::coco, 100, 1);
    Ranking ranking = rank_classes(w.score.size(), w.det_class.data(), w.score.data(), n_classes, 1);
    std::vector<std::int64_t> n_positive(n_classes * areas.size(), 0);
    for (std::size_t g = 0; g < w.area.size(); ++g)
        for (std::size_t a = 0; a < areas.size(); ++a)
            if (!w.ignored[g] && !outside(w.area[g], areas[a]))
                ++n_positive[w.gt_class[g] * areas.size() + a];
    RankedMatches in{ranking.order.data(), ranking.offsets.data(), n_classes,
                     w.score.data(),       m.det_tp.data(),        m.det_ignored.data(),
                     m.det_rank.data(),    n_positive.data(),      thresholds.size(),
                     areas.size()};
    const std::vector<double> recalls{0, 0.25, 0.5, 0.75, 1};
    PrecisionGrid grid = accumulate(in, {100, recalls, true, true}, 2);
    for (std::size_t k = 0; k < n_classes; ++k) {
        double n = static_cast<double>(n_positive[k * areas.size()]);
        double found = 0, counted = 0;
        std::vector<std::pair<double, double>> points;  // recall, precision
        for (auto i = ranking.offsets[k]; i < ranking.offsets[k + 1]; ++i) {
            auto d = ranking.order[i];
            if (m.det_tp[d] & 1) ++found;
            if (!(m.det_ignored[d] & 1)) ++counted;
            points.emplace_back(found / n, found / (counted + 2.220446049250313e-16));
        }
        bool same = true;
        for (std::size_t r = 0; r < recalls.size(); ++r) {
            double expected = 0;
            for (auto [recall, precision] : points)
                if (recall >= recalls[r]) expected = std::max(expected, precision);
            double got = grid.precision[k * areas.size() * thresholds.size() * recalls.size() + r];
            same = same && (n == 0 ? std::isnan(got) : got == expected);
        }
        CHECK(same);
        double worst = grid.tie_band[k * thresholds.size() * 2], best = grid.tie_band[k * thresholds.size() * 2 + 1];
        CHECK(n == 0 ? std::isnan(worst) && std::isnan(best) : worst <= best);
    }
}

void cells_at_their_edges() {
    Cells cells({0.5, 1.0}, {{0, 1024}, {1024, 9216}});
    CHECK(cells.outside(1024) == 0);
    CHECK(cells.outside(1025) == 0b0011);
    CHECK(cells.reached(1.0) == 0b1111);
    CHECK(cells.reached(0.5) == 0b0101);
    CHECK(cells.reached(std::nextafter(0.5, 0)) == 0);
    std::vector<double> many(64);
    for (std::size_t i = 0; i < 64; ++i) many[i] = static_cast<double>(i + 1) / 65;
    CHECK(Cells(many, {{0, 1}}).reached(1) == ~Word{0});
    bool refused = false;
    try {
        Cells(many, {{0, 1}, {1, 2}});
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    cells_at_their_edges();
    for (unsigned seed = 0; seed < 400; ++seed) {
        World world(seed);
        coco_equals_plain_loops(world);
        threads_change_nothing(world);
        every_object_is_hit_once(world);
        pairs_are_one_to_one(world);
        accumulation_equals_plain_loops(world);
        ranking_is_a_stable_sort(seed);
    }
    return check::report();
}
