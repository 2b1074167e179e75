#!/bin/sh
# Starts `svc` in a container. Of a variable such as SVC_DATABASE_URL_FILE it reads the file into SVC_DATABASE_URL, so that
# secrets need not stand in the environment of the container.
set -eu

for name in $(env | sed -n 's/^\([A-Z][A-Z0-9_]*\)_FILE=.*/\1/p'); do
  # The server reads this one by itself, again at SIGHUP.
  [ "$name" = SERVICE_API_KEY ] && continue
  eval "file=\$${name}_FILE"
  [ -r "$file" ] || { echo "svc: ${name}_FILE: $file cannot be read" >&2; exit 3; }
  export "$name=$(cat "$file")"
  unset "${name}_FILE"
done

# In a container other addresses than the local one are what it is for; without a key svc refuses to listen on them.
if [ "${1:-}" = serve ]; then
  shift
  set -- serve --host 0.0.0.0 "$@"
fi
exec svc "$@"
