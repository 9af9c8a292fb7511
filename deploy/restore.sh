#!/bin/sh
# Put a backup back into an empty installation (docs/operations.md, "Restore"). Refuses to overwrite anything.
# Usage, with the new installation's settings in the environment: deploy/restore.sh BACKUP
set -eu
: "${1:?Say which backup: deploy/restore.sh BACKUP}"
: "${PREFEREE_DATA_DIR:?PREFEREE_DATA_DIR is not set. Read the settings first: set -a; . /etc/preferee/preferee.env}"
backup=$(cd "$1" && pwd)
umask 077
(cd "$backup" && sha256sum --check --quiet SHA256SUMS >&2) || {
    echo "This backup is damaged: take another one." >&2
    exit 1
}
mkdir -p "$PREFEREE_DATA_DIR"

database() { # its address, its name in the backup
    if [ -e "$backup/$2.dump" ]; then
        tables=$(psql --no-psqlrc --tuples-only --no-align --dbname="$1" \
            --command="SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
        if [ "$tables" != 0 ]; then
            echo "The database for $2 has tables already. Create an empty one and name it in the settings." >&2
            exit 1
        fi
        pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="$1" "$backup/$2.dump"
        psql --no-psqlrc --quiet --dbname="$1" --command=ANALYZE
    elif [ -e "$backup/$2.sqlite3" ]; then
        file=${1#sqlite:///}
        if [ -e "$file" ] || [ "$file" = "$1" ]; then
            echo "$2: $1 is there already, or no SQLite file. Name a file that does not exist yet." >&2
            exit 1
        fi
        cp "$backup/$2.sqlite3" "$file"
    fi
}

database "${DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/preferee.sqlite3}" preferee
database "${MARKETPLACE_DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/marketplace.sqlite3}" marketplace
tar --extract --gzip --file="$backup/files.tar.gz" --directory="$PREFEREE_DATA_DIR" --skip-old-files

# Who was forgotten since is back in the database. The lists beside the backups and the one of this machine say who.
rights=${PREFEREE_RIGHTS_DIR:-$PREFEREE_DATA_DIR}
mkdir -p "$rights"
for name in rights.jsonl marketplace-rights.jsonl; do
    beside=$(dirname "$backup")/$name
    [ -e "$beside" ] && [ ! "$beside" -ef "$rights/$name" ] || continue
    cat "$rights/$name" "$beside" 2>/dev/null | sort -u > "$rights/.$name" || true
    mv "$rights/.$name" "$rights/$name"
done
# Put back by root, in a container for instance: the files are the program's all the same.
[ "$(id -u)" != 0 ] || chown -R --reference="$PREFEREE_DATA_DIR" "$PREFEREE_DATA_DIR" "$rights"
cat >&2 <<'WORDS'
The backup is back, with whoever was forgotten and whatever was taken back since. Before you start anything:
    manage.py migrate; manage.py reapply_rights
    python -m marketplace migrate; python -m marketplace reapply_forgettings
WORDS
