#!/bin/sh
# PostgreSQL and Spark as they are: Debian's server on a loopback port in a temporary folder, pyspark on two cores.
# Installs the server and Java where they are missing, which needs root; both end with this script, also when it fails.
# Usage: scripts/test_engines.sh PYTHON [pytest arguments]; LIFTGATE_ENGINES_RUN=COMMAND runs that instead of pytest.
set -eu

python=$1
shift

server_programs() {
    ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1
}

missing=""
[ -n "$(server_programs)" ] || missing="postgresql"
command -v java >/dev/null 2>&1 || [ -x "${JAVA_HOME:-/none}/bin/java" ] || missing="$missing default-jre-headless"
if [ -n "$missing" ]; then
    if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
        echo "missing, and only root on Debian can install it here: apt-get install$missing" >&2
        exit 2
    fi
    echo "== installing Debian's$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
programs=$(server_programs)

# The server refuses to be run by root.
as_server() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups env HOME="$folder" LC_ALL=C.UTF-8 "$@"
    else
        LC_ALL=C.UTF-8 "$@"
    fi
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/liftgate-engines.XXXXXX")
finish() {
    status=$?
    trap - EXIT INT TERM HUP
    [ ! -f "$folder/data/postmaster.pid" ] || as_server "$programs/pg_ctl" -D "$folder/data" -m immediate -w stop >/dev/null || true
    rm -rf "$folder"
    exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM HUP

chmod 755 "$folder"
password=$("$python" -c "import secrets; print(secrets.token_hex(16))")
(umask 077 && printf '%s\n' "$password" >"$folder/password")
[ "$(id -u)" -ne 0 ] || chown -R postgres "$folder"
port=$("$python" -c "import socket; s = socket.socket(); s.bind(('127.0.0.1', 0)); print(s.getsockname()[1])")

cd "$folder"
as_server "$programs/initdb" -D "$folder/data" -U liftgate --pwfile="$folder/password" \
    --auth=scram-sha-256 --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
as_server "$programs/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -o "-h 127.0.0.1 -p $port -k $folder \
    -c log_statement=all -c log_min_duration_statement=0 -c log_parameter_max_length=-1 -c log_connections=on \
    -c log_error_verbosity=verbose -c debug_print_plan=on -c fsync=off" start >/dev/null
cd - >/dev/null

export LIFTGATE_POSTGRES="postgresql://liftgate:$password@127.0.0.1:$port/postgres"
export LIFTGATE_POSTGRES_LOG="$folder/server.log"
if [ -n "${LIFTGATE_ENGINES_RUN:-}" ]; then
    sh -c "$LIFTGATE_ENGINES_RUN"
else
    "$python" -m pytest -m engines tests/engines "$@"
fi
