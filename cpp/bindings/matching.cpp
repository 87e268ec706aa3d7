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

nb::tuple find_overlaps(Column<std::int64_t> det_offsets, Column<std::int32_t> det_class,
                               BoxColumn det_box, Column<std::int64_t> gt_offsets,
                               Column<std::int32_t> gt_class, BoxColumn gt_box,
                               Column<bool> gt_region, std::size_t n_classes, double floor,
                               bool same_class, int threads) {
    expect(det_offsets.shape(0) == gt_offsets.shape(0), "both tables need the same images");
    expect_rows(det_class, n_classes);
    expect_rows(gt_class, n_classes);
    boxlens::DetectionColumns dets{det_class.shape(0), det_offsets.data(), det_class.data(),
                                   boxes(det_box), nullptr};
    boxlens::GroundTruthColumns gts{gt_class.shape(0), gt_offsets.data(), gt_class.data(),
                                    boxes(gt_box), nullptr, flags(gt_region)};
    boxlens::Overlaps found;
    {
        nb::gil_scoped_release released;
        found = boxlens::find_overlaps(dets, gts, det_offsets.shape(0) - 1, n_classes,
                                       {floor, same_class}, threads);
    }
    return nb::make_tuple(to_numpy(std::move(found.offsets)), to_numpy(std::move(found.gt_row)),
                          to_numpy(std::move(found.iou)));
}

boxlens::Rule rule_named(const std::string& name) {
    if (name == "coco") return boxlens::Rule::coco;
    if (name == "voc") return boxlens::Rule::voc;
    if (name == "hoiem") return boxlens::Rule::hoiem;
    if (name == "open_images") return boxlens::Rule::open_images;
    throw nb::value_error(("no matching rule is called " + name).c_str());
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
    expect(det_offsets.shape(0) == gt_offsets.shape(0), "both tables need the same images");
    expect(pair_offsets.shape(0) == n_dets + 1, "the overlaps belong to other detections");
    expect_rows(det_class, n_classes);
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), det_class.data(), boxes(det_box),
                                   det_score.data()};
    boxlens::GroundTruthColumns gts{n_gts,   gt_offsets.data(), nullptr,
                                    nullptr, gt_area.data(),    flags(gt_region)};
    boxlens::OverlapColumns pairs{pair_offsets.data(), pair_gt_row.data(), pair_iou.data()};
    boxlens::Marks marks{flags(gt_ignored), flags(det_dropped), flags(det_unmatched_ignored)};
    boxlens::AssignChoice choice{rule_named(rule), max_dets, max_dets_per_class, keep_hits};
    boxlens::Cells cells(thresholds, area_ranges);
    boxlens::Matches matches;
    {
        nb::gil_scoped_release released;
        matches = boxlens::assign(dets, gts, pairs, cells, marks, choice, det_offsets.shape(0) - 1,
                                  n_classes, threads);
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
    Column<std::int32_t> gt_class, Column<std::int64_t> pair_offsets,
    Column<std::int32_t> pair_gt_row, Column<double> pair_iou,
    std::optional<Column<bool>> det_dropped, std::optional<Column<bool>> gt_dropped, double floor,
    int threads) {
    const std::size_t n_dets = det_score.shape(0);
    expect(pair_offsets.shape(0) == n_dets + 1, "the overlaps belong to other detections");
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), det_class.data(), nullptr,
                                   det_score.data()};
    boxlens::OverlapColumns pairs{pair_offsets.data(), pair_gt_row.data(), pair_iou.data()};
    std::vector<std::int32_t> partner;
    {
        nb::gil_scoped_release released;
        partner = boxlens::pair_one_to_one(dets, pairs, gt_class.data(),
                                           det_offsets.shape(0) - 1, gt_class.shape(0),
                                           flags(det_dropped), flags(gt_dropped), floor, threads);
    }
    return to_numpy(std::move(partner));
}

std::int64_t count_overlapping_pairs(BoxColumn box, double iou, int threads) {
    expect(iou > 0, "pairs are counted from an overlap above 0");
    nb::gil_scoped_release released;
    return boxlens::count_overlapping_pairs(boxes(box), box.shape(0), iou, threads);
}

nb::ndarray<nb::numpy, std::int32_t> count_neighbours(Column<std::int64_t> offsets,
                                                      Column<std::int32_t> class_row,
                                                      BoxColumn box, double gap, int threads) {
    expect(class_row.shape(0) == box.shape(0), "every box needs a class");
    std::vector<std::int32_t> n_neighbours;
    {
        nb::gil_scoped_release released;
        n_neighbours = boxlens::count_neighbours(offsets.data(), offsets.shape(0) - 1,
                                                 class_row.data(), boxes(box), gap, threads);
    }
    return to_numpy(std::move(n_neighbours));
}

nb::tuple match_boxes(Column<std::int64_t> a_offsets, BoxColumn a_box,
                      Column<std::int64_t> b_offsets, BoxColumn b_box,
                      const std::vector<std::int64_t>& budgets, int threads) {
    expect(a_offsets.shape(0) == b_offsets.shape(0), "both lists need the same images");
    expect(!budgets.empty() && budgets.front() > 0, "a budget is 1 box or more");
    expect(std::is_sorted(budgets.begin(), budgets.end()), "budgets must ascend");
    boxlens::BoxLists lists{a_offsets.data(), boxes(a_box), b_offsets.data(), boxes(b_box),
                            a_offsets.shape(0) - 1};
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
    std::vector<std::uint8_t> first;
    {
        nb::gil_scoped_release released;
        first = boxlens::first_on_pixels(offsets.data(), offsets.shape(0) - 1, boxes(box), threads);
    }
    return to_numpy(std::move(first));
}

}  // namespace

void bind_matching(nb::module_& m) {
    using namespace nb::literals;
    m.def("find_overlaps", &find_overlaps, nb::kw_only(), "det_offsets"_a, "det_class"_a,
          "det_box"_a, "gt_offsets"_a, "gt_class"_a, "gt_box"_a, "gt_region"_a, "n_classes"_a,
          "floor"_a, "same_class"_a, "threads"_a);
    m.def("assign", &assign, nb::kw_only(), "det_offsets"_a, "det_class"_a, "det_box"_a,
          "det_score"_a, "det_dropped"_a.none(), "det_unmatched_ignored"_a.none(), "gt_offsets"_a,
          "gt_area"_a, "gt_region"_a, "gt_ignored"_a, "pair_offsets"_a, "pair_gt_row"_a,
          "pair_iou"_a, "rule"_a, "thresholds"_a, "area_ranges"_a, "n_classes"_a, "max_dets"_a,
          "max_dets_per_class"_a, "keep_hits"_a, "threads"_a);
    m.def("pair_one_to_one", &pair_one_to_one, nb::kw_only(), "det_offsets"_a, "det_class"_a,
          "det_score"_a, "gt_class"_a, "pair_offsets"_a, "pair_gt_row"_a, "pair_iou"_a,
          "det_dropped"_a.none(), "gt_dropped"_a.none(), "floor"_a, "threads"_a);
    m.def("count_overlapping_pairs", &count_overlapping_pairs, nb::kw_only(), "box"_a, "iou"_a,
          "threads"_a);
    m.def("count_neighbours", &count_neighbours, nb::kw_only(), "offsets"_a, "class_row"_a, "box"_a,
          "gap"_a, "threads"_a);
    m.def("match_boxes", &match_boxes, nb::kw_only(), "a_offsets"_a, "a_box"_a, "b_offsets"_a,
          "b_box"_a, "budgets"_a, "threads"_a);
    m.def("first_on_pixels", &first_on_pixels, nb::kw_only(), "offsets"_a, "box"_a, "threads"_a);
}
