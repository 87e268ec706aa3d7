// The rarer half of RecordScanner: values off the fast path, missing values, complaints.
#pragma once

#include "record_scanner.hpp"

namespace boxlens::json {

inline RecordScanner::Outcome RecordScanner::any_value(Column& into) {
    switch (into.field.kind) {
        case Kind::id: return id(into.ids, table_.rows);
        case Kind::number: return number(into);
        case Kind::box: return box(into);
        case Kind::flag: return flag(into);
        case Kind::text: return text(into);
        case Kind::id_list: return id_list(into);
        case Kind::span: return span(into);
        case Kind::ignored: break;
    }
    cursor_.skip(schema_.depth + 1);
    return Outcome::read;
}

// Reads an id into a row of a column: an integer, a number with an integral value, or a text.
inline RecordScanner::Outcome RecordScanner::id(IdColumn& into, std::size_t row) {
    const char* first = cursor_.p;
    const auto store = [&](std::int64_t value) {
        into.value[row] = into.is_text ? into.code_of(value) : value;
        return Outcome::read;
    };
    const auto refuse = [&](const char* problem) {
        return complain(first, std::string(column(target_).field.name) + problem);
    };
    if (*first == '"') {
        const std::string_view text = cursor_.string(scratch_);
        if (!into.is_text) {
            into.become_text(row);
            place_slots();
        }
        into.value[row] = into.texts.code(text);
        return Outcome::read;
    }
    if (!at_number()) return null_or(column(target_), " must be an integer or a string");
    number_detail::Spelling spelling;
    if (number_detail::spell(first, spelling) && !spelling.has_exponent && !spelling.n_fraction) {
        std::int64_t value = 0;
        const auto read = std::from_chars(first, spelling.end, value);
        cursor_.p = spelling.end;
        if (read.ec == std::errc{} && value != missing_id) return store(value);
        return refuse(" does not fit into 64 bits");
    }
    const double value = cursor_.number();
    if (value != std::floor(value)) return refuse(" must be an integer or a string");
    if (!(std::abs(value) < 0x1p63)) return refuse(" does not fit into 64 bits");
    return store(static_cast<std::int64_t>(value));
}

inline RecordScanner::Outcome RecordScanner::number(Column& into) {
    if (!at_number()) return null_or(into, " must be a number");
    into.number[table_.rows] = cursor_.number();
    return Outcome::read;
}

inline RecordScanner::Outcome RecordScanner::box(Column& into) {
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
    if (!(corner[2] >= 0 && corner[3] >= 0)) return complain(first, "negative width or height");
    return Outcome::read;
}

// A value of the wrong type: null stands for an optional value that is missing.
inline RecordScanner::Outcome RecordScanner::null_or(Column& into, const char* problem) {
    const char* first = cursor_.p;
    if (*first == 'n' && !into.field.required) {
        cursor_.skip_literal();
        return Outcome::absent;
    }
    return complain(first, std::string(into.field.name) + problem);
}

inline RecordScanner::Outcome RecordScanner::not_a_box(const char* first) {
    const Outcome outcome = complain(first, "");
    std::string& problem = complaints_.back().problem;
    const std::string name(column(target_).field.name);
    if (*first != '[') {
        problem = name + " must be an array of 4 numbers";
        return outcome;
    }
    // The value has been validated, so its members can be counted without further care.
    const char* behind = cursor_.p;
    std::size_t n = 0;
    bool numbers = true;
    cursor_.p = first + 1;
    cursor_.space();
    while (*cursor_.p != ']') {
        numbers = numbers && at_number();
        cursor_.skip(schema_.depth + 2);
        ++n;
        cursor_.space();
        if (*cursor_.p == ',') ++cursor_.p;
        cursor_.space();
    }
    cursor_.p = behind;
    problem = numbers ? "expected 4 numbers, found " + std::to_string(n)
                      : name + " must hold numbers only";
    return outcome;
}

inline RecordScanner::Outcome RecordScanner::flag(Column& into) {
    const char* first = cursor_.p;
    double value = 2;
    if (at_number()) {
        value = cursor_.number();
    } else if (*first == 't' || *first == 'f') {
        cursor_.skip_literal();
        value = *first == 't';
    } else {
        return null_or(into, " must be 0 or 1");
    }
    if (value != 0 && value != 1) {
        return complain(first, std::string(into.field.name) + " must be 0 or 1");
    }
    into.flag[table_.rows] = value == 1;
    return Outcome::read;
}

inline RecordScanner::Outcome RecordScanner::text(Column& into) {
    if (*cursor_.p != '"') return null_or(into, " must be a string");
    into.ids.value[table_.rows] = into.ids.texts.code(cursor_.string(scratch_));
    return Outcome::read;
}

inline RecordScanner::Outcome RecordScanner::id_list(Column& into) {
    const char* first = cursor_.p;
    // Whatever the value is, the row begins here: of a key that occurs twice the last one counts.
    const bool again = seen_ >> target_ & 1;
    const auto members = static_cast<std::size_t>(
        again ? into.begin[table_.rows] : static_cast<std::int64_t>(into.ids.value.size()));
    into.ids.value.resize(members);
    into.begin[table_.rows] = static_cast<std::int64_t>(members);
    if (*first != '[') return null_or(into, " must be an array of ids");
    ++cursor_.p;
    cursor_.space();
    if (*cursor_.p == ']') {
        ++cursor_.p;
        return Outcome::read;
    }
    for (;;) {
        const std::size_t at = into.ids.value.size();
        into.ids.value.resize(at + 1);
        const bool scalar = at_number() || *cursor_.p == '"';
        if (!scalar || id(into.ids, at) != Outcome::read) {
            into.ids.value.resize(members);
            if (scalar) complaints_.pop_back();
            return complain(first, std::string(into.field.name) + " must be an array of ids");
        }
        cursor_.space();
        if (*cursor_.p == ']') break;
        cursor_.expect(',', "',' or ']'");
        cursor_.space();
    }
    ++cursor_.p;
    return Outcome::read;
}

inline RecordScanner::Outcome RecordScanner::span(Column& into) {
    const char* first = cursor_.p;
    cursor_.skip(schema_.depth + 1);
    if (*first == 'n') return Outcome::absent;
    into.begin[table_.rows] = cursor_.offset_of(first);
    into.end[table_.rows] = cursor_.offset();
    return Outcome::read;
}

inline void RecordScanner::set_missing(Column& into) {
    ++into.n_missing;
    switch (into.field.kind) {
        case Kind::id: into.ids.value[table_.rows] = into.ids.is_text ? missing_text : missing_id; break;
        case Kind::text: into.ids.value[table_.rows] = missing_text; break;
        case Kind::number: into.number[table_.rows] = missing_number; break;
        case Kind::box: std::fill_n(into.number.data() + 4 * table_.rows, 4, missing_number); break;
        case Kind::flag: into.flag[table_.rows] = missing_flag; break;
        case Kind::span: into.begin[table_.rows] = into.end[table_.rows] = -1; break;
        case Kind::id_list:
            into.begin[table_.rows] = static_cast<std::int64_t>(into.ids.value.size());
            break;
        case Kind::ignored: break;
    }
}

inline void RecordScanner::fill_missing() {
    for (std::uint32_t absent = all_fields_ & ~seen_; absent != 0; absent &= absent - 1) {
        const int target = std::countr_zero(absent);
        Column& into = column(target);
        if (into.field.required) {
            complaints_.push_back({cursor_.offset_of(record_begin_), target, absence(into.field)});
        }
        set_missing(into);
    }
}

inline std::string RecordScanner::absence(const Field& field) {
    for (int i = 0; i < n_fields(); ++i) {
        const bool mask = column(i).field.name == "segmentation" && (seen_ >> i & 1) != 0;
        if (mask && field.kind == Kind::box) {
            return std::string(field.name) + " is missing; a segmentation alone has no box";
        }
    }
    return std::string(field.name) + " is missing";
}

inline void RecordScanner::raise_complaint() {
    const Complaint first = complaints_.front();
    complaints_.clear();
    target_ = first.target;
    throw ScanError(first.offset, first.problem, false);
}

inline void RecordScanner::not_a_record() {
    const char* first = cursor_.p;
    cursor_.skip(schema_.depth);
    cursor_.p = first;
    throw ScanError(cursor_.offset(), "expected an object, found " + shown(*first), false);
}

inline ScanError RecordScanner::with_context(const ScanError& error) {
    ScanError told = error;
    if (!complaints_.empty() && complaints_.front().offset < error.offset) {
        const Complaint& first = complaints_.front();
        target_ = first.target;
        told = ScanError(first.offset, first.problem, false);
    }
    told.record = static_cast<std::int64_t>(table_.rows);
    told.array = schema_.array;
    if (target_ >= 0 && target_ < n_fields()) {
        told.field = column(target_).field.name;
    } else if (target_ >= n_fields() && schema_.others != Others::ignored) {
        told.field = others_[static_cast<std::size_t>(target_ - n_fields())].name;
    }
    return told;
}

// Makes place for the rest of the file as it has been so far. What is never written costs address
// space only.
inline void RecordScanner::grow() {
    const auto read = static_cast<double>(cursor_.p - first_record_);
    const auto whole = static_cast<double>(cursor_.end() - first_record_);
    std::size_t wanted = 1024;
    if (capacity_ > 0) {
        // In steps of 8 at most: the rest of the file may be something else.
        const double factor = std::clamp(1.02 * whole / read, 1.5, 8.0);
        wanted = static_cast<std::size_t>(static_cast<double>(capacity_) * factor);
    }
    for (Column& one : table_.columns) one.resize(wanted);
    capacity_ = wanted;
    place_slots();
}

inline void RecordScanner::place_slots() {
    slots_.resize(table_.columns.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        Column& one = table_.columns[i];
        // Texts need care.
        const bool careful = one.field.kind == Kind::id && one.ids.is_text;
        slots_[i] = {careful ? Kind::text : one.field.kind, std::uint32_t{1} << i,
                     one.ids.value.data(), one.number.data()};
    }
}

}  // namespace boxlens::json
