// The bytes of a file, mapped window by window, or of a buffer that somebody else holds.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

namespace boxlens::json {

class InputBytes {
public:
    // Borrows a buffer; data[size] must be readable and NUL (as in bytes and std::string).
    InputBytes(const char* data, std::size_t size) : data_(data), size_(size) {}

    // Maps a file. An empty page follows it, so data[size] is NUL for every size.
    explicit InputBytes(const std::string& path) {
        const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) fail(path);
        struct stat status;
        if (::fstat(file, &status) != 0) {
            const int problem = errno;
            ::close(file);
            errno = problem;
            fail(path);
        }
        size_ = static_cast<std::size_t>(status.st_size);
        mapped_ = (size_ + page - 1) / page * page + page;
        void* place = ::mmap(nullptr, mapped_, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        bool mapped = place != MAP_FAILED;
        if (mapped && size_ > 0) {
            mapped = ::mmap(place, size_, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) != MAP_FAILED;
        }
        const int problem = errno;
        ::close(file);
        if (!mapped) {
            if (place != MAP_FAILED) ::munmap(place, mapped_);
            errno = problem;
            fail(path);
        }
        data_ = static_cast<const char*>(place);
    }

    ~InputBytes() {
        if (mapped_ > 0) ::munmap(const_cast<char*>(data_), mapped_);
    }
    InputBytes(const InputBytes&) = delete;
    InputBytes& operator=(const InputBytes&) = delete;

    const char* begin() const { return data_; }
    const char* end() const { return data_ + size_; }
    std::size_t size() const { return size_; }
    bool is_file() const { return mapped_ > 0; }

private:
    friend class Window;
    static constexpr std::size_t page = 65536;  // a multiple of every page size in use

    [[noreturn]] static void fail(const std::string& path) {
        throw std::system_error(errno, std::generic_category(), path);
    }

    const char* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t mapped_ = 0;
};

// Keeps the pages around one reader's place in memory, and lets go of those behind it: the memory
// in use stays far below the size of the file. Only advice: it never changes what is read.
class Window {
public:
    Window(const InputBytes& input, const char* at) : input_(input), kept_from_(at), next_(at) {}

    // Call now and then with a place that only grows.
    void moved_to(const char* at) {
        if (at >= next_) slide(at);
    }

private:
    static constexpr std::size_t width = std::size_t{4} << 20;

    void slide(const char* at) {
        next_ = input_.end() + 1;
        if (!input_.is_file()) return;
        const std::size_t from = aligned(kept_from_);
        const std::size_t to = aligned(at);
        if (to > from) advise(from, to - from, MADV_DONTNEED);
        kept_from_ = at;
        const std::size_t ahead = std::min(width, input_.size() - to);
        if (ahead == 0) return;
#if defined(MADV_POPULATE_READ)
        if (!advise(to, ahead, MADV_POPULATE_READ)) advise(to, ahead, MADV_WILLNEED);
#else
        advise(to, ahead, MADV_WILLNEED);
#endif
        next_ = input_.begin() + to + ahead;
    }

    std::size_t aligned(const char* at) const {
        return static_cast<std::size_t>(at - input_.begin()) / InputBytes::page * InputBytes::page;
    }

    bool advise(std::size_t from, std::size_t bytes, int advice) const {
        return ::madvise(const_cast<char*>(input_.begin() + from), bytes, advice) == 0;
    }

    const InputBytes& input_;
    const char* kept_from_;
    const char* next_;
};

}  // namespace boxlens::json
