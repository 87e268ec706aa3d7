// A process that is asked to end: loops hear of it, and where nobody listens it ends all the same.
// Nothing here waits for Python, which some long call may be holding up.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

#include <poll.h>
#include <unistd.h>

namespace boxlens {

// Loops of every thread look at it between two tasks.
inline std::atomic<bool> stop_asked{false};

// What a process says that ends without being able to end its work.
struct LastWords {
    std::string kept_path;  // where work is kept, if anywhere
    std::string if_kept;    // said where something is there
    std::string otherwise;
    int exit_code = -1;  // -1: 128 and the number of the signal
};

namespace detail {

inline std::mutex last_words_lock;
inline LastWords last_words;

// A thread that no signal is given to: the main thread is to be woken by them.
template <class Work>
void run_unheard(Work work) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(work).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

[[noreturn]] inline void end_now(int signal_number) {
    const std::lock_guard<std::mutex> hold(last_words_lock);
    const bool kept =
        !last_words.kept_path.empty() && access(last_words.kept_path.c_str(), F_OK) == 0;
    // A progress bar has hidden the cursor.
    std::string text = isatty(STDERR_FILENO) ? "\r\x1b[2K\x1b[?25h" : "";
    text += kept ? last_words.if_kept : last_words.otherwise;
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
        // Nobody is there to read it.
    }
    _exit(last_words.exit_code >= 0 ? last_words.exit_code : 128 + signal_number);
}

// The next number from a pipe; 0 when it was closed, -1 when none came in time.
inline int next_number(int descriptor, int wait_ms) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(wait_ms);
    while (true) {
        int left = -1;
        if (wait_ms >= 0) {
            const auto rest = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
            left = rest.count() > 0 ? static_cast<int>(rest.count()) : 0;
        }
        pollfd watched{descriptor, POLLIN, 0};
        const int ready = poll(&watched, 1, left);
        if (ready == 0) return -1;
        if (ready < 0 && errno == EINTR) continue;
        unsigned char number = 0;
        const ssize_t n = read(descriptor, &number, 1);
        if (n == 1) return number;
        if (n < 0 && errno == EINTR) continue;
        return 0;
    }
}

}  // namespace detail

inline void set_last_words(LastWords words) {
    const std::lock_guard<std::mutex> hold(detail::last_words_lock);
    detail::last_words = std::move(words);
}

// Reads numbers of signals from a pipe. So long after the first SIGINT or SIGTERM the process ends,
// unless the other end of the pipe was closed by then. Takes the descriptor over.
inline void end_when_asked(int descriptor, int grace_ms) {
    detail::run_unheard([=] {
        int number = 1;
        while (number > 0 && number != SIGINT && number != SIGTERM)
            number = detail::next_number(descriptor, -1);
        if (number > 0) {
            stop_asked = true;
            const auto begin = std::chrono::steady_clock::now();
            int more = 1, left = grace_ms;
            while (more > 0 && left > 0) {
                more = detail::next_number(descriptor, left);
                const auto spent = std::chrono::steady_clock::now() - begin;
                left = grace_ms - static_cast<int>(
                                      std::chrono::ceil<std::chrono::milliseconds>(spent).count());
            }
            if (more != 0) detail::end_now(number);
        }
        close(descriptor);
    });
}

// The process ends as soon as there is something to read, or the other end was closed.
inline void end_with(int descriptor) {
    detail::run_unheard([=] {
        pollfd watched{descriptor, POLLIN, 0};
        while (poll(&watched, 1, -1) < 0 && errno == EINTR) {
        }
        _exit(1);
    });
}

}  // namespace boxlens
