// Rows of ids in a table of ascending, unique ids.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxlens {

class RowLookup {
public:
    RowLookup(const std::int64_t* ids, std::size_t n) : ids_(ids), n_(n) {
        if (n == 0) return;
        first_ = ids[0];
        // Unsigned: the distance of two int64 always fits.
        const std::uint64_t distance =
            static_cast<std::uint64_t>(ids[n - 1]) - static_cast<std::uint64_t>(first_);
        // A dense table while it stays small beside the data it serves.
        if (distance >= 256 * static_cast<std::uint64_t>(n) + 65536) return;
        dense_.assign(static_cast<std::size_t>(distance) + 1, -1);
        for (std::size_t row = 0; row < n; ++row) {
            dense_[static_cast<std::size_t>(ids[row] - first_)] = static_cast<std::int32_t>(row);
        }
    }

    // -1 where the id is not in the table.
    std::int32_t operator()(std::int64_t id) const {
        if (!dense_.empty()) {
            const std::uint64_t place =
                static_cast<std::uint64_t>(id) - static_cast<std::uint64_t>(first_);
            return place < dense_.size() ? dense_[static_cast<std::size_t>(place)] : -1;
        }
        const std::int64_t* found = std::lower_bound(ids_, ids_ + n_, id);
        return found != ids_ + n_ && *found == id ? static_cast<std::int32_t>(found - ids_) : -1;
    }

private:
    const std::int64_t* ids_;
    std::size_t n_;
    std::int64_t first_ = 0;
    std::vector<std::int32_t> dense_;
};

// Detections of an image follow one another in a file, so the last answer often serves again.
inline void rows_of(const std::int64_t* ids, std::size_t n, const RowLookup& lookup,
                    std::int32_t* rows) {
    std::int64_t last_id = 0;
    std::int32_t last_row = lookup(0);
    for (std::size_t i = 0; i < n; ++i) {
        if (ids[i] != last_id) {
            last_id = ids[i];
            last_row = lookup(last_id);
        }
        rows[i] = last_row;
    }
}

}  // namespace boxlens
