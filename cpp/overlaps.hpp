// Which detection overlaps which object, image by image: a sparse table of pairs above a floor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "tables.hpp"

namespace boxlens {

// Pairs of detection d are offsets[d] : offsets[d + 1], ground truth rows ascending.
struct Overlaps {
    std::vector<std::int64_t> offsets;
    std::vector<std::int32_t> gt_row;
    std::vector<double> iou;
};

// The same table, borrowed.
struct OverlapColumns {
    const std::int64_t* offsets = nullptr;
    const std::int32_t* gt_row = nullptr;
    const double* iou = nullptr;
};

struct OverlapChoice {
    double floor = 0.5;      // pairs below are left out; pairs without common area always are
    bool same_class = true;  // only pairs of one class
};

// The operations and their order are pycocotools', so that the last bit agrees (METHODS 10).
inline double overlap(const Box& det, const Box& gt, bool gt_is_region) {
    double width = std::min(det.w + det.x, gt.w + gt.x) - std::max(det.x, gt.x);
    if (width <= 0) return 0;
    double height = std::min(det.h + det.y, gt.h + gt.y) - std::max(det.y, gt.y);
    if (height <= 0) return 0;
    double common = width * height;
    double det_area = det.w * det.h;
    double whole = gt_is_region ? det_area : det_area + gt.w * gt.h - common;
    return common / whole;
}

namespace detail {

inline void overlap_image(const DetectionColumns& dets, const GroundTruthColumns& gts,
                          std::size_t image, const OverlapChoice& choice, Overlaps& out) {
    const std::int64_t gt_begin = gts.offsets[image], gt_end = gts.offsets[image + 1];
    for (std::int64_t d = dets.offsets[image]; d < dets.offsets[image + 1]; ++d) {
        const Box& det = dets.box[d];
        for (std::int64_t g = gt_begin; g < gt_end; ++g) {
            if (choice.same_class && gts.class_row[g] != dets.class_row[d]) continue;
            double iou = overlap(det, gts.box[g], gts.region[g] != 0);
            if (iou > 0 && iou >= choice.floor) {
                out.gt_row.push_back(static_cast<std::int32_t>(g));
                out.iou.push_back(iou);
            }
        }
        out.offsets.push_back(static_cast<std::int64_t>(out.gt_row.size()));
    }
}

}  // namespace detail

inline Overlaps find_overlaps(const DetectionColumns& dets, const GroundTruthColumns& gts,
                              std::size_t n_images, const OverlapChoice& choice, int threads) {
    constexpr std::size_t images_per_task = 128;
    const std::size_t n_tasks = (n_images + images_per_task - 1) / images_per_task;
    std::vector<Overlaps> parts(n_tasks);
    for_each_task(n_tasks, threads, [&] {
        return [&](std::size_t task) {
            std::size_t first = task * images_per_task;
            std::size_t last = std::min(first + images_per_task, n_images);
            Overlaps& part = parts[task];
            part.offsets.reserve(static_cast<std::size_t>(dets.offsets[last] - dets.offsets[first]));
            for (std::size_t image = first; image < last; ++image)
                detail::overlap_image(dets, gts, image, choice, part);
        };
    });

    Overlaps all;
    std::size_t n_pairs = 0;
    for (const Overlaps& part : parts) n_pairs += part.gt_row.size();
    all.offsets.reserve(dets.n + 1);
    all.gt_row.reserve(n_pairs);
    all.iou.reserve(n_pairs);
    all.offsets.push_back(0);
    for (Overlaps& part : parts) {
        const auto start = static_cast<std::int64_t>(all.gt_row.size());
        for (std::int64_t end : part.offsets) all.offsets.push_back(start + end);
        all.gt_row.insert(all.gt_row.end(), part.gt_row.begin(), part.gt_row.end());
        all.iou.insert(all.iou.end(), part.iou.begin(), part.iou.end());
        part = Overlaps{};
    }
    return all;
}

}  // namespace boxlens
