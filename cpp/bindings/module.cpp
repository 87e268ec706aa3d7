// The module boxlens._kernel. This folder is the only one that knows nanobind: it borrows NumPy
// columns, releases the GIL and hands results over.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_scanning(nb::module_& m);
void bind_matching(nb::module_& m);
void bind_counting(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_drawing(nb::module_& m);
void bind_stopping(nb::module_& m);

NB_MODULE(_kernel, m) {
    m.doc() = "The compiled kernel of Boxlens.";
    bind_scanning(m);
    bind_matching(m);
    bind_counting(m);
    bind_resampling(m);
    bind_drawing(m);
    bind_stopping(m);
}
