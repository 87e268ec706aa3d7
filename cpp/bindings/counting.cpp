// Ranking and accumulation.
#include <nanobind/stl/vector.h>

#include "accumulate.hpp"
#include "numpy_columns.hpp"
#include "ranking.hpp"

namespace {

nb::tuple rank_classes(Column<std::int32_t> det_class, Column<double> det_score,
                              std::size_t n_classes, int threads) {
    expect_rows(det_class, n_classes);
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
                            nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig> n_positive,
                            std::size_t n_thresholds, std::int64_t max_dets,
                            const std::vector<double>& recalls, bool with_scores,
                            bool with_tie_band, int threads) {
    const std::size_t n_classes = class_offsets.shape(0) - 1, n_areas = n_positive.shape(1);
    expect(n_positive.shape(0) == n_classes, "one row of positives a class");
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
    expect_rows(det_class, n_classes);
    boxlens::RankedMatches in;
    in.n_classes = n_classes;
    in.det_tp = det_tp.data();
    in.det_rank = det_rank.data();
    in.n_areas = n_areas;
    in.n_thresholds = n_thresholds;
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release released;
        counts = boxlens::count_true_positives(in, det_class.shape(0), det_class.data(), max_dets);
    }
    return to_numpy(std::move(counts), {max_dets.size(), n_classes, n_areas, n_thresholds});
}

}  // namespace

void bind_counting(nb::module_& m) {
    using namespace nb::literals;
    m.def("rank_classes", &rank_classes, nb::kw_only(), "det_class"_a, "det_score"_a,
          "n_classes"_a, "threads"_a);
    m.def("accumulate", &accumulate, nb::kw_only(), "order"_a, "class_offsets"_a, "det_score"_a,
          "det_tp"_a, "det_ignored"_a, "det_rank"_a, "n_positive"_a, "n_thresholds"_a, "max_dets"_a,
          "recalls"_a, "with_scores"_a, "with_tie_band"_a, "threads"_a);
    m.def("count_true_positives", &count_true_positives, nb::kw_only(), "det_class"_a, "det_tp"_a,
          "det_rank"_a, "n_classes"_a, "n_areas"_a, "n_thresholds"_a, "max_dets"_a);
}
