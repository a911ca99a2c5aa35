#!/bin/sh
# Makes one cluster of nodes that wait for it, runs a file of SQL on it as root, and gives the role pgb its password.
# The password goes to `cockroach sql` on its standard input, never into a command line. Running it again on a
# cluster that is there changes nothing but the password.
#
#   TRAIN_SIM_PASSWORD=... init.sh HOST CERTIFICATES_OF_ROOT SQL_FILE
set -eu
[ $# -eq 3 ] || { echo "usage: init.sh HOST CERTIFICATES_OF_ROOT SQL_FILE" >&2; exit 2; }
case "${TRAIN_SIM_PASSWORD:-}" in
  "") echo "TRAIN_SIM_PASSWORD is not set: run docker/make-env.sh first" >&2; exit 2 ;;
  # It is written between quotes below.
  *[!0-9A-Za-z]*) echo "TRAIN_SIM_PASSWORD may hold letters and digits only" >&2; exit 2 ;;
esac
host="$1"
certificates="$2"
file="$3"
attempts=60

# patiently COMMAND...: again and again, until it works or says that there is nothing left to do.
patiently() {
  attempt=1
  until said="$("$@" 2>&1)"; do
    case "$said" in *"already been initialized"*) return 0 ;; esac
    [ "$attempt" -lt "$attempts" ] || { echo "$said" >&2; return 1; }
    attempt=$((attempt + 1))
    sleep 1
  done
}

patiently cockroach init --certs-dir="$certificates" --host="$host"
patiently cockroach sql --certs-dir="$certificates" --host="$host" --execute="SELECT 1"
{
  cat "$file"
  printf "ALTER ROLE pgb WITH PASSWORD '%s';\n" "$TRAIN_SIM_PASSWORD"
} | cockroach sql --certs-dir="$certificates" --host="$host"
