#!/bin/sh
# Makes Unicode's tables for names anew, with the ICU of this machine (Debian: libicu-dev, a C compiler).
set -eu
cd "$(dirname "$0")"
program=$(mktemp)
trap 'rm -f "$program"' EXIT
cc -O1 -Wall -o "$program" security-tables.c -licui18n -licuuc
"$program" table > ../../src/lib/text/unicode-security.ts
"$program" look-alikes > look-alikes.txt
