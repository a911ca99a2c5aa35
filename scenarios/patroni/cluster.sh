#!/bin/sh
# PostgreSQL under Patroni on this machine, to be broken: three members and one etcd, on 127.0.0.1 only. They ask for no
# password, so anybody on this machine can do anything with them.
#
#   cluster.sh start          starts all that does not run, and waits until both standbys stream
#   cluster.sh sync | async   sets Patroni's synchronous_mode, and waits until it holds
#   cluster.sh cut            stops the processes that send the primary's log: the standbys fall behind
#   cluster.sh crash          kills the primary's PostgreSQL and Patroni, as if its machine were gone
#   cluster.sh kill           kills the primary's PostgreSQL only
#   cluster.sh stop           stops everything; the data stays
#
# Data, logs and settings are in $PATRONI_LAB (/tmp/patroni-lab), ports follow $PATRONI_PORT (25000): members at 25001 to
# 25003. PostgreSQL does not run as root: started by root, all of this runs as the user postgres.
set -eu
self="$(cd "$(dirname "$0")" && pwd)/$(basename "$0")"
[ "$(id -u)" != 0 ] || exec setpriv --reuid postgres --regid postgres --init-groups env HOME=/tmp sh "$self" "$@"

lab="${PATRONI_LAB:-/tmp/patroni-lab}"
base="${PATRONI_PORT:-25000}"
bin="${PATRONI_BIN:-$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1)}"
members="1 2 3"
etcd=$((base + 21))
patience=100 # seconds

# alive FILE: whether the process whose number the file has is one of these.
alive() { [ -s "$1" ] && grep -qsF "$lab/" "/proc/$(cat "$1")/cmdline"; }

# run NAME COMMAND...: in the background, unless it runs already.
run() {
  name="$lab/$1"
  shift
  mkdir -p "$name"
  alive "$name/pid" || {
    setsid "$@" >> "$name/log" 2>&1 < /dev/null &
    echo $! > "$name/pid"
  }
}

# On the member that takes writes.
sql() {
  ports="$((base + 1)),$((base + 2)),$((base + 3))"
  "$bin/psql" -XAtqc "$1" "host=127.0.0.1,127.0.0.1,127.0.0.1 port=$ports user=postgres dbname=postgres \
    target_session_attrs=read-write connect_timeout=2"
}

# await WHAT QUERY: until the query answers t.
await() {
  end=$(($(date +%s) + patience))
  until [ "$(sql "$2" 2> /dev/null)" = t ]; do
    [ "$(date +%s)" -lt "$end" ] || {
      echo "$1 after $patience s; the logs are $lab/*/log" >&2
      exit 1
    }
    sleep 0.2
  done
}

settings() {
  sed -e "s|@NAME@|member$1|; s|@REST@|$((base + 10 + $1))|g; s|@ETCD@|$etcd|; s|@PORT@|$((base + $1))|" \
    -e "s|@BIN@|$bin|; s|@DIRECTORY@|$lab|" "$(dirname "$self")/member.yaml" > "$lab/member$1.yaml"
}

start() {
  umask 077
  mkdir -p "$lab"
  run etcd etcd --data-dir "$lab/etcd/data" --listen-client-urls "http://127.0.0.1:$etcd" \
    --advertise-client-urls "http://127.0.0.1:$etcd" --listen-peer-urls "http://127.0.0.1:$((etcd + 1))"
  for member in $members; do
    settings "$member"
    run "member$member" patroni "$lab/member$member.yaml"
  done
  await "the standbys do not stream" "SELECT count(*) = 2 FROM pg_stat_replication WHERE state = 'streaming'"
}

synchronous() {
  patronictl -c "$lab/member1.yaml" edit-config --force --quiet -s "synchronous_mode=$1" lab
  await "synchronous_mode $1 does not hold" "SELECT (current_setting('synchronous_standby_names') <> '') = $1
    AND (NOT $1 OR EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync'))"
}

# senders SIGNAL: to the processes that send the primary's log.
senders() { sql "SELECT pid FROM pg_stat_replication" | xargs -r kill "-$1"; }

# murder [patroni]: kills every process of the primary's PostgreSQL, and before them its Patroni.
murder() {
  member="member$(($(sql "SELECT inet_server_port()") - base))"
  postmaster="$(head -n 1 "$lab/$member/data/postmaster.pid")"
  others="$(ps -o pid= --ppid "$postmaster")"
  kill -9 ${1:+$(cat "$lab/$member/pid")} "$postmaster"
  # Some of them have seen it and are gone.
  kill -9 $others 2> /dev/null || true
  echo "killed $member${1:+ and its Patroni}"
}

stop() {
  senders CONT 2> /dev/null || true
  for name in $(for member in $members; do echo "member$member"; done) etcd; do
    alive "$lab/$name/pid" && kill "$(cat "$lab/$name/pid")" || true
    while alive "$lab/$name/pid"; do sleep 0.1; done
  done
}

case "${1-}" in
  start) start ;;
  sync) synchronous true ;;
  async) synchronous false ;;
  cut) senders STOP ;;
  crash) murder patroni ;;
  kill) murder ;;
  stop) stop ;;
  *) sed -n '2,/^set/{s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
esac
