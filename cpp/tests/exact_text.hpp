// A text in memory of exactly its size, so that the sanitizer sees every byte read beyond it.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

// The NUL behind it is the sentinel that the scanner asks for.
struct ExactText {
    explicit ExactText(const std::string& text) : bytes(new char[text.size() + 1]), size(text.size()) {
        std::memcpy(bytes, text.c_str(), size + 1);
    }
    ~ExactText() { delete[] bytes; }
    ExactText(const ExactText&) = delete;
    ExactText& operator=(const ExactText&) = delete;
    char* bytes;
    std::size_t size;
};

