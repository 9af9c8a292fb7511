#!/bin/sh
# Back up an installation while it runs, into a new folder below the given one (docs/operations.md, "Backups").
# Usage, with the installation's settings in the environment: deploy/backup.sh FOLDER
set -eu
: "${1:?Say into which folder: deploy/backup.sh FOLDER}"
: "${PREFEREE_DATA_DIR:?PREFEREE_DATA_DIR is not set. Read the settings first: set -a; . /etc/preferee/preferee.env}"
here=$(cd "$(dirname "$0")/.." && pwd)
python=$here/.venv/bin/python
[ -x "$python" ] || python=python3
umask 077
made=$1/$(date -u +%Y%m%dT%H%M%SZ)
part=$made.part
mkdir -p "$part"
trap 'rm -rf "$part"' EXIT

database() { # its address, its name in the backup
    case $1 in
    postgres*) pg_dump --format=custom --no-owner --no-privileges --file="$part/$2.dump" "$1" ;;
    sqlite:///*)
        [ -e "${1#sqlite:///}" ] || return 0
        "$python" - "${1#sqlite:///}" "$part/$2.sqlite3" <<'PYTHON'
import sqlite3, sys
source, target = (sqlite3.connect(name) for name in sys.argv[1:])
source.backup(target)  # a consistent copy, whoever writes meanwhile
assert target.execute("PRAGMA integrity_check").fetchone() == ("ok",)
target.execute("PRAGMA journal_mode=DELETE")
target.close()
PYTHON
        ;;
    *) echo "$1 is neither postgres:// nor sqlite:///." >&2 && exit 1 ;;
    esac
}

# Databases before files: a stored run is written before the row that names it, so no row misses its file.
database "${DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/preferee.sqlite3}" preferee
database "${MARKETPLACE_DATABASE_URL:-sqlite:///$PREFEREE_DATA_DIR/marketplace.sqlite3}" marketplace
kept=
for name in runs files sources secret-key marketplace-secret-key marketplace-key.json; do
    [ ! -e "$PREFEREE_DATA_DIR/$name" ] || kept="$kept $name"
done
# shellcheck disable=SC2086 -- a list of plain names
tar --create --gzip --file="$part/files.tar.gz" --directory="$PREFEREE_DATA_DIR" --exclude='.arriving-*' \
    --exclude='.ready-*' --files-from=/dev/null $kept
(cd "$part" && sha256sum -- * > SHA256SUMS)
mv "$part" "$made"
echo "$made"

# Beside the backups, never in them: what was forgotten and taken back, which a restore of any of them does again.
for name in rights.jsonl marketplace-rights.jsonl; do
    list=${PREFEREE_RIGHTS_DIR:-$PREFEREE_DATA_DIR}/$name
    [ -e "$list" ] && [ ! "$list" -ef "$1/$name" ] || continue
    cat "$list" "$1/$name" 2>/dev/null | sort -u > "$1/.$name" || true
    mv "$1/.$name" "$1/$name"
done

# Old backups still have whoever was forgotten since. This one is new, so one always stays.
days=${PREFEREE_KEEP_BACKUPS_DAYS:-0}
[ "$days" -gt 0 ] || exit 0
oldest=$(date -u -d "-$days days" +%Y%m%d%H%M%S)
for backup in "$1"/[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z; do
    made_at=$(basename "$backup" | tr -d TZ)
    [ "$made_at" -ge "$oldest" ] || rm -rf "$backup"
done
