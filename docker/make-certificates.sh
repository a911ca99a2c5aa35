#!/bin/sh
# Makes what TLS and log-in need in one directory: a certificate authority, certificates for PostgreSQL, for the
# PgBouncers (which clients reach under the name of the HAProxy in front) and for the coordinator of agents, and
# PgBouncer's list of users. The authority's key signs these and is gone before the script ends, so that nobody can sign
# more. Keys belong to the one service that reads them when the script runs as root (as it does in compose.yaml). Does
# nothing when the directory is complete.
#
#   TRAIN_SIM_PASSWORD=... make-certificates.sh DIRECTORY [POSTGRES_OWNER [PGBOUNCER_OWNER [COORDINATOR_OWNER]]]
#
# An owner is `user:group`; nobody is changed without one.
set -eu
[ $# -ge 1 ] || { echo "usage: make-certificates.sh DIRECTORY [POSTGRES_OWNER [PGBOUNCER_OWNER [COORDINATOR_OWNER]]]" >&2; exit 2; }
[ -n "${TRAIN_SIM_PASSWORD:-}" ] || { echo "TRAIN_SIM_PASSWORD is not set: run docker/make-env.sh first" >&2; exit 2; }
directory="$1"
postgres_owner="${2:-}"
pgbouncer_owner="${3:-}"
coordinator_owner="${4:-}"
days=3650

umask 077
cd "$directory"
if [ ! -e complete ]; then
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT

  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days "$days" \
    -subj "/CN=train-sim stack" -addext "basicConstraints=critical,CA:TRUE,pathlen:0" \
    -addext "keyUsage=critical,keyCertSign,cRLSign" -keyout "$work/ca.key" -out ca.crt

  # certificate NAME ALTERNATIVE_NAMES
  certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
      -keyout "$1.key" -out "$work/$1.csr"
    printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth\nbasicConstraints=critical,CA:FALSE\n' "$2" >"$work/$1.ext"
    openssl x509 -req -in "$work/$1.csr" -CA ca.crt -CAkey "$work/ca.key" -CAcreateserial \
      -CAserial "$work/serial" -days "$days" -extfile "$work/$1.ext" -out "$1.crt"
  }
  certificate postgres "DNS:postgres,DNS:localhost,IP:127.0.0.1"
  certificate pgbouncer "DNS:haproxy,DNS:pgbouncer-1,DNS:pgbouncer-2,DNS:localhost,IP:127.0.0.1"
  certificate coordinator "DNS:coordinator,DNS:localhost,IP:127.0.0.1"
  chmod 644 ca.crt postgres.crt pgbouncer.crt coordinator.crt
  touch complete
fi

# PgBouncer logs clients in with this list, and itself in to PostgreSQL: SCRAM both times, which needs the password.
printf '"train_sim" "%s"\n' "$TRAIN_SIM_PASSWORD" >userlist.txt

[ -z "$postgres_owner" ] || chown "$postgres_owner" postgres.key
[ -z "$pgbouncer_owner" ] || chown "$pgbouncer_owner" pgbouncer.key userlist.txt
[ -z "$coordinator_owner" ] || chown "$coordinator_owner" coordinator.key
chmod 755 .
