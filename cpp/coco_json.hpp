// The two layouts of COCO files: results (an array of detections) and data sets (an object of
// arrays). Cuts the large arrays into pieces that several threads read.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "input_bytes.hpp"
#include "json_cursor.hpp"
#include "parallel.hpp"
#include "record_scanner.hpp"

namespace boxlens::json {

struct ScanOptions {
    int threads = 0;  // 0: all cores
    // No piece is smaller; tests make it tiny.
    std::size_t piece_bytes = std::size_t{1} << 20;
};

struct ArrayTable {
    Table table;
    std::int64_t begin = -1;  // the array's bytes; -1 where it is absent
    std::int64_t end = -1;
};

struct CocoDataset {
    ArrayTable images;
    ArrayTable annotations;
    ArrayTable categories;
    // The bytes of what Boxlens adds to files it writes; -1 where it is absent.
    std::int64_t boxlens_begin = -1;
    std::int64_t boxlens_end = -1;
};

namespace coco_detail {

inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The first place from `at` on that looks like the start of a record: after }, and a comma.
inline const char* likely_record(const char* at, const char* end) {
    for (; at < end; ++at) {
        if (*at != '}') continue;
        const char* p = at + 1;
        while (is_space(*p)) ++p;
        if (*p != ',') continue;
        ++p;
        while (is_space(*p)) ++p;
        if (*p == '{') return p;
    }
    return end;
}

// Where pieces begin: the first certainly, the others by guess.
inline std::vector<const char*> piece_starts(const char* first, const char* end,
                                             const ScanOptions& options) {
    const auto bytes = static_cast<std::size_t>(end - first);
    const int n = thread_count(options.threads, bytes / options.piece_bytes + 1);
    std::vector<const char*> starts{first};
    for (int i = 1; i < n; ++i) {
        const char* guess = first + bytes / static_cast<std::size_t>(n) * static_cast<std::size_t>(i);
        const char* start = likely_record(guess, end);
        if (start < end && start > starts.back()) starts.push_back(start);
    }
    return starts;
}

struct Piece {
    Table table;
    std::optional<std::size_t> next;  // the piece that begins where this one stopped
    const char* place = nullptr;
    std::optional<ScanError> error;
    std::exception_ptr failure;
};

inline Piece scan_piece(const Schema& schema, const InputBytes& input,
                        const std::vector<const char*>& starts, std::size_t number) {
    Piece piece;
    try {
        RecordScanner scanner(schema, input, starts[number]);
        try {
            piece.next = scanner.run(starts, number + 1);
        } catch (const ScanError& error) {
            piece.error = error;
        }
        piece.place = scanner.place();
        piece.table = scanner.finish();
    } catch (...) {
        piece.failure = std::current_exception();
    }
    return piece;
}

// Joins pieces from the first on. A piece counts only if the one before it arrived exactly at its
// start, so no guess changes the result, and the first error of the file is the one that is told.
inline Table joined(std::vector<Piece>& pieces, const char*& place) {
    Table table = std::move(pieces[0].table);
    for (std::size_t number = 0;;) {
        Piece& piece = pieces[number];
        if (piece.failure) std::rethrow_exception(piece.failure);
        if (number > 0) {
            if (piece.error) piece.error->record += static_cast<std::int64_t>(table.rows);
            if (!piece.error) table.append(std::move(piece.table));
        }
        if (piece.error) throw *piece.error;
        place = piece.place;
        if (!piece.next) return table;
        number = *piece.next;
    }
}

inline bool too_many_keys(const Table& table) {
    return table.attributes.size() > max_other_keys || table.skipped.size() > max_other_keys;
}

// Reads an array of records; the cursor stands on its bracket, and behind the array afterwards.
inline ArrayTable scan_array(const Schema& schema, const InputBytes& input, Cursor& cursor,
                             const ScanOptions& options) {
    ArrayTable result;
    result.begin = cursor.offset();
    ++cursor.p;
    cursor.space();
    std::vector<const char*> starts{cursor.p};
    if (*cursor.p == ']') {
        ++cursor.p;
        result.table = RecordScanner(schema, input, cursor.p).finish();
    } else {
        if (schema.large) starts = piece_starts(cursor.p, input.end(), options);
        std::vector<Piece> pieces(starts.size());
        for_each_task(pieces.size(), options.threads, [&] {
            return [&](std::size_t i) { pieces[i] = scan_piece(schema, input, starts, i); };
        });
        result.table = joined(pieces, cursor.p);
        if (too_many_keys(result.table)) {
            // Each piece kept within the limit: one alone names the record that broke it.
            starts.resize(1);
            pieces[0] = scan_piece(schema, input, starts, 0);
            result.table = joined(pieces, cursor.p);
        }
    }
    for (Column& column : result.table.columns) column.trim();
    result.end = cursor.offset();
    return result;
}

inline void expect_end(Cursor& cursor) {
    cursor.space();
    if (cursor.p < cursor.end()) cursor.fail("the end of the file");
}

[[noreturn]] inline void wrong_layout(Cursor& cursor, int depth, const std::string& problem) {
    const char* first = cursor.p;
    cursor.skip(depth);
    throw ScanError(cursor.offset_of(first), problem, false);
}

inline Schema results_schema(bool file_names) {
    Schema schema{"results",
                  {{"image_id", Kind::id, true},
                   {"category_id", Kind::id, true},
                   {"bbox", Kind::box, true},
                   {"score", Kind::number, true},
                   {"segmentation", Kind::ignored}},
                  Others::ignored,
                  1,
                  true};
    if (file_names) schema.fields.push_back({"file_name", Kind::text});
    return schema;
}

inline const std::vector<Schema>& dataset_schemas() {
    static const std::vector<Schema> schemas{
        {"images",
         {{"id", Kind::id, true},
          {"width", Kind::number},
          {"height", Kind::number},
          {"file_name", Kind::text},
          {"coco_url", Kind::text},
          {"neg_category_ids", Kind::id_list},
          {"pos_category_ids", Kind::id_list},
          {"not_exhaustive_category_ids", Kind::id_list}},
         Others::counted,
         2},
        {"annotations",
         {{"id", Kind::id},
          {"image_id", Kind::id, true},
          {"category_id", Kind::id, true},
          {"bbox", Kind::box, true},
          {"area", Kind::number},
          {"iscrowd", Kind::flag},
          {"segmentation", Kind::span},
          {"keypoints", Kind::span}},
         Others::attributes,
         2,
         true},
        {"categories",
         {{"id", Kind::id, true},
          {"name", Kind::text, true},
          {"supercategory", Kind::text},
          {"frequency", Kind::text}},
         Others::counted,
         2}};
    return schemas;
}

// One member of a data set's object. A wrong array waits in `complaint`: of a key that occurs twice
// the last one counts.
inline void scan_member(const Schema& schema, const InputBytes& input, Cursor& cursor,
                        const ScanOptions& options, ArrayTable& into,
                        std::optional<ScanError>& complaint) {
    const char* first = cursor.p;
    complaint.reset();
    try {
        if (*first != '[') {
            wrong_layout(cursor, 1, std::string(schema.array) + " must be an array of objects");
        }
        into = scan_array(schema, input, cursor, options);
    } catch (const ScanError& error) {
        if (error.syntax) throw;
        complaint = error;
        cursor.p = first;
        cursor.skip(1);
    }
}

}  // namespace coco_detail

// [{"image_id", "category_id", "bbox", "score"}, ...]; other keys are validated and ignored.
inline Table scan_results(const InputBytes& input, const ScanOptions& options,
                          bool file_names = false) {
    using namespace coco_detail;
    Cursor cursor(input.begin(), input.begin(), input.end());
    cursor.space();
    if (*cursor.p != '[') wrong_layout(cursor, 0, "expected an array of detections");
    const Schema schema = results_schema(file_names);
    Table table = scan_array(schema, input, cursor, options).table;
    expect_end(cursor);
    return table;
}

// {"images": [...], "annotations": [...], "categories": [...]} in any order. Without
// `annotations_needed` a file that lacks the annotations has none.
inline CocoDataset scan_dataset(const InputBytes& input, const ScanOptions& options,
                                bool annotations_needed = true) {
    using namespace coco_detail;
    CocoDataset dataset;
    ArrayTable* const tables[] = {&dataset.images, &dataset.annotations, &dataset.categories};
    std::optional<ScanError> complaints[3];
    const std::vector<Schema>& schemas = dataset_schemas();
    Cursor cursor(input.begin(), input.begin(), input.end());
    const auto raise_first = [&] {
        const std::optional<ScanError>* first = nullptr;
        for (const auto& one : complaints) {
            if (one && (first == nullptr || one->offset < (*first)->offset)) first = &one;
        }
        if (first != nullptr) throw ScanError(**first);
    };
    try {
        cursor.space();
        if (*cursor.p != '{') {
            wrong_layout(cursor, 0, "expected an object with images, annotations and categories");
        }
        ++cursor.p;
        cursor.space();
        std::string scratch;
        for (bool more = *cursor.p != '}'; more;) {
            const std::string name(cursor.key(scratch));
            cursor.space();
            std::size_t i = 0;
            while (i < schemas.size() && schemas[i].array != name) ++i;
            if (i < schemas.size()) {
                scan_member(schemas[i], input, cursor, options, *tables[i], complaints[i]);
            } else {
                const std::int64_t begin = cursor.offset();
                cursor.skip(1);
                if (name == "boxlens") {
                    dataset.boxlens_begin = begin;
                    dataset.boxlens_end = cursor.offset();
                }
            }
            cursor.space();
            more = *cursor.p == ',';
            if (more) ++cursor.p;
        }
        cursor.expect('}', "',' or '}'");
        expect_end(cursor);
    } catch (const ScanError& error) {
        if (error.syntax) raise_first();
        throw;
    }
    raise_first();
    for (std::size_t i = 0; i < schemas.size(); ++i) {
        if (tables[i]->begin >= 0) continue;
        if (annotations_needed || tables[i] != &dataset.annotations) {
            throw ScanError(0, "missing array '" + std::string(schemas[i].array) + "'", false);
        }
        tables[i]->table = RecordScanner(schemas[i], input, cursor.p).finish();
    }
    return dataset;
}

}  // namespace boxlens::json
