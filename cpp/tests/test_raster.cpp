// Faces fill exactly the samples inside them, and the nearest one shows.
#include "raster.hpp"

#include <limits>

#include "check.hpp"

namespace {

struct Picture {
    std::size_t width, height;
    std::vector<std::int32_t> face = std::vector<std::int32_t>(width * height, -1);
    std::vector<float> nearness = std::vector<float>(width * height, 0.0F);

    void draw(const std::vector<double>& points, std::size_t n_corners,
              const std::vector<double>& planes) {
        const std::size_t n = planes.size() / 3;
        const std::vector<double> nearest(n, std::numeric_limits<double>::infinity());
        boxlens::fill_faces({n, n_corners, points.data(), planes.data(), nearest.data()},
                            {width, height, face.data(), nearness.data()});
    }
    std::size_t count(std::int32_t wanted) const {
        return static_cast<std::size_t>(std::count(face.begin(), face.end(), wanted));
    }
};

// Even-odd rule at one sample, by a ray to the left.
bool inside(const std::vector<double>& ring, double x, double y) {
    bool within = false;
    const std::size_t n = ring.size() / 2;
    for (std::size_t i = 0, j = n - 1; i < n; j = i++) {
        const double ay = ring[2 * i + 1], by = ring[2 * j + 1];
        if ((ay <= y) == (by <= y)) continue;
        const double ax = ring[2 * i], bx = ring[2 * j];
        if (ax + (y - ay) * (bx - ax) / (by - ay) <= x) within = !within;
    }
    return within;
}

void a_square_covers_its_samples_once() {
    Picture picture{10, 8};
    picture.draw({2, 1, 6, 1, 6, 5, 2, 5}, 4, {0, 0, 1});
    CHECK(picture.count(0) == 16);
    CHECK(picture.face[1 * 10 + 2] == 0 && picture.face[4 * 10 + 5] == 0);
    CHECK(picture.face[5 * 10 + 2] == -1 && picture.face[1 * 10 + 6] == -1);
}

void neighbours_leave_no_gap_and_share_no_sample() {
    Picture left{12, 6}, right{12, 6};
    left.draw({1, 0, 5.5, 0, 4.25, 6, 1, 6}, 4, {0, 0, 1});
    right.draw({5.5, 0, 11, 0, 11, 6, 4.25, 6}, 4, {0, 0, 1});
    CHECK(left.count(0) + right.count(0) == 60);
}

void concave_and_padded_rings_follow_the_even_odd_rule() {
    const std::vector<double> ring{1.2, 0.3, 14.1, 0.3, 14.1, 9.7, 7.6, 3.4, 1.2, 9.7};
    std::vector<double> padded = ring;
    for (int i = 0; i < 3; ++i) padded.insert(padded.end(), {1.2, 9.7});
    Picture picture{16, 12};
    picture.draw(padded, 8, {0, 0, 1});
    bool same = true;
    for (std::size_t y = 0; y < 12; ++y)
        for (std::size_t x = 0; x < 16; ++x)
            same &= (picture.face[y * 16 + x] == 0) ==
                    inside(ring, static_cast<double>(x), static_cast<double>(y));
    CHECK(same);
}

void the_nearer_face_shows_whatever_the_order() {
    const std::vector<double> square{0, 0, 4, 0, 4, 4, 0, 4};
    std::vector<double> both = square;
    both.insert(both.end(), square.begin(), square.end());
    Picture picture{4, 4};
    // The first is nearer on the left, the second on the right.
    picture.draw(both, 4, {-1, 0, 4, 1, 0, 0.5});
    CHECK(picture.face[0] == 0 && picture.face[3] == 1);
    Picture turned{4, 4};
    turned.draw(both, 4, {1, 0, 0.5, -1, 0, 4});
    CHECK(turned.face[0] == 1 && turned.face[3] == 0);
}

void what_is_turned_away_or_outside_is_not_drawn() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Picture picture{4, 4};
    picture.draw({0, 0, 4, 0, 4, 4, 0, 4}, 4, {nan, nan, nan});
    picture.draw({-9, -9, -2, -9, -2, -2, -9, -2}, 4, {0, 0, 1});
    picture.draw({8, 8, 20, 8, 20, 20, 8, 20}, 4, {0, 0, 1});
    CHECK(picture.count(-1) == 16);
    picture.draw({-100, -100, 100, -100, 100, 100, -100, 100}, 4, {0, 0, 1});
    CHECK(picture.count(0) == 16);
}

}  // namespace

int main() {
    a_square_covers_its_samples_once();
    neighbours_leave_no_gap_and_share_no_sample();
    concave_and_padded_rings_follow_the_even_odd_rule();
    the_nearer_face_shows_whatever_the_order();
    what_is_turned_away_or_outside_is_not_drawn();
    return check::report();
}
