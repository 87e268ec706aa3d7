// Which face of a solid is seen at each sample: polygons filled row by row over a depth buffer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace boxlens {

// Polygons of n_corners corners each; a face with fewer repeats its last one.
struct FaceRings {
    std::size_t n_faces, n_corners;
    const double* point;    // x, y of every corner, in samples
    const double* plane;    // nearness per column, per row, and at the origin; NaN: turned away
    const double* nearest;  // no sample of the face is nearer than this
};

// The samples of a picture, row by row.
struct SampleGrid {
    std::size_t width, height;
    std::int32_t* face;
    float* nearness;
};

// Columns at which a row crosses the polygon's edges, ascending: it is inside between each two.
inline void crossings(const double* ring, std::size_t n, double y, std::vector<double>& columns) {
    columns.clear();
    for (std::size_t i = 0; i < n; ++i) {
        const double* a = ring + 2 * i;
        const double* b = ring + 2 * (i + 1 == n ? 0 : i + 1);
        if ((a[1] <= y) == (b[1] <= y)) continue;
        columns.push_back(a[0] + (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]));
    }
    std::sort(columns.begin(), columns.end());
}

inline std::size_t first_at_or_after(double position, std::size_t end) {
    const double up = std::ceil(position);
    if (!(up > 0)) return 0;
    return up < static_cast<double>(end) ? static_cast<std::size_t>(up) : end;
}

// Draws one face wherever a sample lies inside it and it is nearer than what is there.
inline void fill_face(const FaceRings& faces, std::size_t row, const SampleGrid& grid,
                      std::vector<double>& columns) {
    const double* ring = faces.point + 2 * faces.n_corners * row;
    const double* plane = faces.plane + 3 * row;
    double low = ring[1], high = ring[1];
    for (std::size_t i = 1; i < faces.n_corners; ++i) {
        low = std::min(low, ring[2 * i + 1]);
        high = std::max(high, ring[2 * i + 1]);
    }
    const std::size_t last = first_at_or_after(high, grid.height);
    for (std::size_t y = first_at_or_after(low, grid.height); y < last; ++y) {
        crossings(ring, faces.n_corners, static_cast<double>(y), columns);
        const double at_row = plane[1] * static_cast<double>(y) + plane[2];
        for (std::size_t i = 0; i + 1 < columns.size(); i += 2) {
            const std::size_t end = first_at_or_after(columns[i + 1], grid.width);
            for (std::size_t x = first_at_or_after(columns[i], grid.width); x < end; ++x) {
                const double near = plane[0] * static_cast<double>(x) + at_row;
                const auto shown = static_cast<float>(std::min(near, faces.nearest[row]));
                const std::size_t sample = y * grid.width + x;
                if (shown > grid.nearness[sample]) {
                    grid.nearness[sample] = shown;
                    grid.face[sample] = static_cast<std::int32_t>(row);
                }
            }
        }
    }
}

inline void fill_faces(const FaceRings& faces, const SampleGrid& grid) {
    std::vector<double> columns;
    for (std::size_t row = 0; row < faces.n_faces; ++row)
        if (std::isfinite(faces.plane[3 * row + 2])) fill_face(faces, row, grid, columns);
}

}  // namespace boxlens
