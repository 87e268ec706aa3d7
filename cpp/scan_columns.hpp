// The columns a scan fills, and how the columns of neighbouring parts of a file become one.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "buffer.hpp"
#include "text_table.hpp"

namespace boxlens::json {

inline constexpr std::int64_t missing_id = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t missing_text = -1;
inline constexpr std::uint8_t missing_flag = 255;
inline constexpr double missing_number = std::numeric_limits<double>::quiet_NaN();

// Ids as int64 until a text comes; from then on all of them are texts, numbers in decimal.
struct IdColumn {
    Buffer<std::int64_t> value;  // the id, or the number of its text
    TextTable texts;
    bool is_text = false;

    // The first `rows` ids are there; places beyond may be reserved and unwritten.
    void become_text(std::size_t rows) {
        if (is_text) return;
        is_text = true;
        for (std::size_t i = 0; i < rows; ++i) {
            value[i] = value[i] == missing_id ? missing_text : code_of(value[i]);
        }
    }
    std::int64_t code_of(std::int64_t id) {
        char digits[24];
        const auto written = std::to_chars(digits, digits + sizeof digits, id);
        return texts.code({digits, static_cast<std::size_t>(written.ptr - digits)});
    }
    void append(IdColumn&& other) {
        if (other.is_text) become_text(value.size());
        if (is_text) other.become_text(other.value.size());
        const std::size_t before = value.size();
        value.append(other.value);
        if (!is_text) return;
        const std::vector<std::int64_t> codes = texts.absorb(other.texts);
        for (std::size_t i = before; i < value.size(); ++i) {
            if (value[i] != missing_text) value[i] = codes[static_cast<std::size_t>(value[i])];
        }
    }
};

// A field that no schema names: numbers with NaN until a text comes, then texts with -1.
struct AttributeColumn {
    std::string name;
    Buffer<double> number;
    Buffer<std::int64_t> code;
    TextTable texts;
    bool is_text = false;

    void set_number(std::size_t row, double value) {
        if (is_text) {
            set_code(row, code_of(value));
            return;
        }
        number.fill_to(row, missing_number);
        number.resize(row + 1);
        number[row] = value;
    }
    void set_text(std::size_t row, std::string_view text) {
        become_text();
        set_code(row, texts.code(text));
    }
    void set_missing(std::size_t row) {
        if (is_text) {
            set_code(row, missing_text);
        } else {
            set_number(row, missing_number);
        }
    }
    void finish(std::size_t rows) {
        if (is_text) {
            code.fill_to(rows, missing_text);
        } else {
            number.fill_to(rows, missing_number);
        }
    }
    void become_text() {
        if (is_text) return;
        is_text = true;
        code.reserve(number.size());
        for (std::size_t i = 0; i < number.size(); ++i) {
            code.push_back(std::isnan(number[i]) ? missing_text : code_of(number[i]));
        }
        number = Buffer<double>();
    }
    std::int64_t code_of(double value) {
        char digits[32];
        const auto written = std::to_chars(digits, digits + sizeof digits, value);
        return texts.code({digits, static_cast<std::size_t>(written.ptr - digits)});
    }
    void append(AttributeColumn&& other) {
        if (other.is_text) become_text();
        if (is_text) other.become_text();
        if (!is_text) {
            number.append(other.number);
            return;
        }
        const std::vector<std::int64_t> codes = texts.absorb(other.texts);
        code.reserve(code.size() + other.code.size());
        for (std::size_t i = 0; i < other.code.size(); ++i) {
            const std::int64_t old = other.code[i];
            code.push_back(old < 0 ? missing_text : codes[static_cast<std::size_t>(old)]);
        }
    }

private:
    void set_code(std::size_t row, std::int64_t value) {
        code.fill_to(row, missing_text);
        code.resize(row + 1);
        code[row] = value;
    }
};

enum class Kind { id, number, box, flag, text, id_list, span, ignored };

struct Field {
    std::string_view name;
    Kind kind = Kind::ignored;
    bool required = false;
};

// One field of a schema. Which buffers are in use follows from its kind.
struct Column {
    Field field;
    IdColumn ids;                  // id; text as codes; the members of id lists
    Buffer<double> number;         // number; box, four a row
    Buffer<std::uint8_t> flag;     // flag
    Buffer<std::int64_t> begin;    // span: its first byte; id_list: where the row's members begin
    Buffer<std::int64_t> end;      // span: the byte behind it
    std::size_t n_missing = 0;

    explicit Column(const Field& described = {}) : field(described) {
        ids.is_text = field.kind == Kind::text;
    }
    bool is_empty(std::size_t rows) const { return n_missing == rows; }

    // Makes place for rows, or cuts back to them.
    void resize(std::size_t rows) {
        switch (field.kind) {
            case Kind::id:
            case Kind::text: ids.value.resize(rows); break;
            case Kind::number: number.resize(rows); break;
            case Kind::box: number.resize(4 * rows); break;
            case Kind::flag: flag.resize(rows); break;
            case Kind::span: end.resize(rows); [[fallthrough]];
            case Kind::id_list: begin.resize(rows); break;
            case Kind::ignored: break;
        }
    }
    void append(Column&& other) {
        const auto n_members = static_cast<std::int64_t>(ids.value.size());
        const std::size_t before = begin.size();
        ids.append(std::move(other.ids));
        number.append(other.number);
        flag.append(other.flag);
        begin.append(other.begin);
        end.append(other.end);
        n_missing += other.n_missing;
        if (field.kind == Kind::id_list) {
            for (std::size_t i = before; i < begin.size(); ++i) begin[i] += n_members;
        }
    }
    void trim() {
        ids.value.trim();
        number.trim();
        flag.trim();
        begin.trim();
        end.trim();
    }
};

struct SkippedKey {
    std::string name;
    std::int64_t count = 0;
};

// The records of one array, as columns.
struct Table {
    std::size_t rows = 0;
    std::vector<Column> columns;
    std::vector<AttributeColumn> attributes;
    std::vector<SkippedKey> skipped;

    Column& column(std::string_view name) {
        return *std::find_if(columns.begin(), columns.end(),
                             [&](const Column& one) { return one.field.name == name; });
    }

    std::size_t attribute(std::string_view name) {
        return found_or_added(attributes, name);
    }
    std::size_t skipped_key(std::string_view name) { return found_or_added(skipped, name); }

    // Puts the records of another part behind these; its memory is freed column by column.
    void append(Table&& other) {
        for (std::size_t i = 0; i < columns.size(); ++i) {
            columns[i].append(std::exchange(other.columns[i], Column()));
        }
        for (AttributeColumn& column : other.attributes) {
            AttributeColumn& mine = attributes[attribute(column.name)];
            mine.finish(rows);
            mine.append(std::move(column));
        }
        rows += other.rows;
        for (AttributeColumn& column : attributes) column.finish(rows);
        for (const SkippedKey& key : other.skipped) skipped[skipped_key(key.name)].count += key.count;
    }

private:
    template <class Named>
    static std::size_t found_or_added(std::vector<Named>& all, std::string_view name) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].name == name) return i;
        }
        all.emplace_back().name = name;
        return all.size() - 1;
    }
};

}  // namespace boxlens::json
