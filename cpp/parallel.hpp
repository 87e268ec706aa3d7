// Runs independent tasks on a few threads. Tasks write to places of their own, so the result does
// not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace boxlens {

// 0 asks for all cores; beyond `most` threads only get in each other's way.
inline int thread_count(int wanted, std::size_t n_tasks) {
    constexpr int most = 256;
    int cores = static_cast<int>(std::thread::hardware_concurrency());
    int threads = std::min(wanted > 0 ? wanted : std::max(cores, 1), most);
    return static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(threads), n_tasks));
}

// Called between two tasks by the thread that began them, some times a second; it throws to stop
// them all.
inline std::atomic<void (*)()> between_tasks{nullptr};

class Pauses {
  public:
    void look_up() {
        const auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        if (const auto look = between_tasks.load()) look();
    }

  private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Calls make_worker() once on each thread, and the worker it returns once for each task number.
// After the first exception no task is begun any more, and it is thrown again here.
template <class MakeWorker>
void for_each_task(std::size_t n_tasks, int wanted_threads, MakeWorker make_worker) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto run = [&](bool began_them) {
        try {
            auto worker = make_worker();
            Pauses pauses;
            for (std::size_t task = next++; task < n_tasks; task = next++) {
                worker(task);
                if (began_them) pauses.look_up();
            }
        } catch (...) {
            next = n_tasks;
            std::lock_guard<std::mutex> hold(failure_lock);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    try {
        for (int i = 1; i < thread_count(wanted_threads, n_tasks); ++i) others.emplace_back(run, false);
    } catch (const std::system_error&) {
        // The system gives no more threads: those that are there do all tasks.
    }
    run(true);
    for (std::thread& thread : others) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace boxlens
