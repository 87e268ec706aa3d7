// A test program counts what holds and what does not, and says so at the end.
#pragma once

#include <cstdio>

namespace check {

inline int passed = 0, failed = 0;

inline void that(bool holds, const char* what, const char* file, int line) {
    ++(holds ? passed : failed);
    if (!holds) std::fprintf(stderr, "%s:%d: %s does not hold\n", file, line, what);
}

inline int report() {
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}

}  // namespace check

#define CHECK(condition) check::that((condition), #condition, __FILE__, __LINE__)
