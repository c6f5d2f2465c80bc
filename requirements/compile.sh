#!/bin/sh
# Regenerate the lock files: names, versions and hashes, no addresses. Run by `make lock`; needs uv.
set -eu
cd "$(dirname "$0")/.."
lock() {
  out=$1; shift
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-annotate --no-header "$@" --output-file "requirements/$out"
}
lock dev.lock --extra dev pyproject.toml requirements/build.in
lock studio.lock --extra studio --extra postgres --extra s3 --constraint requirements/dev.lock pyproject.toml requirements/build.in
lock runtime.lock --extra serve --constraint requirements/dev.lock pyproject.toml requirements/build.in
lock mutation.lock --extra mutation --constraint requirements/dev.lock pyproject.toml requirements/build.in
