// The part of RecordScanner for keys that its schema does not name.
#pragma once

#include "record_scanner.hpp"

namespace boxlens::json {

inline void RecordScanner::other_value(int target) {
    if (schema_.others == Others::ignored) {
        cursor_.skip(schema_.depth + 1);
        return;
    }
    const int other = target - n_fields();
    OtherKey& key = others_[static_cast<std::size_t>(other)];
    const bool container = *cursor_.p == '{' || *cursor_.p == '[';
    if (schema_.others == Others::attributes && *cursor_.p == '{' && key.name == "attributes") {
        nested_attributes();
    } else if (schema_.others == Others::attributes && !container) {
        attribute_value(other);
    } else {
        skipped_value(key, schema_.depth + 1);
    }
}

// A value that no column holds: its key is counted, and an earlier value of the key is void.
inline void RecordScanner::skipped_value(OtherKey& key, int depth) {
    if (key.skipped < 0) key.skipped = static_cast<int>(table_.skipped_key(key.name));
    ++table_.skipped[static_cast<std::size_t>(key.skipped)].count;
    if (key.attribute >= 0) {
        table_.attributes[static_cast<std::size_t>(key.attribute)].set_missing(table_.rows);
    }
    cursor_.skip(depth);
}

inline void RecordScanner::attribute_value(int other) {
    OtherKey& key = others_[static_cast<std::size_t>(other)];
    if (key.attribute < 0) key.attribute = static_cast<int>(table_.attribute(key.name));
    AttributeColumn& into = table_.attributes[static_cast<std::size_t>(key.attribute)];
    const char* first = cursor_.p;
    if (*first == '"') {
        into.set_text(table_.rows, cursor_.string(scratch_));
    } else if (at_number()) {
        into.set_number(table_.rows, cursor_.number());
    } else {
        cursor_.skip_literal();
        if (*first == 'n') {
            into.set_missing(table_.rows);
        } else {
            into.set_number(table_.rows, *first == 't');
        }
    }
}

// {"attributes": {"occluded": true}}: its members become attributes like the record's own.
inline void RecordScanner::nested_attributes() {
    ++cursor_.p;
    cursor_.space();
    if (*cursor_.p == '}') {
        ++cursor_.p;
        return;
    }
    for (;;) {
        std::string name(cursor_.key(scratch_));
        for (const Column& one : table_.columns) {
            // A member called like a field of the record keeps apart from it.
            if (one.field.name == name || name == "attributes") {
                name = "attributes." + name;
                break;
            }
        }
        const int other = other_key(std::move(name));
        cursor_.space();
        if (*cursor_.p == '{' || *cursor_.p == '[') {
            skipped_value(others_[static_cast<std::size_t>(other)], schema_.depth + 2);
        } else {
            attribute_value(other);
        }
        cursor_.space();
        if (*cursor_.p == '}') break;
        cursor_.expect(',', "',' or '}'");
    }
    ++cursor_.p;
}

}  // namespace boxlens::json
