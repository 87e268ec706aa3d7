#!/bin/sh
# Brings Debian's chromium for the browser tests: its shell without windows, which takes half the
# CPU. Where that cannot be done it says so and goes on:
# the browser tests then skip with a reason.
set -u

cd "$(dirname "$0")/.."

for name in chromium-headless-shell chromium chromium-browser google-chrome; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done

# 300 MB are worth it only for tests that ask for a browser.
grep -rqs --include='test_*.py' chromium tests || exit 0

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "note: no chromium; browser tests will skip (Debian: apt-get install chromium)"
  exit 0
fi

echo "Installing chromium for the browser tests ..."
export DEBIAN_FRONTEND=noninteractive
if ! { timeout 120 apt-get -qq update &&
  { timeout 600 apt-get -qq install -y --no-install-recommends chromium-headless-shell ||
    timeout 600 apt-get -qq install -y --no-install-recommends chromium; }; } </dev/null >/dev/null 2>&1; then
  echo "note: chromium could not be installed; browser tests will skip"
fi
exit 0
