// Ctrl-C and SIGTERM while the kernel works, and a process that ends with another one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "parallel.hpp"
#include "stopping.hpp"

namespace nb = nanobind;

namespace {

// Signals are heard in the main thread alone; the others are told by the flag.
void hear_signals() {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (boxlens::stop_asked) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nb::python_error();
    }
}

}  // namespace

void bind_stopping(nb::module_& m) {
    using namespace nb::literals;
    boxlens::between_tasks = hear_signals;
    m.def("end_when_asked", &boxlens::end_when_asked, "descriptor"_a, "grace_ms"_a);
    m.def("end_with", &boxlens::end_with, "descriptor"_a);
    m.def(
        "set_last_words",
        [](nb::bytes kept_path, std::string if_kept, std::string otherwise, int exit_code) {
            boxlens::set_last_words({std::string(kept_path.c_str(), kept_path.size()),
                                     std::move(if_kept), std::move(otherwise), exit_code});
        },
        "kept_path"_a, "if_kept"_a, "otherwise"_a, "exit_code"_a = -1);
    m.def("forget_stop", [] { boxlens::stop_asked = false; });
}
