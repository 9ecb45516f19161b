#!/bin/sh
# What `npm test` runs: the tests, and `npm run check` beside them. Tests wait a fifth of the time for what they started; the
# check has only what they leave of the processors (nice), so that it delays none of them. Exit status 1 if either failed.
log=node_modules/.cache/check.log
mkdir -p node_modules/.cache
nice -n 19 npm run --silent check >"$log" 2>&1 &
check=$!
trap 'kill "$check" 2>/dev/null' INT TERM
npm run --silent test:only
status=$?
if wait "$check"; then
  echo 'npm run check: nothing found'
else
  cat "$log"
  echo 'npm run check failed: see above'
  status=1
fi
exit "$status"
