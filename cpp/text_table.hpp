// Distinct texts, numbered in the order in which they came.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace boxlens {

class TextTable {
public:
    std::size_t size() const { return ends_.size(); }

    std::string_view operator[](std::size_t code) const {
        const std::size_t from = code == 0 ? 0 : ends_[code - 1];
        return std::string_view(blob_).substr(from, ends_[code] - from);
    }

    // The number of a text; a new text gets the next one.
    std::int64_t code(std::string_view text) {
        // Records that follow one another often repeat a text.
        if (last_ < size() && (*this)[last_] == text) return static_cast<std::int64_t>(last_);
        if (2 * (size() + 1) > slots_.size()) rehash();
        std::size_t slot = place(text);
        if (slots_[slot] == 0) {
            blob_.append(text);
            ends_.push_back(blob_.size());
            slots_[slot] = size();
        }
        last_ = slots_[slot] - 1;
        return static_cast<std::int64_t>(last_);
    }

    // Takes the texts of another table over; element c is the number its text c has here.
    std::vector<std::int64_t> absorb(const TextTable& other) {
        std::vector<std::int64_t> codes(other.size());
        for (std::size_t c = 0; c < codes.size(); ++c) codes[c] = code(other[c]);
        return codes;
    }

private:
    std::size_t place(std::string_view text) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = std::hash<std::string_view>{}(text) & mask;
        while (slots_[slot] != 0 && (*this)[slots_[slot] - 1] != text) slot = (slot + 1) & mask;
        return slot;
    }

    void rehash() {
        slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), 0);
        for (std::size_t c = 0; c < size(); ++c) slots_[place((*this)[c])] = c + 1;
    }

    std::string blob_;
    std::vector<std::size_t> ends_;
    std::vector<std::size_t> slots_;  // 0 is free, otherwise the number plus one
    std::size_t last_ = 0;
};

}  // namespace boxlens
