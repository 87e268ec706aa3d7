// The only file that knows nanobind: borrows NumPy columns, releases the GIL, hands results over.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "accumulate.hpp"
#include "assign.hpp"
#include "coco_json.hpp"
#include "overlaps.hpp"
#include "pairing.hpp"
#include "ranking.hpp"
#include "row_lookup.hpp"

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using BoxColumn = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

// Hands a vector over to NumPy without a copy.
template <class T>
static nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values,
                                          std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.begin(), owner);
}

template <class T>
static nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values) {
    std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// -- scanning

// Hands a buffer over to NumPy without a copy.
template <class T>
static nb::ndarray<nb::numpy, T> to_numpy(boxlens::Buffer<T>&& values,
                                          std::initializer_list<std::size_t> shape) {
    auto* kept = new boxlens::Buffer<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<boxlens::Buffer<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.begin(), owner);
}

template <class T>
static nb::ndarray<nb::numpy, T> to_numpy(boxlens::Buffer<T>&& values) {
    std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

static nb::list to_list(const boxlens::TextTable& texts) {
    nb::list out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        out.append(nb::str(texts[i].data(), texts[i].size()));
    }
    return out;
}

// int64 ids, or (numbers of texts, texts).
static nb::object to_python(boxlens::json::IdColumn&& ids) {
    if (!ids.is_text) return nb::cast(to_numpy(std::move(ids.value)));
    return nb::make_tuple(to_numpy(std::move(ids.value)), to_list(ids.texts));
}

static nb::object to_python(boxlens::json::Column&& column, std::size_t rows) {
    using boxlens::json::Kind;
    switch (column.field.kind) {
        case Kind::id:
        case Kind::text: return to_python(std::move(column.ids));
        case Kind::number: return nb::cast(to_numpy(std::move(column.number)));
        case Kind::box: return nb::cast(to_numpy(std::move(column.number), {rows, 4}));
        case Kind::flag: return nb::cast(to_numpy(std::move(column.flag)));
        case Kind::span:
            return nb::make_tuple(to_numpy(std::move(column.begin)), to_numpy(std::move(column.end)));
        case Kind::id_list: {
            column.begin.push_back(static_cast<std::int64_t>(column.ids.value.size()));
            auto offsets = to_numpy(std::move(column.begin));
            return nb::make_tuple(offsets, to_python(std::move(column.ids)));
        }
        default: return nb::none();
    }
}

// Columns by name; None stands for a column that no record has.
static nb::dict to_python(boxlens::json::Table&& table) {
    nb::dict out;
    for (boxlens::json::Column& column : table.columns) {
        const nb::str name(column.field.name.data(), column.field.name.size());
        const bool absent = !column.field.required && column.is_empty(table.rows);
        out[name] = absent ? nb::none() : to_python(std::move(column), table.rows);
    }
    nb::dict attributes;
    for (boxlens::json::AttributeColumn& column : table.attributes) {
        const nb::str name(column.name.data(), column.name.size());
        if (column.is_text) {
            auto codes = to_numpy(std::move(column.code));
            attributes[name] = nb::make_tuple(codes, to_list(column.texts));
        } else {
            attributes[name] = to_numpy(std::move(column.number));
        }
    }
    nb::dict skipped;
    for (const boxlens::json::SkippedKey& key : table.skipped) {
        skipped[nb::str(key.name.data(), key.name.size())] = key.count;
    }
    nb::dict result;
    result["rows"] = table.rows;
    result["columns"] = out;
    result["attributes"] = attributes;
    result["skipped"] = skipped;
    return result;
}

// Scans a file (str) or its content (bytes) without the GIL.
template <class Scan>
static auto scan(nb::handle data, int threads, std::size_t piece_bytes, Scan run) {
    boxlens::json::ScanOptions options;
    options.threads = threads;
    if (piece_bytes > 0) options.piece_bytes = piece_bytes;
    if (PyBytes_Check(data.ptr())) {
        const char* first = PyBytes_AS_STRING(data.ptr());
        const auto size = static_cast<std::size_t>(PyBytes_GET_SIZE(data.ptr()));
        nb::gil_scoped_release released;
        return run(boxlens::json::InputBytes(first, size), options);
    }
    if (!PyUnicode_Check(data.ptr())) throw nb::type_error("expected a path (str) or bytes");
    const nb::object encoded = nb::steal(PyUnicode_EncodeFSDefault(data.ptr()));
    if (!encoded.is_valid()) throw nb::python_error();
    const std::string path(PyBytes_AS_STRING(encoded.ptr()));
    nb::gil_scoped_release released;
    return run(boxlens::json::InputBytes(path), options);
}

static nb::dict scan_results(nb::handle data, int threads, std::size_t piece_bytes,
                             bool file_names) {
    return to_python(scan(data, threads, piece_bytes, [=](const auto& input, const auto& options) {
        return boxlens::json::scan_results(input, options, file_names);
    }));
}

static nb::dict scan_dataset(nb::handle data, int threads, std::size_t piece_bytes) {
    auto found = scan(data, threads, piece_bytes, [](const auto& input, const auto& options) {
        return boxlens::json::scan_dataset(input, options);
    });
    nb::dict out;
    out["images"] = to_python(std::move(found.images.table));
    out["annotations"] = to_python(std::move(found.annotations.table));
    out["categories"] = to_python(std::move(found.categories.table));
    out["categories_span"] = nb::make_tuple(found.categories.begin, found.categories.end);
    return out;
}

static nb::ndarray<nb::numpy, std::int32_t> rows_of(Column<std::int64_t> ids,
                                                    Column<std::int64_t> table) {
    boxlens::Buffer<std::int32_t> rows;
    {
        nb::gil_scoped_release released;
        rows.resize(ids.shape(0));
        const boxlens::RowLookup lookup(table.data(), table.shape(0));
        boxlens::rows_of(ids.data(), ids.shape(0), lookup, rows.data());
    }
    return to_numpy(std::move(rows));
}

// Kept for the life of the process, as the translator needs it for that long.
static PyObject* scan_error_type = nullptr;

static void translate_scan_error(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const boxlens::json::ScanError& error) {
        nb::object made = nb::handle(scan_error_type)(error.problem);
        nb::setattr(made, "offset", nb::int_(error.offset));
        nb::setattr(made, "record", nb::int_(error.record));
        nb::setattr(made, "array", nb::str(error.array.data(), error.array.size()));
        nb::setattr(made, "field", nb::str(error.field.data(), error.field.size()));
        nb::setattr(made, "problem", nb::str(error.problem.data(), error.problem.size()));
        PyErr_SetObject(scan_error_type, made.ptr());
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
    }
}

// -- end of scanning

// -- matching

static const std::uint8_t* flags(const Column<bool>& column) {
    return reinterpret_cast<const std::uint8_t*>(column.data());
}

static const std::uint8_t* flags(const std::optional<Column<bool>>& column) {
    return column ? flags(*column) : nullptr;
}

static const boxlens::Box* boxes(const BoxColumn& column) {
    return reinterpret_cast<const boxlens::Box*>(column.data());
}

static void expect(bool holds, const char* what) {
    if (!holds) throw nb::value_error(what);
}

static void expect_rows(const Column<std::int32_t>& rows, std::size_t n) {
    bool inside = true;
    for (std::size_t i = 0; i < rows.shape(0); ++i)
        inside &= static_cast<std::uint32_t>(rows.data()[i]) < n;
    expect(inside, "a class row lies outside the classes");
}

static nb::tuple find_overlaps(Column<std::int64_t> det_offsets, Column<std::int32_t> det_class,
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

static boxlens::Rule rule_named(const std::string& name) {
    if (name == "coco") return boxlens::Rule::coco;
    if (name == "voc") return boxlens::Rule::voc;
    if (name == "hoiem") return boxlens::Rule::hoiem;
    if (name == "open_images") return boxlens::Rule::open_images;
    throw nb::value_error(("no matching rule is called " + name).c_str());
}

static nb::dict assign(Column<std::int64_t> det_offsets, Column<std::int32_t> det_class,
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

static nb::ndarray<nb::numpy, std::int32_t> pair_one_to_one(
    Column<std::int64_t> det_offsets, Column<double> det_score, Column<std::int64_t> pair_offsets,
    Column<std::int32_t> pair_gt_row, Column<double> pair_iou, std::size_t n_gts,
    std::optional<Column<bool>> det_dropped, std::optional<Column<bool>> gt_dropped, double floor,
    int threads) {
    const std::size_t n_dets = det_score.shape(0);
    expect(pair_offsets.shape(0) == n_dets + 1, "the overlaps belong to other detections");
    boxlens::DetectionColumns dets{n_dets, det_offsets.data(), nullptr, nullptr, det_score.data()};
    boxlens::OverlapColumns pairs{pair_offsets.data(), pair_gt_row.data(), pair_iou.data()};
    std::vector<std::int32_t> partner;
    {
        nb::gil_scoped_release released;
        partner = boxlens::pair_one_to_one(dets, pairs, det_offsets.shape(0) - 1, n_gts,
                                           flags(det_dropped), flags(gt_dropped), floor, threads);
    }
    return to_numpy(std::move(partner));
}

// -- counting

static nb::tuple rank_classes(Column<std::int32_t> det_class, Column<double> det_score,
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

static nb::tuple accumulate(Column<std::int32_t> order, Column<std::int64_t> class_offsets,
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

static nb::ndarray<nb::numpy, std::int64_t> count_true_positives(
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

NB_MODULE(_kernel, m) {
    m.doc() = "The compiled kernel of Boxlens.";
    // -- scanning
    scan_error_type = PyErr_NewException("boxlens._kernel.ScanError", PyExc_ValueError, nullptr);
    m.attr("ScanError") = nb::handle(scan_error_type);
    nb::register_exception_translator(translate_scan_error);
    m.def("scan_results", &scan_results, nb::arg("data"), nb::arg("threads") = 0,
          nb::arg("piece_bytes") = 0, nb::arg("file_names") = false);
    m.def("scan_dataset", &scan_dataset, nb::arg("data"), nb::arg("threads") = 0,
          nb::arg("piece_bytes") = 0);
    m.def("rows_of", &rows_of, nb::arg("ids"), nb::arg("table"));
    // -- end of scanning

    using namespace nb::literals;
    m.def("find_overlaps", &find_overlaps, nb::kw_only(), "det_offsets"_a, "det_class"_a,
          "det_box"_a, "gt_offsets"_a, "gt_class"_a, "gt_box"_a, "gt_region"_a, "n_classes"_a,
          "floor"_a, "same_class"_a, "threads"_a);
    m.def("assign", &assign, nb::kw_only(), "det_offsets"_a, "det_class"_a, "det_box"_a,
          "det_score"_a, "det_dropped"_a.none(), "det_unmatched_ignored"_a.none(), "gt_offsets"_a,
          "gt_area"_a, "gt_region"_a, "gt_ignored"_a, "pair_offsets"_a, "pair_gt_row"_a,
          "pair_iou"_a, "rule"_a, "thresholds"_a, "area_ranges"_a, "n_classes"_a, "max_dets"_a,
          "max_dets_per_class"_a, "keep_hits"_a, "threads"_a);
    m.def("pair_one_to_one", &pair_one_to_one, nb::kw_only(), "det_offsets"_a, "det_score"_a,
          "pair_offsets"_a, "pair_gt_row"_a, "pair_iou"_a, "n_gts"_a, "det_dropped"_a.none(),
          "gt_dropped"_a.none(), "floor"_a, "threads"_a);
    m.def("rank_classes", &rank_classes, nb::kw_only(), "det_class"_a, "det_score"_a,
          "n_classes"_a, "threads"_a);
    m.def("accumulate", &accumulate, nb::kw_only(), "order"_a, "class_offsets"_a, "det_score"_a,
          "det_tp"_a, "det_ignored"_a, "det_rank"_a, "n_positive"_a, "n_thresholds"_a, "max_dets"_a,
          "recalls"_a, "with_scores"_a, "with_tie_band"_a, "threads"_a);
    m.def("count_true_positives", &count_true_positives, nb::kw_only(), "det_class"_a, "det_tp"_a,
          "det_rank"_a, "n_classes"_a, "n_areas"_a, "n_thresholds"_a, "max_dets"_a);
}
