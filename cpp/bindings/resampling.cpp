// Weighted copies of a test set.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "column_checks.hpp"
#include "numpy_columns.hpp"
#include "resample.hpp"

namespace {

using Weights = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void expect_weights(const Weights& weights) {
    bool fine = true;
    for (std::size_t i = 0; i < weights.size(); ++i) fine &= weights.data()[i] >= 0;
    expect(fine, "weights must not be negative");
}

// Detections are counted in 32 bits, each as often as its unit weighs.
void expect_few_copies(const Weights& weights, const Column<std::int32_t>& unit) {
    const std::size_t n_units = weights.shape(1);
    std::vector<std::int64_t> n_of_unit(n_units, 0);
    for (std::size_t i = 0; i < unit.shape(0); ++i) ++n_of_unit[unit.data()[i]];
    for (std::size_t replicate = 0; replicate < weights.shape(0); ++replicate) {
        const std::int32_t* weight = weights.data() + replicate * n_units;
        double n = 0;
        for (std::size_t u = 0; u < n_units; ++u)
            n += static_cast<double>(weight[u]) * static_cast<double>(n_of_unit[u]);
        expect(n <= std::numeric_limits<std::int32_t>::max(),
               "weights make more than 2147483647 detections of a copy");
    }
}

template <class T>
const T* data_or_null(const std::optional<Column<T>>& column) {
    return column ? column->data() : nullptr;
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
    const std::size_t n_classes = expect_offsets(class_offsets, n_dets, "class_offsets");
    expect_cells(n_groups, n_thresholds);
    expect_rows(det_unit, n_units, "det_unit");
    expect_length(det_tp, n_dets, "det_tp");
    expect_length(det_ignored, n_dets, "det_ignored");
    expect_length(det_limit, n_dets, "det_limit");
    expect_length(det_value, n_dets, "det_value");
    if (n_limits > 0) expect_rows(det_limit, n_limits, "det_limit");
    expect(n_limits <= 256, "at most 256 limits on detections");
    expect_rows(gt_class, n_classes, "gt_class");
    expect_length(gt_class, n_gts, "gt_class");
    expect_rows(gt_unit, n_units, "gt_unit");
    expect_length(gt_positive, n_gts, "gt_positive");
    expect_bits(gt_positive, n_groups, "gt_positive");
    expect_length(gt_value, n_gts, "gt_value");
    expect_length(normal, n_replicates, "normal");
    expect_recalls(recalls);
    expect_weights(weights);
    expect_few_copies(weights, det_unit);
    const boxlens::RankedRows rows{
        n_classes,         class_offsets.data(), det_unit.data(),
        det_tp.data(),     det_ignored.data(),   det_limit.data(),
        data_or_null(det_value),
    };
    const boxlens::WeightedObjects objects{n_gts, gt_class.data(), gt_unit.data(),
                                           gt_positive.data(), data_or_null(gt_value)};
    const boxlens::ResampleChoice choice{
        n_thresholds, n_groups, n_limits, recalls, spacing,
        data_or_null(normal), with_precision};
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
    const std::size_t n_dets = det_unit.shape(0), n_gts = gt_unit.shape(0);
    const std::size_t n_classes = expect_offsets(class_offsets, n_dets, "class_offsets");
    expect(n_kinds <= 128, "at most 128 kinds");
    expect_rows(det_unit, n_units, "det_unit");
    expect_length(det_kind, n_dets, "det_kind");
    expect_rows(det_kind, n_kinds, "det_kind");
    expect_length(gt_class, n_gts, "gt_class");
    expect_rows(gt_class, n_classes, "gt_class");
    expect_rows(gt_unit, n_units, "gt_unit");
    expect_weights(weights);
    boxlens::RankedRows rows;
    rows.n_classes = n_classes;
    rows.class_offsets = class_offsets.data();
    rows.unit = det_unit.data();
    const boxlens::WeightedObjects objects{n_gts, gt_class.data(), gt_unit.data(),
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
    m.def("resample", &resample, nb::kw_only(), "class_offsets"_column, "det_unit"_column, "det_tp"_column,
          "det_ignored"_column, "det_limit"_column, "det_value"_column.none(), "gt_class"_column, "gt_unit"_column,
          "gt_positive"_column, "gt_value"_column.none(), "weights"_column, "n_thresholds"_a, "n_groups"_a,
          "n_limits"_a, "recalls"_a, "spacing"_a, "normal"_column.none(), "with_precision"_a,
          "threads"_a);
    m.def("count_top_kinds", &count_top_kinds, nb::kw_only(), "class_offsets"_column, "det_unit"_column,
          "det_kind"_column, "n_kinds"_a, "gt_class"_column, "gt_unit"_column, "weights"_column, "threads"_a);
}
