#!/bin/sh
# Makes the virtual environment $1 with $PYTHON, or says what the machine lacks.
set -eu

folder=$1
python=${PYTHON:-python3}
compiler=${CXX:-g++}

lacks() {
  echo "boxlens: $1" >&2
  echo "  $2" >&2
  exit 1
}

command -v "$python" >/dev/null 2>&1 ||
  lacks "no $python found" "On Debian: apt-get install python3 python3-venv python3-dev"

"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  lacks "Python 3.11 or newer is needed; $python is $("$python" --version 2>&1)" \
    "Name another one: make setup PYTHON=python3.12"

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
  lacks "$python has no venv module" "On Debian: apt-get install python3-venv"

"$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
  lacks "$python has no C headers (Python.h)" "On Debian: apt-get install python3-dev"

command -v "$compiler" >/dev/null 2>&1 ||
  lacks "no C++ compiler ($compiler) found" "On Debian: apt-get install g++"

echo "Making $folder with $("$python" --version) ..."
"$python" -m venv --clear "$folder"
# Dependency groups need pip 25.1.
"$folder/bin/python" -m pip --quiet --disable-pip-version-check --no-input install --upgrade 'pip>=25.1'
