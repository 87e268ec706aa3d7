// Overlaps, assignment and pairs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "assign.hpp"
#include "box_matching.hpp"
#include "box_pairs.hpp"
#include "column_checks.hpp"
#include "duplicates.hpp"
#include "numpy_columns.hpp"
#include "overlaps.hpp"
#include "pairing.hpp"

namespace {

const std::uint8_t* flags(const Column<bool>& column) {
    return reinterpret_cast<const std::uint8_t*>(column.data());
}

const std::uint8_t* flags(const std::optional<Column<bool>>& column) {
    return column ? flags(*column) : nullptr;
}

const boxlens::Box* boxes(const BoxColumn& column) {
    return reinterpret_cast<const boxlens::Box*>(column.data());
}

// Pairs of detection d are offsets[d] : offsets[d + 1], each with an object of its own image.
void expect_pairs(const boxlens::DetectionColumns& dets, const std::int64_t* gt_offsets,
                  std::size_t n_images, const Column<std::int64_t>& offsets,
                  const Column<std::int32_t>& gt_row, const Column<double>& iou) {
    expect_length(offsets, dets.n + 1, "pair_offsets");
    expect_offsets(offsets, gt_row.shape(0), "pair_offsets");
    expect_length(iou, gt_row.shape(0), "pair_iou");
    expect_finite(iou, "pair_iou");
    bool inside = true;
    for (std::size_t image = 0; image < n_images; ++image) {
        const std::int64_t first = offsets.data()[dets.offsets[image]];
        const std::int64_t last = offsets.data()[dets.offsets[image + 1]];
        for (std::int64_t p = first; p < last; ++p)
            inside &= gt_offsets[image] <= gt_row.data()[p] &&
                      gt_row.data()[p] < gt_offsets[image + 1];
    }
    expect(inside, "pair_gt_row has an object of another image than its detection");
}

nb::tuple find_overlaps(Column<std::int64_t> det_offsets, Column<std::int32_t> det_class,
                               BoxColumn det_box, Column<std::int64_t> gt_offsets,
                               Column<std::int32_t> gt_class, BoxColumn gt_box,
                               Column<bool> gt_region, std::size_t n_classes, double floor,
                               bool same_class, int threads) {
    const std::size_t n_dets = det_class.shape(0), n_gts = gt_class.shape(0);
    const std::size_t n_images = expect_offsets(det_offsets, n_dets, "det_offsets");
    expect_offsets(gt_offsets, n_gts, "gt_offsets");
    expect_length(gt_offsets, n_images + 1, "gt_offsets");
    expect_count(n_classes, "n_classes");
    expect_rows(det_class, n_classes, "det_class");
    expect_length(det_box, n_dets, "det_box");
    expect_rows(gt_class, n_classes, "gt_class");
    expect_length(gt_box, n_gts, "gt_box");
    expect_length(gt_region, n_gts, "gt_region");
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), det_class.data(), boxes(det_box),
                                   nullptr};
    boxlens::GroundTruthColumns gts{n_gts,         gt_offsets.data(), gt_class.data(),
                                    boxes(gt_box), nullptr,           flags(gt_region)};
    boxlens::Overlaps found;
    {
        nb::gil_scoped_release released;
        found = boxlens::find_overlaps(dets, gts, n_images, n_classes, {floor, same_class}, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.gt_row)),
                          to_numpy(std::move(found.iou)));
}

boxlens::Rule rule_named(const std::string& name) {
    if (name == "coco") return boxlens::Rule::coco;
    if (name == "voc") return boxlens::Rule::voc;
    if (name == "hoiem") return boxlens::Rule::hoiem;
    if (name == "open_images") return boxlens::Rule::open_images;
    throw nb::value_error(("unknown matching rule " + name).c_str());
}

nb::dict assign(Column<std::int64_t> det_offsets, Column<std::int32_t> det_class,
                       BoxColumn det_box, Column<double> det_score,
                       std::optional<Column<bool>> det_dropped,
                       std::optional<Column<bool>> det_unmatched_ignored,
                       Column<std::int64_t> gt_offsets, Column<double> gt_area,
                       Column<bool> gt_region, Column<bool> gt_ignored,
                       Column<std::int64_t> pair_offsets, Column<std::int32_t> pair_gt_row,
                       Column<double> pair_iou, const std::string& rule,
                       const std::vector<double>& thresholds,
                       const std::vector<std::pair<double, double>>& area_ranges,
                       std::size_t n_classes, std::int64_t max_dets, bool max_dets_per_class,
                       bool keep_hits, int threads) {
    const std::size_t n_dets = det_class.shape(0), n_gts = gt_area.shape(0);
    const std::size_t n_images = expect_offsets(det_offsets, n_dets, "det_offsets");
    expect_offsets(gt_offsets, n_gts, "gt_offsets");
    expect_length(gt_offsets, n_images + 1, "gt_offsets");
    expect_count(n_classes, "n_classes");
    expect_rows(det_class, n_classes, "det_class");
    expect_length(det_box, n_dets, "det_box");
    expect_length(det_score, n_dets, "det_score");
    expect_finite(det_score, "det_score");
    expect_length(det_dropped, n_dets, "det_dropped");
    expect_length(det_unmatched_ignored, n_dets, "det_unmatched_ignored");
    expect_length(gt_region, n_gts, "gt_region");
    expect_length(gt_ignored, n_gts, "gt_ignored");
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), det_class.data(), boxes(det_box),
                                   det_score.data()};
    expect_pairs(dets, gt_offsets.data(), n_images, pair_offsets, pair_gt_row, pair_iou);
    boxlens::GroundTruthColumns gts{n_gts,   gt_offsets.data(), nullptr,
                                    nullptr, gt_area.data(),    flags(gt_region)};
    boxlens::OverlapColumns pairs{pair_offsets.data(), pair_gt_row.data(), pair_iou.data()};
    boxlens::Marks marks{flags(gt_ignored), flags(det_dropped), flags(det_unmatched_ignored)};
    boxlens::AssignChoice choice{rule_named(rule), max_dets, max_dets_per_class, keep_hits};
    boxlens::Cells cells(thresholds, area_ranges);
    boxlens::Matches matches;
    {
        nb::gil_scoped_release released;
        matches = boxlens::assign(dets, gts, pairs, cells, marks, choice, n_images, n_classes,
                                  threads);
    }
    nb::dict out;
    out["det_tp"] = to_numpy(std::move(matches.det_tp));
    out["det_group"] = to_numpy(std::move(matches.det_group));
    out["det_ignored"] = to_numpy(std::move(matches.det_ignored));
    out["det_rank"] = to_numpy(std::move(matches.det_rank));
    out["gt_hit"] = to_numpy(std::move(matches.gt_hit));
    out["gt_ignored"] = to_numpy(std::move(matches.gt_ignored));
    std::size_t n_kept_cells = keep_hits ? cells.n_cells() : 0;
    out["hit_row"] = to_numpy(std::move(matches.hit_row), {n_kept_cells, n_dets});
    return out;
}

nb::ndarray<nb::numpy, std::int32_t> pair_one_to_one(
    Column<std::int64_t> det_offsets, Column<std::int32_t> det_class, Column<double> det_score,
    Column<std::int64_t> gt_offsets, Column<std::int32_t> gt_class,
    Column<std::int64_t> pair_offsets, Column<std::int32_t> pair_gt_row, Column<double> pair_iou,
    std::optional<Column<bool>> det_dropped, std::optional<Column<bool>> gt_dropped, double floor,
    int threads) {
    const std::size_t n_dets = det_score.shape(0), n_gts = gt_class.shape(0);
    const std::size_t n_images = expect_offsets(det_offsets, n_dets, "det_offsets");
    expect_offsets(gt_offsets, n_gts, "gt_offsets");
    expect_length(gt_offsets, n_images + 1, "gt_offsets");
    expect_length(det_class, n_dets, "det_class");
    expect_finite(det_score, "det_score");
    expect_length(det_dropped, n_dets, "det_dropped");
    expect_length(gt_dropped, n_gts, "gt_dropped");
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), det_class.data(), nullptr,
                                   det_score.data()};
    expect_pairs(dets, gt_offsets.data(), n_images, pair_offsets, pair_gt_row, pair_iou);
    boxlens::OverlapColumns pairs{pair_offsets.data(), pair_gt_row.data(), pair_iou.data()};
    std::vector<std::int32_t> partner;
    {
        nb::gil_scoped_release released;
        partner = boxlens::pair_one_to_one(dets, pairs, gt_class.data(), n_images, n_gts,
                                           flags(det_dropped), flags(gt_dropped), floor, threads);
    }
    return to_numpy(std::move(partner));
}

std::int64_t count_overlapping_pairs(BoxColumn box, double iou, int threads) {
    expect(iou > 0, "pairs are counted from an overlap above 0");
    expect_count(box.shape(0), "the number of boxes");
    expect_finite(box, "box");
    nb::gil_scoped_release released;
    return boxlens::count_overlapping_pairs(boxes(box), box.shape(0), iou, threads);
}

nb::ndarray<nb::numpy, std::int32_t> count_neighbours(Column<std::int64_t> offsets,
                                                      Column<std::int32_t> class_row,
                                                      BoxColumn box, double gap, int threads) {
    const std::size_t n_images = expect_offsets(offsets, box.shape(0), "offsets");
    expect_length(class_row, box.shape(0), "class_row");
    std::vector<std::int32_t> n_neighbours;
    {
        nb::gil_scoped_release released;
        n_neighbours = boxlens::count_neighbours(offsets.data(), n_images, class_row.data(),
                                                 boxes(box), gap, threads);
    }
    return to_numpy(std::move(n_neighbours));
}

nb::tuple match_boxes(Column<std::int64_t> a_offsets, BoxColumn a_box,
                      Column<std::int64_t> b_offsets, BoxColumn b_box,
                      const std::vector<std::int64_t>& budgets, int threads) {
    const std::size_t n_images = expect_offsets(a_offsets, a_box.shape(0), "a_offsets");
    expect_offsets(b_offsets, b_box.shape(0), "b_offsets");
    expect_length(b_offsets, n_images + 1, "b_offsets");
    expect(!budgets.empty() && budgets.front() > 0, "a budget must be 1 or more");
    expect(std::is_sorted(budgets.begin(), budgets.end()), "budgets must ascend");
    boxlens::BoxLists lists{a_offsets.data(), boxes(a_box), b_offsets.data(), boxes(b_box),
                            n_images};
    boxlens::BoxMatches found;
    {
        nb::gil_scoped_release released;
        found = boxlens::match_boxes(lists, budgets, threads);
    }
    const std::size_t n = a_box.shape(0);
    return nb::make_tuple(to_numpy(std::move(found.iou), {budgets.size(), n}),
                          to_numpy(std::move(found.best), {budgets.size(), n}),
                          to_numpy(std::move(found.partner), {budgets.size(), n}));
}

nb::ndarray<nb::numpy, std::uint8_t> first_on_pixels(Column<std::int64_t> offsets, BoxColumn box,
                                                     int threads) {
    const std::size_t n_images = expect_offsets(offsets, box.shape(0), "offsets");
    expect_finite(box, "box");
    std::vector<std::uint8_t> first;
    {
        nb::gil_scoped_release released;
        first = boxlens::first_on_pixels(offsets.data(), n_images, boxes(box), threads);
    }
    return to_numpy(std::move(first));
}

}  // namespace

void bind_matching(nb::module_& m) {
    using namespace nb::literals;
    m.def("find_overlaps", &find_overlaps, nb::kw_only(), "det_offsets"_column, "det_class"_column,
          "det_box"_column, "gt_offsets"_column, "gt_class"_column, "gt_box"_column, "gt_region"_column, "n_classes"_a,
          "floor"_a, "same_class"_a, "threads"_a);
    m.def("assign", &assign, nb::kw_only(), "det_offsets"_column, "det_class"_column, "det_box"_column,
          "det_score"_column, "det_dropped"_column.none(), "det_unmatched_ignored"_column.none(), "gt_offsets"_column,
          "gt_area"_column, "gt_region"_column, "gt_ignored"_column, "pair_offsets"_column, "pair_gt_row"_column,
          "pair_iou"_column, "rule"_a, "thresholds"_a, "area_ranges"_a, "n_classes"_a, "max_dets"_a,
          "max_dets_per_class"_a, "keep_hits"_a, "threads"_a);
    m.def("pair_one_to_one", &pair_one_to_one, nb::kw_only(), "det_offsets"_column, "det_class"_column,
          "det_score"_column, "gt_offsets"_column, "gt_class"_column, "pair_offsets"_column, "pair_gt_row"_column, "pair_iou"_column,
          "det_dropped"_column.none(), "gt_dropped"_column.none(), "floor"_a, "threads"_a);
    m.def("count_overlapping_pairs", &count_overlapping_pairs, nb::kw_only(), "box"_column, "iou"_a,
          "threads"_a);
    m.def("count_neighbours", &count_neighbours, nb::kw_only(), "offsets"_column, "class_row"_column, "box"_column,
          "gap"_a, "threads"_a);
    m.def("match_boxes", &match_boxes, nb::kw_only(), "a_offsets"_column, "a_box"_column, "b_offsets"_column,
          "b_box"_column, "budgets"_a, "threads"_a);
    m.def("first_on_pixels", &first_on_pixels, nb::kw_only(), "offsets"_column, "box"_column, "threads"_a);
}
