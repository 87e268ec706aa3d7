// The columns of detections and ground truth as the kernel borrows them: rows grouped by image.
#pragma once

#include <cstddef>
#include <cstdint>

namespace boxlens {

struct Box {
    double x, y, w, h;
};
static_assert(sizeof(Box) == 4 * sizeof(double));

struct DetectionColumns {
    std::size_t n = 0;
    const std::int64_t* offsets = nullptr;  // n_images + 1
    const std::int32_t* class_row = nullptr;
    const Box* box = nullptr;
    const double* score = nullptr;
};

struct GroundTruthColumns {
    std::size_t n = 0;
    const std::int64_t* offsets = nullptr;  // n_images + 1
    const std::int32_t* class_row = nullptr;
    const Box* box = nullptr;
    const double* area_px = nullptr;
    // A region, not an object (crowd, group-of): its overlap is the share of the detection inside.
    const std::uint8_t* region = nullptr;
};

}  // namespace boxlens
