#!/bin/sh
# Makes what compose.yaml needs: secrets, which stay as they are where they are there already, and .env.
#   sh setup.sh ../my-repository
# Keys of model vendors are taken from ANTHROPIC_API_KEY and OPENAI_API_KEY, or written into secrets/ later.
set -eu
umask 077
project=$(cd "${1:?name the folder that agents work on: sh setup.sh ../my-repository}" && pwd)
cd "$(dirname "$0")"

# The owner of the project is who svc is in its containers, so that what agents write is theirs and git works there.
owner=$(stat -c %u:%g "$project")
if [ "${owner%%:*}" = 0 ]; then
  echo "$project is root's: svc does not run as root. Give it to somebody: chown -R 1000:1000 $project" >&2
  exit 1
fi
if [ "$(id -u)" != 0 ] && [ "$(id -u)" != "${owner%%:*}" ]; then
  echo "$project is of user ${owner%%:*}, who has to read the secrets: run this as that user, or as root" >&2
  exit 1
fi

mkdir -p config data secrets
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
[ -s secrets/service-keys ] || random > secrets/service-keys
[ -s secrets/database-password ] || random > secrets/database-password
[ -s secrets/database-url ] || printf 'postgres://svc:%s@database:5432/svc' "$(cat secrets/database-password)" > secrets/database-url
[ -s secrets/anthropic-api-key ] || printf '%s' "${ANTHROPIC_API_KEY:-}" > secrets/anthropic-api-key
[ -s secrets/openai-api-key ] || printf '%s' "${OPENAI_API_KEY:-}" > secrets/openai-api-key
# A container sees a file with the owner that it has here.
[ "$(id -u)" != 0 ] || chown "$owner" data secrets/*

[ -s config/svc.config.json ] || echo '{}' > config/svc.config.json
chmod -R a+rX config
touch .env
grep -q '^GRAFANA_PASSWORD=' .env || printf 'GRAFANA_PASSWORD=%s\n' "$(random)" >> .env
grep -v -e '^SVC_PROJECT=' -e '^SVC_USER=' .env > .env.new || true
printf 'SVC_PROJECT=%s\nSVC_USER=%s\n' "$project" "$owner" >> .env.new
mv .env.new .env
[ -s secrets/anthropic-api-key ] || [ -s secrets/openai-api-key ] ||
  echo "No model key yet: write one into secrets/anthropic-api-key or secrets/openai-api-key, or name a server by SVC_MODEL_BASE_URL in .env." >&2
echo "Agents work on $project. Next: docker compose up --build --detach --wait"
