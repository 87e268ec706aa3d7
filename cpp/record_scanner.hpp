// Records of one JSON array into columns, by a schema.
//
// Records of a file resemble one another: the text between two values is nearly always that of the
// record before. It is validated once and afterwards only compared, which is most of the speed.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "input_bytes.hpp"
#include "json_cursor.hpp"
#include "scan_columns.hpp"

namespace boxlens::json {

// What becomes of keys the schema does not name.
enum class Others { ignored, counted, attributes };

struct Schema {
    std::string_view array;
    std::vector<Field> fields;
    Others others = Others::ignored;
    int depth = 1;  // containers open around the array's records
};

inline constexpr std::size_t max_other_keys = 1000;

class RecordScanner {
public:
    RecordScanner(const Schema& schema, const InputBytes& input, const char* at)
        : cursor_(input.begin(), at, input.end()), window_(input, at), schema_(schema) {
        for (const Field& field : schema.fields) {
            // A bit a field: a schema has fewer than 32.
            const std::uint32_t bit = std::uint32_t{1} << table_.columns.size();
            if (field.kind != Kind::ignored) all_fields_ |= bit;
            table_.columns.emplace_back(field);
        }
    }

    // Reads records up to the end of the array, or up to a place in `stops` (ascending) at which a
    // record begins. Returns the number of that stop, or nothing at the end of the array.
    std::optional<std::size_t> run(const std::vector<const char*>& stops, std::size_t next_stop) {
        try {
            for (;;) {
                while (next_stop < stops.size() && cursor_.p >= stops[next_stop]) {
                    if (cursor_.p == stops[next_stop]) return next_stop;
                    ++next_stop;
                }
                window_.moved_to(cursor_.p);
                record();
                cursor_.space();
                if (*cursor_.p == ',') {
                    ++cursor_.p;
                    cursor_.space();
                } else {
                    cursor_.expect(']', "',' or ']'");
                    return std::nullopt;
                }
            }
        } catch (ScanError& error) {
            throw with_context(error);
        }
    }

    const char* place() const { return cursor_.p; }

    Table finish() {
        for (Column& column : table_.columns) column.resize(table_.rows);
        for (AttributeColumn& column : table_.attributes) column.finish(table_.rows);
        return std::move(table_);
    }

private:
    struct Prediction {
        static constexpr std::size_t room = 32;
        alignas(16) char text[room];
        std::size_t length = room + 1;  // more than there is room for: never repeats
        int target = 0;
    };
    struct OtherKey {
        std::string name;
        int attribute = -1;
        int skipped = -1;
    };
    struct Complaint {
        std::int64_t offset;
        int target;
        std::string problem;
    };
    enum class Outcome { read, absent, wrong };
    static constexpr int record_end = -1;
    static constexpr std::size_t max_predictions = 64;

    // Targets are schema fields first, then other keys in the order in which they came.
    int n_fields() const { return static_cast<int>(table_.columns.size()); }

    void record() {
        record_begin_ = cursor_.p;
        target_ = record_end;
        if (*cursor_.p != '{') not_a_record();
        if (table_.rows == capacity_) grow();
        seen_ = 0;
        ++cursor_.p;
        for (std::size_t i = 0;; ++i) {
            int target;
            if (i < predictions_.size() && repeats(predictions_[i])) [[likely]] {
                cursor_.p += predictions_[i].length;
                target = predictions_[i].target;
            } else {
                target = next_key(i);
                if (target == record_end) break;
            }
            target_ = target;
            value(target);
        }
        target_ = record_end;
        if ((all_fields_ & ~seen_) != 0) fill_missing();
        if (!complaints_.empty()) raise_complaint();
        ++table_.rows;
    }

    bool repeats(const Prediction& prediction) const {
        const char* p = cursor_.p;
        if (!cursor_.room(Prediction::room)) return false;
#if defined(__SSE2__)
        const auto equal = [&](int at) {
            const auto* text = reinterpret_cast<const __m128i*>(p + at);
            const auto* expected = reinterpret_cast<const __m128i*>(prediction.text + at);
            return static_cast<std::uint32_t>(
                _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(text), _mm_load_si128(expected))));
        };
        const std::uint32_t same = equal(0) | equal(16) << 16;
        return static_cast<std::size_t>(std::countr_one(same)) >= prediction.length;
#else
        return prediction.length <= Prediction::room &&
               std::memcmp(p, prediction.text, prediction.length) == 0;
#endif
    }

    // The general way to the next value: separator, key, colon. Remembers what it saw.
    [[gnu::noinline]] int next_key(std::size_t i) {
        const char* first = cursor_.p;
        cursor_.space();
        if (*cursor_.p == '}') {
            ++cursor_.p;
            return record_end;
        }
        if (i > 0) cursor_.expect(',', "',' or '}'");
        const int target = target_of(cursor_.key(scratch_));
        cursor_.space();
        const auto length = static_cast<std::size_t>(cursor_.p - first);
        if (length <= Prediction::room && i < max_predictions) {
            if (i >= predictions_.size()) predictions_.resize(i + 1);
            Prediction& prediction = predictions_[i];
            std::memcpy(prediction.text, first, length);
            prediction.length = length;
            prediction.target = target;
        }
        return target;
    }

    int target_of(std::string_view name) {
        for (int i = 0; i < n_fields(); ++i) {
            if (column(i).field.name == name) return i;
        }
        if (schema_.others == Others::ignored) return n_fields();
        return n_fields() + other_key(std::string(name));
    }

    int other_key(std::string name) {
        const auto [place, is_new] = other_number_.try_emplace(name, others_.size());
        if (is_new) {
            if (others_.size() >= max_other_keys) {
                throw ScanError(cursor_.offset(), "more than 1,000 different keys", false);
            }
            others_.push_back({std::move(name)});
        }
        return static_cast<int>(place->second);
    }

    Column& column(int i) { return table_.columns[static_cast<std::size_t>(i)]; }

    [[gnu::always_inline]] void value(int target) {
        if (target >= n_fields()) {
            other_value(target);
            return;
        }
        Column& into = column(target);
        const std::uint32_t bit = std::uint32_t{1} << target;
        Outcome outcome;
        switch (into.field.kind) {
            case Kind::id: outcome = id(into.ids, table_.rows); break;
            case Kind::number: outcome = number(into); break;
            case Kind::box: outcome = box(into); break;
            default: outcome = rare_value(into);
        }
        if (outcome == Outcome::read && complaints_.empty()) [[likely]] {
            seen_ |= bit;
        } else {
            settle(outcome, bit);
        }
    }

    // Of a key that occurs twice the last value counts, so a complaint waits for the record's end.
    [[gnu::noinline]] void settle(Outcome outcome, std::uint32_t bit) {
        std::optional<Complaint> last;
        if (outcome == Outcome::wrong) {
            last = std::move(complaints_.back());
            complaints_.pop_back();
        }
        std::erase_if(complaints_, [&](const Complaint& one) { return one.target == target_; });
        if (last) complaints_.push_back(std::move(*last));
        seen_ = outcome == Outcome::absent ? seen_ & ~bit : seen_ | bit;
    }

    Outcome complain(const char* first, std::string problem) {
        cursor_.p = first;
        cursor_.skip(schema_.depth + 1);
        complaints_.push_back({cursor_.offset_of(first), target_, std::move(problem)});
        return Outcome::wrong;
    }

    bool at_number() const { return *cursor_.p == '-' || number_detail::is_digit(*cursor_.p); }

    Outcome number(Column& into) {
        if (!at_number()) return null_or(into, " must be a number");
        into.number[table_.rows] = cursor_.number();
        return Outcome::read;
    }

    Outcome box(Column& into) {
        const char* first = cursor_.p;
        double* corner = into.number.data() + 4 * table_.rows;
        if (*cursor_.p != '[') return not_a_box(first);
        for (int i = 0; i < 4; ++i) {
            ++cursor_.p;
            cursor_.space();
            if (!at_number()) return not_a_box(first);
            corner[i] = cursor_.number();
            cursor_.space();
            if (*cursor_.p != (i < 3 ? ',' : ']')) return not_a_box(first);
        }
        ++cursor_.p;
        if (!(corner[2] >= 0 && corner[3] >= 0)) {
            return complain(first, "negative width or height");
        }
        return Outcome::read;
    }

    // Reads an id into a row of a column: an integer, a number with an integral value, or a text.
    [[gnu::always_inline]] Outcome id(IdColumn& into, std::size_t row) {
        using namespace number_detail;
        const char* p = cursor_.p;
        if (!into.is_text && cursor_.room(16)) [[likely]] {
            const std::uint64_t word = load8(p);
            const std::uint64_t others =
                ((word + 0x4646464646464646) | (word - 0x3030303030303030)) & 0x8080808080808080;
            const auto n = static_cast<unsigned>(std::countr_zero(others)) / 8;
            const bool plain = n - 1U < 7U && (*p != '0' || n == 1);
            if (plain && p[n] != '.' && (p[n] | 0x20) != 'e') [[likely]] {
                into.value[row] = static_cast<std::int64_t>(some_digits(p, n));
                cursor_.p += n;
                return Outcome::read;
            }
        }
        return id_slowly(into, row);
    }

    Outcome id_slowly(IdColumn& into, std::size_t row);
    Outcome rare_value(Column& into);
    Outcome null_or(Column& into, const char* problem);
    Outcome not_a_box(const char* first);
    Outcome flag(Column& into);
    Outcome text(Column& into);
    Outcome id_list(Column& into);
    Outcome span(Column& into);
    void other_value(int target);
    void attribute_value(int other);
    void nested_attributes();
    void set_missing(Column& into);
    void fill_missing();
    [[gnu::cold]] std::string absence(const Field& field);
    [[noreturn, gnu::cold]] void raise_complaint();
    [[noreturn, gnu::cold]] void not_a_record();
    [[gnu::cold]] ScanError with_context(const ScanError& error);
    void grow();

    Cursor cursor_;
    Window window_;
    const Schema& schema_;
    Table table_;
    std::size_t capacity_ = 0;
    std::vector<Prediction> predictions_;
    std::vector<OtherKey> others_;
    std::unordered_map<std::string, std::size_t> other_number_;
    std::vector<Complaint> complaints_;
    std::string scratch_;
    const char* record_begin_ = nullptr;
    int target_ = record_end;
    std::uint32_t seen_ = 0;
    std::uint32_t all_fields_ = 0;
};

}  // namespace boxlens::json

#include "record_values.hpp"
