#!/usr/bin/env bash
# Installs what `make check` needs beside Go, where it may; else says what to install.
set -euo pipefail

have_postgres() {
  command -v initdb >/dev/null && command -v pg_ctl >/dev/null && return 0
  compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

if ! have_postgres; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing PostgreSQL with apt-get"
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null
  else
    echo "setup: PostgreSQL is missing: its programs initdb and pg_ctl must be on PATH or in /usr/lib/postgresql/*/bin." >&2
    echo "setup: install it (Debian and Ubuntu: sudo apt-get install postgresql) and run make check again." >&2
    exit 1
  fi
fi
if ! command -v gcc >/dev/null && ! command -v cc >/dev/null; then
  echo "setup: no C compiler: the race detector needs one (Debian and Ubuntu: sudo apt-get install gcc)." >&2
  exit 1
fi
