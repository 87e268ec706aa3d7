// Which boxes of an image are the first on their pixels: proposals are told apart after rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

namespace detail {

// Two corners as whole numbers in one: half as much to compare.
inline std::uint64_t packed(double x, double y) {
    static constexpr double far = 2147483647;  // no picture is so large
    auto whole = [](double v) {
        return static_cast<std::uint32_t>(static_cast<std::int32_t>(std::clamp(v, -far, far)));
    };
    return static_cast<std::uint64_t>(whole(x)) << 32 | whole(y);
}

struct PixelPlace {
    std::uint64_t top_left, bottom_right;
    std::int64_t row;

    // Left and top round to the nearest, right and bottom up (METHODS 6.1), in pixels counted
    // from 1 as the method does: a half pixel before the image rounds into it.
    PixelPlace(const Box& box, std::int64_t at)
        : top_left(packed(std::round(box.x + 1), std::round(box.y + 1))),
          bottom_right(packed(std::ceil(box.x + box.w), std::ceil(box.y + box.h))),
          row(at) {}

    auto operator<=>(const PixelPlace&) const = default;

    bool same_pixels(const PixelPlace& other) const {
        return top_left == other.top_left && bottom_right == other.bottom_right;
    }
};

}  // namespace detail

// 1 where no earlier box of the image lies on the same pixels.
inline std::vector<std::uint8_t> first_on_pixels(const std::int64_t* offsets, std::size_t n_images,
                                                 const Box* box, int threads) {
    std::vector<std::uint8_t> first(static_cast<std::size_t>(offsets[n_images]), 0);
    for_each_task(n_images, threads, [&] {
        return [&, places = std::vector<detail::PixelPlace>()](std::size_t image) mutable {
            places.clear();
            for (std::int64_t row = offsets[image]; row < offsets[image + 1]; ++row)
                places.emplace_back(box[row], row);
            std::sort(places.begin(), places.end());
            for (std::size_t i = 0; i < places.size(); ++i)
                first[static_cast<std::size_t>(places[i].row)] =
                    i == 0 || !places[i].same_pixels(places[i - 1]);
        };
    });
    return first;
}

}  // namespace boxlens
