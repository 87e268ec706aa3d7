// Ranking and accumulation.
#include <nanobind/stl/vector.h>

#include "accumulate.hpp"
#include "column_checks.hpp"
#include "numpy_columns.hpp"
#include "ranking.hpp"

namespace {

using Positives = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::tuple rank_classes(Column<std::int32_t> det_class, Column<double> det_score,
                              std::size_t n_classes, int threads) {
    expect_count(n_classes, "n_classes");
    expect_count(det_class.shape(0), "the number of detections");
    expect_rows(det_class, n_classes, "det_class");
    expect_length(det_score, det_class.shape(0), "det_score");
    boxlens::Ranking ranking;
    {
        nb::gil_scoped_release released;
        ranking = boxlens::rank_classes(det_class.shape(0), det_class.data(), det_score.data(),
                                        n_classes, threads);
    }
    return nb::make_tuple(to_numpy(std::move(ranking.order)), to_numpy(std::move(ranking.offsets)));
}

nb::tuple accumulate(Column<std::int32_t> order, Column<std::int64_t> class_offsets,
                            Column<double> det_score, Column<boxlens::Word> det_tp,
                            Column<boxlens::Word> det_ignored, Column<std::int32_t> det_rank,
                            Positives n_positive,
                            std::size_t n_thresholds, std::int64_t max_dets,
                            const std::vector<double>& recalls, bool with_scores,
                            bool with_tie_band, int threads) {
    const std::size_t n_classes = expect_offsets(class_offsets, order.shape(0), "class_offsets");
    const std::size_t n_dets = det_rank.shape(0), n_areas = n_positive.shape(1);
    expect_rows(order, n_dets, "order");
    expect_length(det_score, n_dets, "det_score");
    expect_length(det_tp, n_dets, "det_tp");
    expect_length(det_ignored, n_dets, "det_ignored");
    expect_length(n_positive, n_classes, "n_positive");
    expect_cells(n_areas, n_thresholds);
    expect_recalls(recalls);
    boxlens::RankedMatches in{order.data(),    class_offsets.data(), n_classes,
                              det_score.data(), det_tp.data(),       det_ignored.data(),
                              det_rank.data(), n_positive.data(),    n_thresholds,
                              n_areas};
    const boxlens::GridChoice choice{max_dets, recalls, with_scores, with_tie_band};
    boxlens::PrecisionGrid grid;
    {
        nb::gil_scoped_release released;
        grid = boxlens::accumulate(in, choice, threads);
    }
    const std::size_t n_recalls = recalls.size();
    return nb::make_tuple(
        to_numpy(std::move(grid.precision), {n_classes, n_areas, n_thresholds, n_recalls}),
        to_numpy(std::move(grid.score),
                 {with_scores ? n_classes : 0, n_areas, n_thresholds, n_recalls}),
        to_numpy(std::move(grid.tie_band), {with_tie_band ? n_classes : 0, n_thresholds, 2}));
}

nb::ndarray<nb::numpy, std::int64_t> count_true_positives(
    Column<std::int32_t> det_class, Column<boxlens::Word> det_tp, Column<std::int32_t> det_rank,
    std::size_t n_classes, std::size_t n_areas, std::size_t n_thresholds,
    const std::vector<std::int64_t>& max_dets) {
    const std::size_t n_dets = det_class.shape(0);
    expect_count(n_classes, "n_classes");
    expect_rows(det_class, n_classes, "det_class");
    expect_length(det_tp, n_dets, "det_tp");
    expect_length(det_rank, n_dets, "det_rank");
    expect_cells(n_areas, n_thresholds);
    expect_bits(det_tp, n_areas * n_thresholds, "det_tp");
    expect(std::is_sorted(max_dets.begin(), max_dets.end()), "max_dets must ascend");
    boxlens::RankedMatches in;
    in.n_classes = n_classes;
    in.det_tp = det_tp.data();
    in.det_rank = det_rank.data();
    in.n_areas = n_areas;
    in.n_thresholds = n_thresholds;
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release released;
        counts = boxlens::count_true_positives(in, n_dets, det_class.data(), max_dets);
    }
    return to_numpy(std::move(counts), {max_dets.size(), n_classes, n_areas, n_thresholds});
}

}  // namespace

void bind_counting(nb::module_& m) {
    using namespace nb::literals;
    m.def("rank_classes", &rank_classes, nb::kw_only(), "det_class"_column, "det_score"_column,
          "n_classes"_a, "threads"_a);
    m.def("accumulate", &accumulate, nb::kw_only(), "order"_column, "class_offsets"_column, "det_score"_column,
          "det_tp"_column, "det_ignored"_column, "det_rank"_column, "n_positive"_column, "n_thresholds"_a, "max_dets"_a,
          "recalls"_a, "with_scores"_a, "with_tie_band"_a, "threads"_a);
    m.def("count_true_positives", &count_true_positives, nb::kw_only(), "det_class"_column, "det_tp"_column,
          "det_rank"_column, "n_classes"_a, "n_areas"_a, "n_thresholds"_a, "max_dets"_a);
}
