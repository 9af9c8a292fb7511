#!/bin/sh
# Put a backup back into an empty installation (docs/maintenance.md, "Restore"). Refuses to overwrite anything.
# Usage, with the new installation's settings in the environment: deploy/restore.sh BACKUP
set -eu
: "${1:?Say which backup: deploy/restore.sh BACKUP}"
: "${PREFEREE_DATA_DIR:?PREFEREE_DATA_DIR is not set. Read the settings first: set -a; . /etc/preferee/preferee.env}"
backup=$(cd "$1" && pwd)
crowds=${MARKETPLACE_DATA_DIR:-$PREFEREE_DATA_DIR}
. "$(dirname "$0")/postgres.sh"
umask 077
(cd "$backup" && sha256sum --check --quiet SHA256SUMS >&2) || {
    echo "This backup is damaged: take another one." >&2
    exit 1
}
mkdir -p "$PREFEREE_DATA_DIR" "$crowds"

database() { # its address, its name in the backup, the setting that names it
    if [ -e "$backup/$2.dump" ]; then
        where=$(address_for_libpq "$1")
        PGPASSWORD=$(password_for_libpq "$1")
        export PGPASSWORD
        tables=$(psql --no-psqlrc --tuples-only --no-align --dbname="$where" \
            --command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        if [ "$tables" != 0 ]; then
            echo "The database for $2 has tables already. Create an empty one and name it in the settings." >&2
            exit 1
        fi
        pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="$where" "$backup/$2.dump"
        # A role without superuser rights gets a warning for every system table that it cannot read.
        PGOPTIONS='-c client_min_messages=error' psql --no-psqlrc --quiet --dbname="$where" --command=ANALYZE
    elif [ -e "$backup/$2.sqlite3" ]; then
        file=${1#sqlite:///}
        if [ -e "$file" ] || [ "$file" = "$1" ]; then
            echo "The file that $3 names is there already, or is no SQLite file. Name one that does not exist yet." >&2
            exit 1
        fi
        cp "$backup/$2.sqlite3" "$file"
    fi
}

database "${DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/preferee.sqlite3}" preferee DATABASE_URL
database "${MARKETPLACE_DATABASE_URL:-sqlite:///$crowds/marketplace.sqlite3}" marketplace MARKETPLACE_DATABASE_URL
tar --extract --gzip --file="$backup/files.tar.gz" --directory="$PREFEREE_DATA_DIR" --skip-old-files
[ ! -e "$backup/marketplace-files.tar.gz" ] ||
    tar --extract --gzip --file="$backup/marketplace-files.tar.gz" --directory="$crowds" --skip-old-files

# The database again contains workers forgotten since. The lists next to the backups and on this machine name them.
rights=${PREFEREE_RIGHTS_DIR:-$PREFEREE_DATA_DIR}
crowds_rights=${MARKETPLACE_RIGHTS_DIR:-${MARKETPLACE_DATA_DIR:-$rights}}
mkdir -p "$rights" "$crowds_rights"
for list in "$rights/rights.jsonl" "$crowds_rights/marketplace-rights.jsonl"; do
    name=$(basename "$list")
    beside=$(dirname "$backup")/$name
    [ -e "$beside" ] && [ ! "$beside" -ef "$list" ] || continue
    cat "$list" "$beside" 2>/dev/null | sort -u > "$list.new" || true
    mv "$list.new" "$list"
done
# If root restores (in a container, for instance), the files still belong to the program.
if [ "$(id -u)" = 0 ]; then
    chown -R --reference="$PREFEREE_DATA_DIR" "$PREFEREE_DATA_DIR" "$rights"
    chown -R --reference="$crowds" "$crowds" "$crowds_rights"
fi
cat >&2 <<'WORDS'
The backup is restored, but so is data deleted or withdrawn since. Before you start anything, run:
    manage.py migrate; manage.py reapply_rights
    python -m marketplace migrate; python -m marketplace reapply_forgettings
WORDS
