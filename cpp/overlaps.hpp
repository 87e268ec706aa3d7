// Which detection overlaps which object, image by image: a sparse table of pairs above a floor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
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

// Finds the pairs of one image after the other and appends them to a part of the table.
class ImageOverlapper {
  public:
    ImageOverlapper(const DetectionColumns& dets, const GroundTruthColumns& gts,
                    const OverlapChoice& choice, std::size_t n_classes)
        : dets_(dets), gts_(gts), choice_(choice), first_of_class_(n_classes, none) {}

    void overlap_image(std::size_t image, Overlaps& out) {
        const std::int64_t begin = gts_.offsets[image], end = gts_.offsets[image + 1];
        if (choice_.same_class) chain_by_class(begin, end);
        for (std::int64_t d = dets_.offsets[image]; d < dets_.offsets[image + 1]; ++d) {
            if (choice_.same_class) {
                for (std::int64_t g = first_of_class_[dets_.class_row[d]]; g != none;
                     g = next_of_class_[g - begin])
                    keep(d, g, out);
            } else {
                for (std::int64_t g = begin; g < end; ++g) keep(d, g, out);
            }
            out.offsets.push_back(static_cast<std::int64_t>(out.gt_row.size()));
        }
        if (choice_.same_class)
            for (std::int64_t g = begin; g < end; ++g) first_of_class_[gts_.class_row[g]] = none;
    }

  private:
    static constexpr std::int64_t none = -1;

    // Links the objects of each class in ascending order, so that others are never looked at.
    void chain_by_class(std::int64_t begin, std::int64_t end) {
        next_of_class_.resize(static_cast<std::size_t>(end - begin));
        for (std::int64_t g = end; g-- > begin;)
            next_of_class_[g - begin] = std::exchange(first_of_class_[gts_.class_row[g]], g);
    }

    void keep(std::int64_t d, std::int64_t g, Overlaps& out) const {
        double iou = overlap(dets_.box[d], gts_.box[g], gts_.region[g] != 0);
        if (iou > 0 && iou >= choice_.floor) {
            out.gt_row.push_back(static_cast<std::int32_t>(g));
            out.iou.push_back(iou);
        }
    }

    const DetectionColumns& dets_;
    const GroundTruthColumns& gts_;
    const OverlapChoice& choice_;
    std::vector<std::int64_t> first_of_class_;
    std::vector<std::int64_t> next_of_class_;  // by object of the image at hand
};

}  // namespace detail

inline Overlaps find_overlaps(const DetectionColumns& dets, const GroundTruthColumns& gts,
                              std::size_t n_images, std::size_t n_classes,
                              const OverlapChoice& choice, int threads) {
    constexpr std::size_t images_per_task = 128;
    const std::size_t n_tasks = (n_images + images_per_task - 1) / images_per_task;
    std::vector<Overlaps> parts(n_tasks);
    for_each_task(n_tasks, threads, [&] {
        return [&, overlapper = detail::ImageOverlapper(dets, gts, choice, n_classes)](
                   std::size_t task) mutable {
            std::size_t first = task * images_per_task;
            std::size_t last = std::min(first + images_per_task, n_images);
            Overlaps& part = parts[task];
            part.offsets.reserve(static_cast<std::size_t>(dets.offsets[last] - dets.offsets[first]));
            for (std::size_t image = first; image < last; ++image)
                overlapper.overlap_image(image, part);
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
