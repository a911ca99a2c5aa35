#!/bin/sh
# Makes what TLS and log-in need, each in the directory of who reads it, with `cockroach cert`: node/ (the authority of
# the cluster and one certificate for its three nodes, also under the name of the HAProxy in front of them), root/ (the
# certificate that makes the role), pgbouncer/ (the PgBouncers' certificate, also under the name of the HAProxy in front
# of them, and their list of users) and public/ (both authorities). What PgBouncers show is signed by an authority of
# their own: `cockroach cert create-node` makes certificates of the user `node`, and one that the nodes trust would rule
# the cluster. The keys of both authorities are gone before the script ends. Does nothing but write the list of users
# when all is there.
#
#   TRAIN_SIM_PASSWORD=... make-certificates.sh DIRECTORY [PGBOUNCER_OWNER]
#
# The owner is `user:group`; nobody is changed without one.
set -eu
[ $# -ge 1 ] || { echo "usage: make-certificates.sh DIRECTORY [PGBOUNCER_OWNER]" >&2; exit 2; }
[ -n "${TRAIN_SIM_PASSWORD:-}" ] || { echo "TRAIN_SIM_PASSWORD is not set: run docker/make-env.sh first" >&2; exit 2; }
pgbouncer_owner="${2:-}"

umask 077
cd "$1"
mkdir -p node root pgbouncer public
if [ ! -e public/complete ]; then
  # What an earlier attempt may have left.
  rm -f node/* root/* pgbouncer/* public/*
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT

  cockroach cert create-ca --certs-dir=node --ca-key="$work/ca.key"
  cp node/ca.crt root/ca.crt
  cockroach cert create-node cockroach-1 cockroach-2 cockroach-3 haproxy localhost 127.0.0.1 \
    --certs-dir=node --ca-key="$work/ca.key"
  cockroach cert create-client root --certs-dir=root --ca-key="$work/ca.key"

  cockroach cert create-ca --certs-dir="$work/pgbouncer" --ca-key="$work/pgbouncer-ca.key"
  cockroach cert create-node pgbouncer-1 pgbouncer-2 pgbouncer-3 haproxy-pgbouncers localhost 127.0.0.1 \
    --certs-dir="$work/pgbouncer" --ca-key="$work/pgbouncer-ca.key"
  cp "$work/pgbouncer/node.crt" pgbouncer/pgbouncer.crt
  cp "$work/pgbouncer/node.key" pgbouncer/pgbouncer.key

  for directory in pgbouncer public; do
    cp node/ca.crt "$directory/ca.crt"
    cp "$work/pgbouncer/ca.crt" "$directory/pgbouncer-ca.crt"
  done
  touch public/complete
  chmod 755 public
  chmod 644 public/*
fi

# PgBouncer logs clients in with this list, and itself in to CockroachDB: SCRAM both times, which needs the password.
printf '"pgb" "%s"\n' "$TRAIN_SIM_PASSWORD" >pgbouncer/userlist.txt
[ -z "$pgbouncer_owner" ] || chown -R "$pgbouncer_owner" pgbouncer
