// Loops that are asked to stop, and processes that end although nobody listens.
#include "check.hpp"
#include "parallel.hpp"
#include "stopping.hpp"

#include <sys/wait.h>

#include <string>

namespace {

struct Stop {};

void stop() { throw Stop{}; }

// How many of the tasks were done before the loop ended; each takes a millisecond.
std::size_t n_done(std::size_t n_tasks, int threads, bool& stopped) {
    std::atomic<std::size_t> count{0};
    stopped = false;
    try {
        boxlens::for_each_task(n_tasks, threads, [&] {
            return [&](std::size_t) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ++count;
            };
        });
    } catch (Stop) {
        stopped = true;
    }
    return count;
}

void loops_stop() {
    bool stopped = false;
    boxlens::between_tasks = stop;
    for (int threads : {1, 3}) {
        CHECK(n_done(1'000'000, threads, stopped) < 1'000'000);
        CHECK(stopped);
    }
    boxlens::between_tasks = nullptr;
    CHECK(n_done(100, 3, stopped) == 100);
    CHECK(!stopped);
}

void a_failure_ends_the_other_threads() {
    std::atomic<std::size_t> count{0};
    bool thrown = false;
    try {
        boxlens::for_each_task(1'000'000, 3, [&] {
            return [&](std::size_t task) {
                if (task == 0) throw Stop{};
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                ++count;
            };
        });
    } catch (Stop) {
        thrown = true;
    }
    CHECK(thrown);
    CHECK(count < 1'000'000);
}

// Forked before this process has threads: the exit status of a child that runs `work`.
template <class Work>
int ended(Work work) {
    const pid_t child = fork();
    if (child == 0) {
        work();
        _exit(99);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void wait_long() { std::this_thread::sleep_for(std::chrono::seconds(600)); }

int ended_by(unsigned char signal_number, int exit_code) {
    return ended([=] {
        int ends[2];
        if (pipe(ends) != 0) return;
        boxlens::set_last_words({"", "", "", exit_code});
        boxlens::end_when_asked(ends[0], 50);
        const unsigned char sent[] = {SIGCHLD, signal_number};
        if (write(ends[1], sent, 2) == 2) wait_long();
    });
}

void processes_end() {
    CHECK(ended_by(SIGTERM, -1) == 128 + SIGTERM);
    CHECK(ended_by(SIGINT, -1) == 128 + SIGINT);
    CHECK(ended_by(SIGINT, 0) == 0);
    // The work ended in time, and the pipe was closed.
    CHECK(ended([] {
              int ends[2];
              if (pipe(ends) != 0) return;
              boxlens::end_when_asked(ends[0], 600'000);
              const unsigned char number = SIGTERM;
              if (write(ends[1], &number, 1) != 1) return;
              close(ends[1]);
              while (!boxlens::stop_asked) std::this_thread::yield();
              _exit(7);
          }) == 7);
    CHECK(ended([] {
              int ends[2];
              if (pipe(ends) != 0) return;
              boxlens::end_with(ends[0]);
              close(ends[1]);
              wait_long();
          }) == 1);
}

}  // namespace

int main() {
    processes_end();
    loops_stop();
    a_failure_ends_the_other_threads();
    return check::report();
}
