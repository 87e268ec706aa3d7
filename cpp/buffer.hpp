// A growing array that never copies what it holds where the system can move pages instead, and that
// leaves new places unwritten.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace boxlens {

template <class T>
class Buffer {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    using value_type = T;

    Buffer() = default;
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept {
        swap(other);
        return *this;
    }
    ~Buffer() { std::free(data_); }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }

    void reserve(std::size_t n) {
        if (n > capacity_) reallocate(n);
    }
    // New places hold anything until they are written.
    void resize(std::size_t n) {
        if (n > capacity_) reallocate(n > 2 * capacity_ ? n : 2 * capacity_);
        size_ = n;
    }
    void push_back(T value) {
        if (size_ == capacity_) reallocate(capacity_ == 0 ? 16 : 2 * capacity_);
        data_[size_++] = value;
    }
    void append(const Buffer& other) {
        const std::size_t before = size_;
        reserve(size_ + other.size_);
        size_ += other.size_;
        if (other.size_ > 0) std::memcpy(data_ + before, other.data_, other.size_ * sizeof(T));
    }
    void fill_to(std::size_t n, T value) {
        reserve(n);
        while (size_ < n) data_[size_++] = value;
    }
    void trim() {
        if (size_ > 0 && size_ < capacity_) reallocate(size_);
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

private:
    void reallocate(std::size_t n) {
        void* moved = std::realloc(data_, n * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
        capacity_ = n;
        ask_for_large_pages();
    }

    // A column is written once from end to end, and large pages save most of its page faults. Not
    // for very large ones: to find room the system may move pages about, which costs far more.
    void ask_for_large_pages() const {
#if defined(MADV_HUGEPAGE)
        constexpr std::size_t limit = std::size_t{32} << 20;
        constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
        if (capacity_ * sizeof(T) > limit) return;
        const auto begin = reinterpret_cast<std::uintptr_t>(data_);
        const std::uintptr_t first = (begin + page - 1) / page * page;
        const std::uintptr_t last = (begin + capacity_ * sizeof(T)) / page * page;
        if (last > first) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace boxlens
