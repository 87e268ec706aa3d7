// One-to-one pairs of an image, taken greedily from the largest overlap down, whatever the class.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "overlaps.hpp"
#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

// The object of every detection, -1 none. Ties: the same class, higher score, then earlier rows.
inline std::vector<std::int32_t> pair_one_to_one(const DetectionColumns& dets,
                                                 const OverlapColumns& overlaps,
                                                 const std::int32_t* gt_class,
                                                 std::size_t n_images, std::size_t n_gts,
                                                 const std::uint8_t* det_dropped,
                                                 const std::uint8_t* gt_dropped, double floor,
                                                 int threads) {
    struct Pair {
        double iou, score;
        bool other_class;
        std::int64_t det;
        std::int32_t gt;
    };
    std::vector<std::int32_t> partner(dets.n, -1);
    std::vector<std::uint8_t> taken(n_gts, 0);
    for_each_task(n_images, threads, [&] {
        return [&, pairs = std::vector<Pair>()](std::size_t image) mutable {
            pairs.clear();
            for (std::int64_t d = dets.offsets[image]; d < dets.offsets[image + 1]; ++d) {
                if (det_dropped && det_dropped[d]) continue;
                for (std::int64_t p = overlaps.offsets[d]; p < overlaps.offsets[d + 1]; ++p) {
                    std::int32_t g = overlaps.gt_row[p];
                    if (overlaps.iou[p] >= floor && !(gt_dropped && gt_dropped[g]))
                        pairs.push_back({overlaps.iou[p], dets.score[d],
                                         dets.class_row[d] != gt_class[g], d, g});
                }
            }
            std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
                return std::tuple(-a.iou, a.other_class, -a.score, a.det, a.gt) <
                       std::tuple(-b.iou, b.other_class, -b.score, b.det, b.gt);
            });
            for (const Pair& pair : pairs) {
                if (partner[pair.det] >= 0 || taken[pair.gt]) continue;
                partner[pair.det] = pair.gt;
                taken[pair.gt] = 1;
            }
        };
    });
    return partner;
}

}  // namespace boxlens
