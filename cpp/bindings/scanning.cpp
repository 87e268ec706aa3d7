// JSON files into columns.
#include <cerrno>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>

#include "coco_json.hpp"
#include "column_checks.hpp"
#include "numpy_columns.hpp"
#include "row_lookup.hpp"

namespace {

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

nb::list to_list(const boxlens::TextTable& texts) {
    nb::list out;
    for (std::size_t i = 0; i < texts.size(); ++i) out.append(to_str(texts[i]));
    return out;
}

// int64 ids, or (numbers of texts, texts).
nb::object to_python(boxlens::json::IdColumn&& ids) {
    if (!ids.is_text) return nb::cast(to_numpy(std::move(ids.value)));
    return nb::make_tuple(to_numpy(std::move(ids.value)), to_list(ids.texts));
}

nb::object to_python(boxlens::json::Column&& column, std::size_t rows) {
    using boxlens::json::Kind;
    switch (column.field.kind) {
        case Kind::id:
        case Kind::text: return to_python(std::move(column.ids));
        case Kind::number: return nb::cast(to_numpy(std::move(column.number)));
        case Kind::box: return nb::cast(to_numpy(std::move(column.number), {rows, 4}));
        case Kind::flag: return nb::cast(to_numpy(std::move(column.flag)));
        case Kind::span:
            return nb::make_tuple(to_numpy(std::move(column.begin)), to_numpy(std::move(column.end)));
        case Kind::id_list:
            column.begin.push_back(static_cast<std::int64_t>(column.ids.value.size()));
            return nb::make_tuple(to_numpy(std::move(column.begin)), to_python(std::move(column.ids)));
        default: return nb::none();
    }
}

// Columns by name; None stands for a column that no record has.
nb::dict to_python(boxlens::json::Table&& table) {
    nb::dict columns, attributes, skipped, result;
    for (boxlens::json::Column& column : table.columns) {
        const bool absent = !column.field.required && column.is_empty(table.rows);
        columns[to_str(column.field.name)] =
            absent ? nb::none() : to_python(std::move(column), table.rows);
    }
    for (boxlens::json::AttributeColumn& column : table.attributes) {
        attributes[to_str(column.name)] =
            column.is_text
                ? nb::make_tuple(to_numpy(std::move(column.code)), to_list(column.texts))
                : nb::cast(to_numpy(std::move(column.number)));
    }
    for (const boxlens::json::SkippedKey& key : table.skipped) skipped[to_str(key.name)] = key.count;
    result["rows"] = table.rows;
    result["columns"] = columns;
    result["attributes"] = attributes;
    result["skipped"] = skipped;
    return result;
}

// Scans a file (str) or its content (bytes) without the GIL.
template <class Scan>
auto scan(nb::handle data, int threads, std::size_t piece_bytes, Scan run) {
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
    expect(path.size() == static_cast<std::size_t>(PyBytes_GET_SIZE(encoded.ptr())),
           "a path holds no null character");
    nb::gil_scoped_release released;
    return run(boxlens::json::InputBytes(path), options);
}

nb::dict scan_results(nb::handle data, int threads, std::size_t piece_bytes,
                             bool file_names) {
    return to_python(scan(data, threads, piece_bytes, [=](const auto& input, const auto& options) {
        return boxlens::json::scan_results(input, options, file_names);
    }));
}

nb::dict scan_dataset(nb::handle data, int threads, std::size_t piece_bytes,
                      bool annotations_needed) {
    auto found = scan(data, threads, piece_bytes, [=](const auto& input, const auto& options) {
        return boxlens::json::scan_dataset(input, options, annotations_needed);
    });
    nb::dict out;
    out["images"] = to_python(std::move(found.images.table));
    out["annotations"] = to_python(std::move(found.annotations.table));
    out["categories"] = to_python(std::move(found.categories.table));
    out["categories_span"] = nb::make_tuple(found.categories.begin, found.categories.end);
    out["boxlens_span"] = nb::make_tuple(found.boxlens_begin, found.boxlens_end);
    return out;
}

nb::ndarray<nb::numpy, std::int32_t> rows_of(Column<std::int64_t> ids,
                                                    Column<std::int64_t> table) {
    bool ascend = true;
    for (std::size_t i = 1; i < table.shape(0); ++i)
        ascend &= table.data()[i - 1] < table.data()[i];
    expect(ascend, "the ids of a table must ascend, each once");
    expect_count(table.shape(0), "the number of ids");
    boxlens::Buffer<std::int32_t> rows;
    rows.resize(ids.shape(0));
    {
        nb::gil_scoped_release released;
        const boxlens::RowLookup lookup(table.data(), table.shape(0));
        boxlens::rows_of(ids.data(), ids.shape(0), lookup, rows.data());
    }
    return to_numpy(std::move(rows));
}

// Kept for the life of the process, as the translator needs it for that long.
PyObject* scan_error_type = nullptr;

void translate_scan_error(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const boxlens::json::ScanError& error) {
        nb::object made = nb::handle(scan_error_type)(to_str(error.problem));
        nb::setattr(made, "offset", nb::int_(error.offset));
        nb::setattr(made, "record", nb::int_(error.record));
        nb::setattr(made, "array", to_str(error.array));
        nb::setattr(made, "field", to_str(error.field));
        nb::setattr(made, "problem", to_str(error.problem));
        PyErr_SetObject(scan_error_type, made.ptr());
    } catch (const std::system_error& error) {
        errno = error.code().value();
        PyErr_SetFromErrno(PyExc_OSError);
    }
}

}  // namespace

void bind_scanning(nb::module_& m) {
    scan_error_type = PyErr_NewException("boxlens._kernel.ScanError", PyExc_ValueError, nullptr);
    m.attr("ScanError") = nb::handle(scan_error_type);
    nb::register_exception_translator(translate_scan_error);
    m.def("scan_results", &scan_results, nb::arg("data"), nb::arg("threads") = 0,
          nb::arg("piece_bytes") = 0, nb::arg("file_names") = false);
    m.def("scan_dataset", &scan_dataset, nb::arg("data"), nb::arg("threads") = 0,
          nb::arg("piece_bytes") = 0, nb::arg("annotations_needed") = true);
    m.def("rows_of", &rows_of, "ids"_column, "table"_column);
}
