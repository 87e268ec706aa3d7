// The JSON scanner: every kind of error, every truncation, every changed byte, every cut.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "check.hpp"
#include "coco_json.hpp"
#include "exact_text.hpp"
#include "row_lookup.hpp"

using namespace boxlens::json;

static ScanOptions options(int threads, std::size_t piece_bytes = 1) {
    return ScanOptions{threads, piece_bytes};
}

static std::string problem_of_results(const std::string& text, int threads = 1) {
    const ExactText exact(text);
    const InputBytes input(exact.bytes, exact.size);
    try {
        scan_results(input, options(threads));
    } catch (const ScanError& error) {
        return error.problem;
    }
    return "";
}

static bool is_json(const std::string& text) {
    const ExactText exact(text);
    Cursor cursor(exact.bytes, exact.bytes, exact.bytes + exact.size);
    try {
        cursor.skip(0);
        cursor.space();
        return cursor.p == cursor.end();
    } catch (const ScanError& error) {
        return error.offset > static_cast<std::int64_t>(exact.size);
    }
}

static void texts_that_are_json_or_not() {
    for (const char* good :
         {"{}", "[]", " [ ] ", "\t\r\n1 ", "true", "false", "null", "\"\"", "\"\\u0000\"", "\"\x7f\"",
          "\"\\ud83d\\ude00\"", "\"\\uD83D\\uDE00\"", "\"\\/\\b\\f\\n\\r\\t\\\"\\\\\"",
          "\"\xf4\x8f\xbf\xbf\"", "\"\xc3\xa9\xe2\x82\xac\"", "[1,2,[3,{\"a\":[{}]}]]",
          "{\"a\":1,\"a\":2}", "[-0,0.5,1e5,1E-5]"}) {
        check::that(is_json(good), good, __FILE__, __LINE__);
    }
    for (const char* bad :
         {"", " ", "01", "-01", "1.", ".5", "1.e5", "1e", "1e+", "+1", "-", "--1", "1e400", "[1,]", "[,]",
          "[1 2]", "[", "]", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{1:2}", "{,}", "nan",
          "NaN", "Infinity", "-Infinity", "tru", "truex", "True", "nul", "\"", "\"a", "\"\\\"",
          "\"\\x\"", "\"\\u00\"", "\"\\u00g0\"", "\"\x01\"", "\"\x1f\"", "\"\\ud800\"", "\"\\udc00\"",
          "\"\\ud83dabc\"", "\"\\ud83d\\ud83d\"", "\"\\ud83d\\n\"", "\"\xff\"", "\"\xc0\x80\"",
          "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe0\x80\x80\"", "\"\xc3\"", "\"\xe2\x82\"",
          "\xef\xbb\xbf[]", "[1]x", "1 2", "[\"a\" \"b\"]", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1}",
          "{\"a\":1]", "\x0b""1", "[\xa0]", "'a'", "/**/1"}) {
        check::that(!is_json(bad), bad, __FILE__, __LINE__);
    }
    CHECK(!is_json(std::string("[1]\0", 4)));
    CHECK(!is_json(std::string("\"a\0b\"", 5)));
    CHECK(is_json(std::string(1024, '[') + std::string(1024, ']')));
    CHECK(!is_json(std::string(1025, '[') + std::string(1025, ']')));
    CHECK(!is_json(std::string(10000000, '[')));
    CHECK(!is_json("[" + std::string(10000000, ' ')));
}

static const char* const small_results =
    "[{\"image_id\":139,\"category_id\":72,\"bbox\":[5.86,165.78,149.91,98.83],\"score\":0.89963},\n"
    " {\"score\": 1e-5, \"x\": {\"y\": [true, null, \"\\u00e9\\n\"]}, \"category_id\": 1.0,"
    " \"image_id\": 9007199254740993, \"bbox\": [ 1 , 2 , 3.5 , 0 ]},"
    "{\"image_id\":140,\"category_id\":1,\"bbox\":[427.1,163.95,41.02,130.96],\"score\":0.68765},"
    "{\"image_id\":140,\"category_id\":1,\"bbox\":[427.1,163.95,41.02,130.96],\"score\":0.68765},"
    "{\"image\\u005fid\":141,\"category_id\":1,\"bbox\":[-4.5,1,0.12345678901234567,2],\"score\":1,"
    "\"score\":0.25} ] ";

static void results_are_read() {
    const ExactText exact(small_results);
    const InputBytes input(exact.bytes, exact.size);
    for (int threads : {1, 2, 3, 8, 50}) {
        Table table = scan_results(input, options(threads));
        CHECK(table.rows == 5);
        const auto& image = table.column("image_id").ids.value;
        CHECK(image.size() == 5 && image[1] == 9007199254740993 && image[4] == 141);
        CHECK(table.column("category_id").ids.value[1] == 1);
        const auto& box = table.column("bbox").number;
        CHECK(box.size() == 20 && box[0] == 5.86 && box[6] == 3.5 && box[16] == -4.5);
        CHECK(box[18] == 0.12345678901234567);
        const auto& score = table.column("score").number;
        CHECK(score[0] == 0.89963 && score[1] == 1e-5 && score[4] == 0.25);
    }
}

static void every_truncation_is_refused() {
    const std::string whole(small_results);
    const std::size_t closed = whole.rfind(']') + 1;
    for (std::size_t n = 0; n < closed; ++n) {
        for (int threads : {1, 4}) {
            const std::string problem = problem_of_results(whole.substr(0, n), threads);
            check::that(!problem.empty(), whole.substr(0, n).c_str(), __FILE__, __LINE__);
        }
    }
    CHECK(problem_of_results(whole.substr(0, 120)) == "unexpected end of file");
}

// The whole of what an error says.
static std::string told(const std::string& text, int threads) {
    const ExactText exact(text);
    const InputBytes input(exact.bytes, exact.size);
    try {
        return std::to_string(scan_results(input, options(threads)).rows);
    } catch (const ScanError& error) {
        return error.problem + " " + error.field + " " + std::to_string(error.record) + " " +
               std::to_string(error.offset);
    }
}

// Every byte of a small document replaced by others: never out of bounds, and any number
// of pieces tells the same.
static void every_changed_byte_tells_the_same() {
    const std::string whole(small_results);
    bool same = true;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (int byte = static_cast<int>(at % 5); byte < 256; byte += at % 40 == 0 ? 5 : 31) {
            std::string changed = whole;
            changed[at] = static_cast<char>(byte);
            same = same && told(changed, 1) == told(changed, 5);
        }
    }
    CHECK(same);
}

static void expect_error(const std::string& record, const std::string& problem,
                         const std::string& field) {
    const std::string good =
        "{\"image_id\":1,\"category_id\":2,\"bbox\":[1,2,3,4],\"score\":0.5}";
    const ExactText exact("[" + good + "," + record + "," + good + "]");
    const InputBytes input(exact.bytes, exact.size);
    for (int threads : {1, 3}) {
        try {
            scan_results(input, options(threads));
            check::that(false, record.c_str(), __FILE__, __LINE__);
        } catch (const ScanError& error) {
            const bool told = error.problem == problem && error.field == field &&
                              error.record == 1 && error.array == "results";
            check::that(told, (record + " -> " + error.problem + " / " + error.field).c_str(), __FILE__, __LINE__);
        }
    }
}

static void errors_say_what_and_where() {
    const std::string ids = "{\"image_id\":1,\"category_id\":2,";
    expect_error(ids + "\"bbox\":[1,2,3],\"score\":1}", "expected 4 numbers, found 3", "bbox");
    expect_error(ids + "\"bbox\":[1,2,3,4,5],\"score\":1}", "expected 4 numbers, found 5", "bbox");
    expect_error(ids + "\"bbox\":[],\"score\":1}", "expected 4 numbers, found 0", "bbox");
    expect_error(ids + "\"bbox\":[1,2,3,null],\"score\":1}", "bbox must hold numbers only", "bbox");
    expect_error(ids + "\"bbox\":null,\"score\":1}", "bbox must be an array of 4 numbers", "bbox");
    expect_error(ids + "\"bbox\":[1,2,-3,4],\"score\":1}", "negative width or height", "bbox");
    expect_error(ids + "\"bbox\":[1,2,3,4],\"score\":\"1\"}", "score must be a number", "score");
    expect_error(ids + "\"bbox\":[1,2,3,4]}", "score is missing", "score");
    expect_error(ids + "\"segmentation\":{},\"score\":1}",
                 "bbox is missing; a segmentation alone has no box", "bbox");
    const std::string rest = ",\"category_id\":2,\"bbox\":[1,2,3,4],\"score\":1}";
    const std::string no_id = "image_id must be an integer or a string";
    expect_error("{\"image_id\":true" + rest, no_id, "image_id");
    expect_error("{\"image_id\":null" + rest, no_id, "image_id");
    expect_error("{\"image_id\":1.5" + rest, no_id, "image_id");
    expect_error("{\"image_id\":[1]" + rest, no_id, "image_id");
    const std::string too_wide = "image_id does not fit into 64 bits";
    expect_error("{\"image_id\":9223372036854775808" + rest, too_wide, "image_id");
    expect_error("{\"image_id\":1e300" + rest, too_wide, "image_id");
    expect_error("{\"image_id\":01" + rest, "number with a leading zero", "image_id");
    expect_error("{\"image_id\":1e999" + rest, "number too large for float64", "image_id");
    expect_error("7", "expected an object, found '7'", "");
    expect_error("{\"image_id\":1 \"x\":2}", "expected ',' or '}', found '\"'", "");
    // The earlier of two problems is told, and the last of two values counts.
    expect_error("{\"image_id\":true,\"score\":nan" + rest, no_id, "image_id");
    CHECK(problem_of_results("[{\"image_id\":true,\"image_id\":3" + rest + "]").empty());
    CHECK(problem_of_results("{\"a\": 1}") == "expected an array of detections");
    CHECK(problem_of_results("[]").empty());
}

static void data_sets_are_read() {
    const ExactText exact(
        "{\"info\":{\"a\":[1]},\"categories\":[{\"id\":3,\"name\":\"cat\",\"synonyms\":[]}],"
        "\"annotations\":[{\"id\":1,\"image_id\":\"a\",\"category_id\":3,\"bbox\":[0,0,1,1],"
        "\"iscrowd\":1,\"segmentation\":[[1,2]],\"occluded\":true,\"pose\":\"left\","
        "\"attributes\":{\"area\":4,\"deep\":[1]}},"
        "{\"image_id\":7,\"category_id\":3,\"bbox\":[0,0,2,2],\"area\":3.5,\"pose\":1.5,"
        "\"parts\":[],\"occluded\":null},"
        "{\"image_id\":7,\"category_id\":3,\"bbox\":[0,0,2,2],\"segmentation\":null}],"
        "\"images\":[{\"id\":\"a\",\"neg_category_ids\":[3,4],\"neg_category_ids\":[5]},"
        "{\"id\":7,\"width\":10,\"file_name\":\"x\\u00e9.jpg\"},{\"id\":8,\"neg_category_ids\":[6]}],"
        "\"boxlens\" : {\"flags\":[]} }");
    const InputBytes input(exact.bytes, exact.size);
    for (int threads : {1, 2, 4, 16}) {
        CocoDataset dataset = scan_dataset(input, options(threads));
        CHECK(std::string(exact.bytes + dataset.boxlens_begin, exact.bytes + dataset.boxlens_end) ==
              "{\"flags\":[]}");
        Table& objects = dataset.annotations.table;
        CHECK(objects.rows == 3);
        const IdColumn& image = objects.column("image_id").ids;
        CHECK(image.is_text && image.texts.size() == 2 && image.texts[1] == "7");
        CHECK(image.value[0] == 0 && image.value[2] == 1);
        CHECK(objects.column("id").n_missing == 2 && objects.column("id").ids.value[2] == missing_id);
        CHECK(std::isnan(objects.column("area").number[0]));
        CHECK(objects.column("iscrowd").flag[0] == 1 && objects.column("iscrowd").flag[1] == missing_flag);
        Column& mask = objects.column("segmentation");
        CHECK(std::string(exact.bytes + mask.begin[0], exact.bytes + mask.end[0]) == "[[1,2]]");
        CHECK(mask.begin[1] == -1 && mask.begin[2] == -1);
        CHECK(objects.attributes.size() == 3);
        CHECK(objects.attributes[0].name == "occluded" && objects.attributes[0].number[0] == 1);
        CHECK(std::isnan(objects.attributes[0].number[1]) && std::isnan(objects.attributes[0].number[2]));
        CHECK(objects.attributes[1].is_text && objects.attributes[1].texts[1] == "1.5");
        CHECK(objects.attributes[1].code[2] == -1);
        CHECK(objects.attributes[2].name == "attributes.area");
        CHECK(objects.skipped.size() == 2 && objects.skipped[0].name == "deep");
        CHECK(objects.skipped[1].name == "parts" && objects.skipped[1].count == 1);
        Column& negative = dataset.images.table.column("neg_category_ids");
        CHECK(negative.ids.value.size() == 2 && negative.ids.value[0] == 5);
        CHECK(negative.begin[0] == 0 && negative.begin[1] == 1 && negative.begin[2] == 1);
        CHECK(dataset.images.table.column("file_name").ids.texts[0] == "x\xc3\xa9.jpg");
    }
}

static std::string problem_of_dataset(const std::string& text) {
    const ExactText exact(text);
    const InputBytes input(exact.bytes, exact.size);
    try {
        scan_dataset(input, options(3));
    } catch (const ScanError& error) {
        return error.problem;
    }
    return "";
}

static void annotations_may_be_missing() {
    const ExactText exact("{\"images\":[{\"id\":7}],\"categories\":[]}");
    const InputBytes input(exact.bytes, exact.size);
    CocoDataset dataset = scan_dataset(input, options(1), false);
    CHECK(dataset.images.table.rows == 1);
    CHECK(dataset.annotations.table.rows == 0);
}

static void data_sets_are_refused() {
    const std::string rest = ",\"images\":[],\"categories\":[]}";
    CHECK(problem_of_dataset("{\"annotations\":[]" + rest).empty());
    CHECK(problem_of_dataset("{\"annotations\":{}" + rest) == "annotations must be an array of objects");
    CHECK(problem_of_dataset("{\"annotations\":7,\"annotations\":[]" + rest).empty());
    CHECK(problem_of_dataset("{\"images\":[],\"categories\":[]}") == "missing array 'annotations'");
    CHECK(problem_of_dataset("{\"annotations\":[]" + rest + "x") ==
          "expected the end of the file, found 'x'");
    CHECK(problem_of_dataset("[]") == "expected an object with images, annotations and categories");
    // A wrong value before a syntax error is the first error of the file.
    CHECK(problem_of_dataset("{\"annotations\":7,\"images\":[}") ==
          "annotations must be an array of objects");
}

static void guesses_change_nothing() {
    // Texts and nested arrays full of what looks like the start of a record.
    std::string text = "[";
    for (int i = 0; i < 40; ++i) {
        text += (i ? "," : "");
        text += "{\"image_id\":" + std::to_string(i) +
                ",\"note\":\"},{\\\"image_id\\\":9},{\",\"category_id\":1,\"parts\":[{\"image_id\":5,"
                "\"category_id\":1,\"bbox\":[1,1,1,1],\"score\":1},{\"image_id\":6,"
                "\"category_id\":1,\"bbox\":[1,1,1,1],\"score\":1}],\"bbox\":[1,2,3,4],\"score\":0.5}";
    }
    text += "]";
    const ExactText exact(text);
    const InputBytes input(exact.bytes, exact.size);
    for (int threads = 1; threads < 60; ++threads) {
        Table table = scan_results(input, options(threads));
        bool right = table.rows == 40;
        for (std::int64_t i = 0; right && i < 40; ++i) {
            right = table.column("image_id").ids.value[static_cast<std::size_t>(i)] == i;
        }
        CHECK(right);
    }
}

static void too_many_keys_are_refused() {
    std::string text = "{\"images\":[],\"categories\":[],\"annotations\":[";
    for (int i = 0; i < 1200; ++i) {
        text += (i ? "," : "");
        text += "{\"image_id\":1,\"category_id\":1,\"bbox\":[1,2,3,4],\"k" + std::to_string(i) + "\":1}";
    }
    CHECK(problem_of_dataset(text + "]}") == "more than 1,000 different keys");
}

static void files_are_mapped() {
    char path[] = "/tmp/boxlens_test_XXXXXX";
    const int file = ::mkstemp(path);
    CHECK(file >= 0);
    // A size that fills pages exactly leaves no room for a sentinel in the file itself.
    std::string text = "[{\"image_id\":1,\"category_id\":2,\"bbox\":[1,2,3,4],\"score\":0.5}";
    text += std::string(65536 - text.size() - 1, ' ') + "]";
    CHECK(::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    CHECK(scan_results(InputBytes(std::string(path)), options(2)).rows == 1);
    CHECK(::ftruncate(file, 65535) == 0);
    bool refused = false;
    try {
        scan_results(InputBytes(std::string(path)), options(2));
    } catch (const ScanError& error) {
        refused = error.problem == "unexpected end of file";
    }
    CHECK(refused);
    ::close(file);
    ::unlink(path);
    bool missing = false;
    try {
        InputBytes input{std::string(path)};
    } catch (const std::system_error&) {
        missing = true;
    }
    CHECK(missing);
}

static void rows_are_found() {
    const std::int64_t low = std::numeric_limits<std::int64_t>::min();
    const std::int64_t high = std::numeric_limits<std::int64_t>::max();
    for (const std::vector<std::int64_t>& table :
         {std::vector<std::int64_t>{}, {0}, {-5, 0, 7}, {low, 0, high}, {1, 1000000000000}}) {
        const boxlens::RowLookup lookup(table.data(), table.size());
        for (std::int64_t id : {low, low + 1, std::int64_t{-5}, std::int64_t{0}, std::int64_t{1},
                                std::int64_t{7}, std::int64_t{8}, high - 1, high}) {
            std::int32_t expected = -1;
            for (std::size_t i = 0; i < table.size(); ++i) {
                if (table[i] == id) expected = static_cast<std::int32_t>(i);
            }
            std::int32_t row = -7;
            boxlens::rows_of(&id, 1, lookup, &row);
            CHECK(row == expected);
        }
    }
}

int main() {
    texts_that_are_json_or_not();
    results_are_read();
    every_truncation_is_refused();
    every_changed_byte_tells_the_same();
    errors_say_what_and_where();
    data_sets_are_read();
    annotations_may_be_missing();
    data_sets_are_refused();
    guesses_change_nothing();
    too_many_keys_are_refused();
    files_are_mapped();
    rows_are_found();
    return check::report();
}
