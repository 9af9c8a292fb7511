# Sourced by backup.sh and restore.sh: a PostgreSQL address in the form that its own programs accept.

# The address without its password, which every account on the machine could read in the process list, without
# options that only Django knows, and with a socket's folder (postgres:////run/postgresql/name) where libpq expects it.
address_for_libpq() {
    printf '%s\n' "$1" | LC_ALL=C sed -E \
        -e 's|^[a-z]+://|postgresql://|' -e 's|^(postgresql://[^:/@]*):[^/]*@|\1@|' \
        -e 's|^postgresql:///(/[^?]*)/([^/?]+)\??|postgresql:///\2?host=\1\&|' \
        -e 's/([?&])(conn_max_age|conn_health_checks|atomic_requests|autocommit|disable_server_side_cursors)=[^&]*/\1/Ig' \
        -e 's/&+/\&/g; s/\?&/?/; s/[?&]$//'
}

# The password in the address, percent-decoded; empty when there is none.
password_for_libpq() {
    printf '%s\n' "$1" | LC_ALL=C sed -nE 's|^[a-z]+://[^:/@]*:([^/]*)@.*|\1|p' | LC_ALL=C awk '
        function hex(digit) { return index("0123456789abcdef", tolower(digit)) - 1 }
        {
            gsub(/\+/, " ")  # as Django reads it
            count = split($0, parts, "%")
            text = parts[1]
            for (i = 2; i <= count; i++)
                text = text sprintf("%c", 16 * hex(substr(parts[i], 1, 1)) + hex(substr(parts[i], 2, 1))) substr(parts[i], 3)
            printf "%s", text
        }'
}
