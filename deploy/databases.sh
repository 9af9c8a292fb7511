#!/bin/sh
# Create the two databases, each owned by its own role without access to anything else (docs/operations.md).
# Usage, as a superuser of PostgreSQL and with both passwords in the environment: deploy/databases.sh
set -eu
: "${PREFEREE_DATABASE_PASSWORD:?Set it to the password in DATABASE_URL.}"
: "${MARKETPLACE_DATABASE_PASSWORD:?Set it to the password in MARKETPLACE_DATABASE_URL.}"
export PREFEREE_DATABASE_PASSWORD MARKETPLACE_DATABASE_PASSWORD
# Read inside psql, because every account on the machine can see program arguments.
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --dbname=postgres <<'SQL'
\getenv ours PREFEREE_DATABASE_PASSWORD
\getenv crowds MARKETPLACE_DATABASE_PASSWORD
CREATE ROLE preferee LOGIN PASSWORD :'ours';
CREATE ROLE marketplace LOGIN PASSWORD :'crowds';
CREATE DATABASE preferee OWNER preferee;
CREATE DATABASE marketplace OWNER marketplace;
REVOKE ALL ON DATABASE preferee, marketplace FROM PUBLIC;
SQL
