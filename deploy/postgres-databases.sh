#!/bin/sh
# First start of the compose file's PostgreSQL: one role and one database for each environment, neither of them a superuser's.
# The image runs it once, when the volume is empty, as the superuser over its local socket.
set -eu

create() { # NAME PASSWORD_FILE
  psql --set ON_ERROR_STOP=1 --quiet --username "${POSTGRES_USER:-postgres}" --dbname postgres \
    --set name="$1" --set password="$(cat "$2")" <<'SQL'
CREATE ROLE :"name" LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name" TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8' LOCALE 'C';
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
}

create gateway "${GATEWAY_PASSWORD_FILE:-/run/secrets/gateway_password}"
create gateway_uat "${GATEWAY_UAT_PASSWORD_FILE:-/run/secrets/gateway_uat_password}"
