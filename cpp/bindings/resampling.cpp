// Weighted copies of a test set.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "numpy_columns.hpp"
#include "resample.hpp"

namespace {

using Weights = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void expect_units(const Column<std::int32_t>& units, std::size_t n_units) {
    bool inside = true;
    for (std::size_t i = 0; i < units.shape(0); ++i)
        inside &= static_cast<std::uint32_t>(units.data()[i]) < n_units;
    expect(inside, "a unit lies outside the weights");
}

void expect_offsets(const Column<std::int64_t>& offsets, std::size_t n) {
    bool ascend = offsets.shape(0) > 0 && offsets.data()[0] == 0;
    for (std::size_t i = 1; i < offsets.shape(0); ++i)
        ascend &= offsets.data()[i - 1] <= offsets.data()[i];
    expect(ascend && offsets.data()[offsets.shape(0) - 1] == static_cast<std::int64_t>(n),
           "class offsets cover the ranked detections");
}

void expect_weights(const Weights& weights) {
    bool fine = true;
    for (std::size_t i = 0; i < weights.size(); ++i) fine &= weights.data()[i] >= 0;
    expect(fine, "weights are not negative");
}

template <class T>
const T* data_or_null(const std::optional<Column<T>>& column, std::size_t n, const char* what) {
    if (!column) return nullptr;
    expect(column->shape(0) == n, what);
    return column->data();
}

nb::tuple resample(Column<std::int64_t> class_offsets, Column<std::int32_t> det_unit,
                   Column<boxlens::Word> det_tp, Column<boxlens::Word> det_ignored,
                   Column<std::uint8_t> det_limit, std::optional<Column<double>> det_value,
                   Column<std::int32_t> gt_class, Column<std::int32_t> gt_unit,
                   Column<boxlens::Word> gt_positive, std::optional<Column<double>> gt_value,
                   Weights weights, std::size_t n_thresholds, std::size_t n_groups,
                   std::size_t n_limits, const std::vector<double>& recalls, bool spacing,
                   std::optional<Column<double>> normal, bool with_precision, int threads) {
    const std::size_t n_dets = det_unit.shape(0), n_gts = gt_unit.shape(0);
    const std::size_t n_replicates = weights.shape(0), n_units = weights.shape(1);
    expect_offsets(class_offsets, n_dets);
    const std::size_t n_classes = class_offsets.shape(0) - 1;
    expect(det_tp.shape(0) == n_dets && det_ignored.shape(0) == n_dets &&
               det_limit.shape(0) == n_dets,
           "columns of detections have one length");
    expect(gt_class.shape(0) == n_gts && gt_positive.shape(0) == n_gts,
           "columns of objects have one length");
    expect_units(det_unit, n_units);
    expect_units(gt_unit, n_units);
    expect_rows(gt_class, n_classes);
    expect_weights(weights);
    expect(n_groups >= 1 && n_thresholds >= 1 && n_groups * n_thresholds <= 64,
           "between 1 and 64 cells fit a word");
    bool limited = true, grouped = true;
    for (std::size_t i = 0; n_limits > 0 && i < n_dets; ++i)
        limited &= det_limit.data()[i] < n_limits;
    for (std::size_t i = 0; i < n_gts; ++i)
        grouped &= (gt_positive.data()[i] & ~boxlens::Cells::low_bits(n_groups)) == 0;
    expect(limited, "a limit lies outside the limits");
    expect(grouped, "an object counts in a group that is not there");
    const boxlens::RankedRows rows{
        n_classes,         class_offsets.data(), det_unit.data(),
        det_tp.data(),     det_ignored.data(),   det_limit.data(),
        data_or_null(det_value, n_dets, "a value a detection"),
    };
    const boxlens::WeightedObjects objects{n_gts, gt_class.data(), gt_unit.data(),
                                           gt_positive.data(),
                                           data_or_null(gt_value, n_gts, "a value an object")};
    const boxlens::ResampleChoice choice{
        n_thresholds, n_groups, n_limits, recalls, spacing,
        data_or_null(normal, n_replicates, "an N a replicate"), with_precision};
    boxlens::Resampled out;
    {
        nb::gil_scoped_release released;
        out = boxlens::resample(rows, objects, choice, n_replicates, n_units, weights.data(),
                                threads);
    }
    const std::size_t n_cells = choice.n_cells();
    return nb::make_tuple(
        to_numpy(std::move(out.ap), {n_replicates, n_classes, n_cells}),
        to_numpy(std::move(out.recall), {n_replicates, n_classes, n_cells, n_limits}),
        to_numpy(std::move(out.precision),
                 {with_precision ? n_replicates : 0, n_classes, n_cells, recalls.size()}));
}

nb::ndarray<nb::numpy, std::int64_t> count_top_kinds(
    Column<std::int64_t> class_offsets, Column<std::int32_t> det_unit, Column<std::int8_t> det_kind,
    std::size_t n_kinds, Column<std::int32_t> gt_class, Column<std::int32_t> gt_unit,
    Weights weights, int threads) {
    const std::size_t n_replicates = weights.shape(0), n_units = weights.shape(1);
    expect_offsets(class_offsets, det_unit.shape(0));
    const std::size_t n_classes = class_offsets.shape(0) - 1;
    expect(det_kind.shape(0) == det_unit.shape(0), "a kind a detection");
    expect(gt_class.shape(0) == gt_unit.shape(0), "columns of objects have one length");
    bool known = true;
    for (std::size_t i = 0; i < det_kind.shape(0); ++i)
        known &= static_cast<std::size_t>(static_cast<std::uint8_t>(det_kind.data()[i])) < n_kinds;
    expect(known, "a kind lies outside the kinds");
    expect_units(det_unit, n_units);
    expect_units(gt_unit, n_units);
    expect_rows(gt_class, n_classes);
    expect_weights(weights);
    boxlens::RankedRows rows;
    rows.n_classes = n_classes;
    rows.class_offsets = class_offsets.data();
    rows.unit = det_unit.data();
    const boxlens::WeightedObjects objects{gt_unit.shape(0), gt_class.data(), gt_unit.data(),
                                           nullptr, nullptr};
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release released;
        counts = boxlens::count_top_kinds(rows, det_kind.data(), n_kinds, objects, n_replicates,
                                          n_units, weights.data(), threads);
    }
    return to_numpy(std::move(counts), {n_replicates, n_classes, n_kinds});
}

}  // namespace

void bind_resampling(nb::module_& m) {
    using namespace nb::literals;
    m.def("resample", &resample, nb::kw_only(), "class_offsets"_a, "det_unit"_a, "det_tp"_a,
          "det_ignored"_a, "det_limit"_a, "det_value"_a.none(), "gt_class"_a, "gt_unit"_a,
          "gt_positive"_a, "gt_value"_a.none(), "weights"_a, "n_thresholds"_a, "n_groups"_a,
          "n_limits"_a, "recalls"_a, "spacing"_a, "normal"_a.none(), "with_precision"_a,
          "threads"_a);
    m.def("count_top_kinds", &count_top_kinds, nb::kw_only(), "class_offsets"_a, "det_unit"_a,
          "det_kind"_a, "n_kinds"_a, "gt_class"_a, "gt_unit"_a, "weights"_a, "threads"_a);
}
