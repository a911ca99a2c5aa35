#!/bin/sh
# The stack of compose.yaml in three commands. `start` makes a password where there is none yet and waits until
# everything can be used; `run` runs the reference experiment on it, or `train-sim run` with the arguments that follow;
# `stop` removes the containers and all they stored away. Results stay in results/.
#
#   stack.sh start | run [ARGUMENT...] | stop
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
compose() { docker compose --file "$here/compose.yaml" "$@"; }
usage() {
  echo "usage: stack.sh start | run [ARGUMENT...] | stop" >&2
  exit 2
}

[ $# -ge 1 ] || usage
command="$1"
shift
[ "$command" = run ] || [ $# -eq 0 ] || usage
case "$command" in
  start)
    sh "$here/../make-env.sh" "$here"
    compose up --build --detach --wait
    ;;
  run)
    [ $# -eq 0 ] || set -- run "$@"
    compose run --build --rm train-sim "$@"
    ;;
  stop) compose --profile run down --volumes ;;
  *) usage ;;
esac
