#!/bin/sh
# Back up an installation while it runs, into a new folder below the given one (docs/maintenance.md, "Backups").
# Usage, with the installation's settings in the environment: deploy/backup.sh FOLDER
set -eu
: "${1:?Say into which folder: deploy/backup.sh FOLDER}"
: "${PREFEREE_DATA_DIR:?PREFEREE_DATA_DIR is not set. Read the settings first: set -a; . /etc/preferee/preferee.env}"
here=$(cd "$(dirname "$0")/.." && pwd)
. "$(dirname "$0")/postgres.sh"
python=$here/.venv/bin/python
[ -x "$python" ] || python=python3
umask 077
crowds=${MARKETPLACE_DATA_DIR:-$PREFEREE_DATA_DIR}
made=$1/$(date -u +%Y%m%dT%H%M%SZ)
part=$made.part
mkdir -p "$part"
trap 'rm -rf "$part"' EXIT

database() { # its address, its name in the backup, the setting that names it
    case $1 in
    postgres* | psql:* | pgsql:*)
        PGPASSWORD=$(password_for_libpq "$1") pg_dump --format=custom --no-owner --no-privileges \
            --file="$part/$2.dump" --dbname="$(address_for_libpq "$1")"
        ;;
    sqlite:///*)
        [ -e "${1#sqlite:///}" ] || return 0
        "$python" - "${1#sqlite:///}" "$part/$2.sqlite3" <<'PYTHON'
import sqlite3, sys
source, target = (sqlite3.connect(name) for name in sys.argv[1:])
source.backup(target)  # a consistent copy, even while others write
assert target.execute("PRAGMA integrity_check").fetchone() == ("ok",)
target.execute("PRAGMA journal_mode=DELETE")
target.close()
PYTHON
        ;;
    *) echo "$3 is neither postgres:// nor sqlite:///." >&2 && exit 1 ;;
    esac
}

# Databases before files: a run's file is written before its row, so every row has its file.
database "${DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/preferee.sqlite3}" preferee DATABASE_URL
database "${MARKETPLACE_DATABASE_URL:-sqlite:///$crowds/marketplace.sqlite3}" marketplace MARKETPLACE_DATABASE_URL
files() { # the folder, the archive's name, the parts of the folder that belong in it
    folder=$1 archive=$2 kept=
    shift 2
    for name in "$@"; do
        [ ! -e "$folder/$name" ] || kept="$kept $name"
    done
    # shellcheck disable=SC2086 -- a list of plain names
    tar --create --gzip --file="$part/$archive.tar.gz" --directory="$folder" --exclude='.arriving-*' \
        --files-from=/dev/null $kept
}
files "$PREFEREE_DATA_DIR" files runs files sources secret-key marketplace-secret-key marketplace-key.json
[ "$crowds" -ef "$PREFEREE_DATA_DIR" ] || files "$crowds" marketplace-files marketplace-secret-key marketplace-key.json
(cd "$part" && sha256sum -- * > SHA256SUMS)
mv "$part" "$made"
echo "$made"

# Next to the backups, not in them: deletions and withdrawals, which every restore repeats.
ours=${PREFEREE_RIGHTS_DIR:-$PREFEREE_DATA_DIR}
for list in "$ours/rights.jsonl" "${MARKETPLACE_RIGHTS_DIR:-${MARKETPLACE_DATA_DIR:-$ours}}/marketplace-rights.jsonl"; do
    name=$(basename "$list")
    [ -e "$list" ] && [ ! "$list" -ef "$1/$name" ] || continue
    cat "$list" "$1/$name" 2>/dev/null | sort -u > "$1/.$name" || true
    mv "$1/.$name" "$1/$name"
done

# Old backups still contain workers forgotten since. This one is new, so one always stays.
days=${PREFEREE_KEEP_BACKUPS_DAYS:-0}
[ "$days" -gt 0 ] || exit 0
oldest=$(date -u -d "-$days days" +%Y%m%d%H%M%S)
for backup in "$1"/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z; do
    made_at=$(basename "$backup" | tr -d TZ)
    [ "$made_at" -ge "$oldest" ] || rm -rf "$backup"
done
