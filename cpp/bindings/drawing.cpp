// Faces into samples.
#include "column_checks.hpp"
#include "numpy_columns.hpp"
#include "raster.hpp"

namespace {

using Corners = nb::ndarray<const double, nb::shape<-1, -1, 2>, nb::c_contig, nb::device::cpu>;
using Planes = nb::ndarray<const double, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;

nb::tuple fill_faces(Corners rings, Planes planes, Column<double> nearest, std::size_t width,
                     std::size_t height) {
    const std::size_t n = rings.shape(0);
    expect_count(n, "the number of faces");
    expect_length(planes, n, "planes");
    expect_length(nearest, n, "nearest");
    expect(n == 0 || rings.shape(1) > 0, "a ring has at least one corner");
    expect_finite(rings, "rings");
    expect_count(width, "width");
    expect_count(height, "height");
    expect_count(width * height, "the number of samples");
    std::vector<std::int32_t> face(width * height, -1);
    std::vector<float> nearness(width * height, 0.0F);
    {
        nb::gil_scoped_release released;
        boxlens::fill_faces({n, rings.shape(1), rings.data(), planes.data(), nearest.data()},
                            {width, height, face.data(), nearness.data()});
    }
    return nb::make_tuple(to_numpy(std::move(face), {height, width}),
                          to_numpy(std::move(nearness), {height, width}));
}

}  // namespace

void bind_drawing(nb::module_& m) {
    using namespace nb::literals;
    m.def("fill_faces", &fill_faces, nb::kw_only(), "rings"_column, "planes"_column, "nearest"_column, "width"_a,
          "height"_a,
          "The face seen at each sample (-1: none), and its nearness (0: none). Rings are faces x "
          "corners x (column, row); a plane gives nearness per column, per row and at the origin.");
}
