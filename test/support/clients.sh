#!/usr/bin/env bash
# Runs the tests of SSH logins with the clients of Debian sid: OpenSSH, dropbear, plink and paramiko. clients.sh [DIR]
# DIR has Debian sid, and is made by debootstrap if it is not there. Needs root, debootstrap and bubblewrap.
set -euo pipefail
cd "$(dirname "$0")/../.."
sid=${1:-/var/cache/sshawl-sid}
clients=openssh-client,dropbear-bin,putty-tools,python3-paramiko
[ -x "$sid/usr/bin/plink" ] || debootstrap --variant=minbase --include="$clients" sid "$sid"

wrappers=$(mktemp -d)
trap 'rm -rf "$wrappers"' EXIT
for program in ssh ssh-keygen ssh-keyscan dbclient dropbearconvert plink puttygen python3:debian-python3; do
  file=$wrappers/${program#*:}
  printf '#!/bin/sh\nexec bwrap --die-with-parent --bind "%s" / --bind /tmp /tmp --dev-bind /dev /dev --proc /proc /usr/bin/%s "$@"\n' \
    "$sid" "${program%:*}" >"$file"
  chmod +x "$file"
done
"$wrappers/ssh" -V
PATH="$wrappers:$PATH" node node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --project tests \
  test/e2e/ssh-login.test.ts
