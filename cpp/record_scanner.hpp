// Records of one JSON array into columns, by a schema.
//
// Records of a file resemble one another: the text between two values is nearly always that of the
// record before. It is validated once and afterwards only compared, which is most of the speed.
#pragma once

#include <array>
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
    bool large = false;  // worth cutting among threads: the others would only guess into it
};

inline constexpr std::size_t max_other_keys = 1000;

class RecordScanner {
public:
    RecordScanner(const Schema& schema, const InputBytes& input, const char* at)
        : cursor_(input.begin(), at, input.end()),
          window_(input, at),
          schema_(schema),
          first_record_(at) {
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
        std::size_t length = 0;
        std::uint32_t mask = 0;  // a bit for every byte of the text
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
    // Where the next values of a field go, for the kinds that are read without care.
    struct Slot {
        Kind kind = Kind::ignored;
        std::uint32_t bit = 0;
        std::int64_t* ids = nullptr;
        double* numbers = nullptr;
    };
    enum class Outcome { read, absent, wrong };
    static constexpr int record_end = -1;

    // Targets are schema fields first, then other keys in the order in which they came.
    int n_fields() const { return static_cast<int>(table_.columns.size()); }

    void record() {
        const char* p = cursor_.p;
        record_begin_ = p;
        target_ = record_end;
        if (*p != '{') not_a_record();
        if (table_.rows == capacity_) grow();
        seen_ = 0;
        ++p;
        for (std::size_t i = 0;; ++i) {
            int target;
            if (i < n_predictions_ && repeats(p, predictions_[i])) [[likely]] {
                p += predictions_[i].length;
                target = predictions_[i].target;
            } else {
                cursor_.p = p;
                target = next_key(i);
                p = cursor_.p;
                if (target == record_end) break;
            }
            p = value(target, p);
        }
        target_ = record_end;
        if ((all_fields_ & ~seen_) != 0) fill_missing();
        if (!complaints_.empty()) raise_complaint();
        ++table_.rows;
    }

    bool repeats(const char* p, const Prediction& prediction) const {
        if (cursor_.end() - p < static_cast<std::ptrdiff_t>(Prediction::room)) return false;
#if defined(__SSE2__)
        const auto equal = [&](int at) {
            const auto* text = reinterpret_cast<const __m128i*>(p + at);
            const auto* expected = reinterpret_cast<const __m128i*>(prediction.text + at);
            return static_cast<std::uint32_t>(
                _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_loadu_si128(text), _mm_load_si128(expected))));
        };
        return ((equal(0) | equal(16) << 16) & prediction.mask) == prediction.mask;
#else
        return std::memcmp(p, prediction.text, prediction.length) == 0;
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
        remember(i, first, target);
        return target;
    }

    // Keeps the text from `first` to here as what stands before value i. A text too long ends the
    // predictions of a record.
    void remember(std::size_t i, const char* first, int target) {
        const auto length = static_cast<std::size_t>(cursor_.p - first);
        if (i >= predictions_.size() || i > n_predictions_) return;
        if (length > Prediction::room) {
            n_predictions_ = i;
            return;
        }
        if (i == n_predictions_) ++n_predictions_;
        Prediction& prediction = predictions_[i];
        std::memcpy(prediction.text, first, length);
        prediction.length = length;
        prediction.mask = static_cast<std::uint32_t>((std::uint64_t{1} << length) - 1);
        prediction.target = target;
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

    // Reads the value at p into its place; returns where it ends. The usual kinds of value stay in
    // registers, everything else goes through the cursor.
    [[gnu::always_inline]] const char* value(int target, const char* p) {
        const char* first = p;
        if (static_cast<std::size_t>(target) < slots_.size()) [[likely]] {
            const Slot& slot = slots_[static_cast<std::size_t>(target)];
            bool read = false;
            switch (slot.kind) {
                case Kind::id: read = plain_id(p, slot.ids[table_.rows]); break;
                case Kind::number: read = plain_number(p, slot.numbers[table_.rows]); break;
                case Kind::box: read = plain_box(p, slot.numbers + 4 * table_.rows); break;
                default: break;
            }
            if (read && complaints_.empty()) [[likely]] {
                seen_ |= slot.bit;
                return p;
            }
        }
        return value_with_care(target, first);
    }

    [[gnu::always_inline]] bool plain_number(const char*& p, double& into) const {
        return cursor_.end() - p >= number_room && read_plain_number(p, into);
    }

    // False leaves p where it was.
    [[gnu::always_inline]] bool plain_box(const char*& p, double* into) const {
        const char* q = p;
        if (*q != '[') return false;
        for (int i = 0; i < 4; ++i) {
            ++q;
            if (*q == ' ') ++q;
            if (!plain_number(q, into[i])) return false;
            if (*q != (i < 3 ? ',' : ']')) return false;
        }
        if (!(into[2] >= 0 && into[3] >= 0)) return false;
        p = q + 1;
        return true;
    }

    // An id of up to 16 digits.
    [[gnu::always_inline]] bool plain_id(const char*& p, std::int64_t& into) const {
        using namespace number_detail;
        if (cursor_.end() - p < 24) return false;
        const unsigned n = low_ones(digit_mask_16(p));
        if ((n - 1U >= 15U) | ((*p == '0') & (n > 1))) return false;
        if ((p[n] == '.') | ((p[n] | 0x20) == 'e')) return false;
        if (n <= 8) {
            into = static_cast<std::int64_t>(some_digits(p, n));
        } else {
            into = static_cast<std::int64_t>(some_digits(p, n - 8) * 100000000 +
                                             eight_digits(load8(p + n - 8)));
        }
        p += n;
        return true;
    }

    [[gnu::noinline]] const char* value_with_care(int target, const char* p) {
        cursor_.p = p;
        cursor_.space();  // a value may stand further off than in the record before
        target_ = target;
        if (target >= n_fields()) {
            other_value(target);
            return cursor_.p;
        }
        Column& into = column(target);
        settle(any_value(into), std::uint32_t{1} << target);
        return cursor_.p;
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

    bool at_number() const { return cursor_.at_number(); }

    Outcome any_value(Column& into);
    Outcome number(Column& into);
    Outcome box(Column& into);
    Outcome id(IdColumn& into, std::size_t row);
    Outcome null_or(Column& into, const char* problem);
    Outcome not_a_box(const char* first);
    Outcome flag(Column& into);
    Outcome text(Column& into);
    Outcome id_list(Column& into);
    Outcome span(Column& into);
    void other_value(int target);
    void skipped_value(OtherKey& key, int depth);
    void attribute_value(int other);
    void nested_attributes();
    void set_missing(Column& into);
    void fill_missing();
    [[gnu::cold]] std::string absence(const Field& field);
    [[noreturn, gnu::cold]] void raise_complaint();
    [[noreturn, gnu::cold]] void not_a_record();
    [[gnu::cold]] ScanError with_context(const ScanError& error);
    void grow();
    void place_slots();

    Cursor cursor_;
    Window window_;
    const Schema& schema_;
    Table table_;
    std::size_t capacity_ = 0;
    std::vector<Slot> slots_;
    std::array<Prediction, 64> predictions_;
    std::size_t n_predictions_ = 0;
    std::vector<OtherKey> others_;
    std::unordered_map<std::string, std::size_t> other_number_;
    std::vector<Complaint> complaints_;
    std::string scratch_;
    const char* first_record_;
    const char* record_begin_ = nullptr;
    int target_ = record_end;
    std::uint32_t seen_ = 0;
    std::uint32_t all_fields_ = 0;
};

}  // namespace boxlens::json

#include "record_others.hpp"
#include "record_values.hpp"
