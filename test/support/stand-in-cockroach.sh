#!/bin/sh
# Stands in for the program `cockroach` in tests of docker/cockroachdb/, since no package of it is available. `cert` makes
# the files that the real program documents, with openssl, and refuses undocumented flags; `init` and `sql` record their
# arguments below $STAND_IN_LOG. `init` fails the first time, like the real one while a node starts, and prints the second
# time the real one's message about an existing cluster. It proves the scripts, never CockroachDB.
set -eu
fail() { echo "ERROR: $*" >&2; exit 1; }

# Flags have the form --name=value; other arguments keep their order.
command="${1:-}"
shift
certs="" key="" host="" statement="" operands=""
[ "$command" != cert ] || { kind="$1"; shift; }
for word in "$@"; do
  case "$command $word" in
    "cert --certs-dir="* | "init --certs-dir="* | "sql --certs-dir="*) certs="${word#*=}" ;;
    "cert --ca-key="*) key="${word#*=}" ;;
    "init --host="* | "sql --host="*) host="${word#*=}" ;;
    "sql --execute="*) statement="${word#*=}" ;;
    *" --"*) fail "unknown flag: $word" ;;
    *) operands="$operands $word" ;;
  esac
done
[ -n "$certs" ] || fail "no --certs-dir"

# sign NAME CN EXTENSIONS
sign() {
  [ ! -e "$certs/$1.crt" ] || fail "$certs/$1.crt exists"
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/O=Cockroach/CN=$2" \
    -keyout "$certs/$1.key" -out "$certs/$1.csr" 2>/dev/null
  printf '%s\n' "$3" >"$certs/$1.ext"
  openssl x509 -req -in "$certs/$1.csr" -CA "$certs/ca.crt" -CAkey "$key" -CAcreateserial -CAserial "$key.serial" \
    -days 2 -extfile "$certs/$1.ext" -out "$certs/$1.crt" 2>/dev/null
  rm "$certs/$1.csr" "$certs/$1.ext"
}

case "$command ${kind:-}" in
  "cert create-ca")
    [ -z "$operands" ] || fail "create-ca takes no operands"
    [ ! -e "$key" ] || fail "$key exists"
    mkdir -p "$certs"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/O=Cockroach/CN=Cockroach CA" \
      -addext "basicConstraints=critical,CA:TRUE,pathlen:1" -keyout "$key" -out "$certs/ca.crt" 2>/dev/null
    ;;
  "cert create-node")
    names=""
    for name in $operands; do
      case "$name" in *[!0-9.]*) names="$names,DNS:$name" ;; *) names="$names,IP:$name" ;; esac
    done
    [ -n "$names" ] || fail "create-node requires at least one host name or address"
    sign node node "$(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth' "${names#,}")"
    ;;
  "cert create-client")
    user="${operands# }"
    sign "client.$user" "$user" "extendedKeyUsage=clientAuth"
    ;;
  "init ")
    [ -n "$host" ] || fail "no --host"
    [ -e "$STAND_IN_LOG/tried" ] || { touch "$STAND_IN_LOG/tried"; fail "cannot dial server"; }
    [ ! -e "$STAND_IN_LOG/init" ] || fail "cluster has already been initialized"
    echo "$certs $host" >"$STAND_IN_LOG/init"
    ;;
  "sql ")
    [ -e "$STAND_IN_LOG/init" ] || fail "waiting for init"
    if [ -n "$statement" ]; then echo "$statement" >>"$STAND_IN_LOG/executed"; else cat >"$STAND_IN_LOG/stdin"; fi
    ;;
  *) fail "unknown command: $command ${kind:-}" ;;
esac
