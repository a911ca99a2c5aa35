#!/bin/sh
# Makes .env, which the compose.yaml beside it reads: the password of the database, new for every stack, and the user
# that results on this machine shall belong to; a token, where the stack has agents; and the directory results/, so that
# it belongs to that user too.
# Leaves a file that is there as it is, so that a running stack keeps its password.
#
#   make-env.sh [DIRECTORY]      docker/ without one
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
file="${1:-$here}/.env"
# Nothing in the stack runs as root: root's results belong to the user of the train-sim image.
user="$(id -u)"
group="$(id -g)"
mkdir -p "$here/../results"
if [ "$user" -eq 0 ]; then
  user=1000
  group=1000
  chown "$user:$group" "$here/../results"
fi
if [ -e "$file" ]; then
  echo "$file is there already: left as it is" >&2
  exit 0
fi
if ! command -v openssl >/dev/null; then
  echo "openssl is missing: install it (Debian: apt-get install openssl)" >&2
  exit 1
fi
umask 077
cat >"$file" <<EOF
TRAIN_SIM_PASSWORD=$(openssl rand -hex 24)
TRAIN_SIM_UID=$user
TRAIN_SIM_GID=$group
EOF
if grep -qs TRAIN_SIM_TOKEN "$(dirname "$file")/compose.yaml"; then
  echo "TRAIN_SIM_TOKEN=$(openssl rand -hex 32)" >>"$file"
fi
echo "wrote $file" >&2
