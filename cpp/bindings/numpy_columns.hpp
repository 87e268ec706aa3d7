// NumPy columns as the kernel borrows and returns them: no copy on the way in or out.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace nb = nanobind;

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using BoxColumn = nb::ndarray<const double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;

// Hands a vector, or another container with data() and size(), over to NumPy.
template <class Container, class T = typename Container::value_type>
nb::ndarray<nb::numpy, T> to_numpy(Container&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new Container(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Container*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.begin(), owner);
}

template <class Container>
auto to_numpy(Container&& values) {
    const std::size_t n = values.size();
    return to_numpy(std::move(values), {n});
}

// The name of a column in a signature: another dtype or layout is refused, not copied and rounded.
inline auto operator""_column(const char* name, std::size_t) { return nb::arg(name).noconvert(); }
