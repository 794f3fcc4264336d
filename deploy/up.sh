#!/bin/sh
# deploy/up.sh radio.example.org: makes the secrets once, then builds and starts everything in compose.yaml.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f .env ]; then
  domain=${1:?Usage: deploy/up.sh radio.example.org}
  secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
  umask 077
  cat > .env.new <<END
DOMAIN=$domain
POSTGRES_PASSWORD=$(secret)
TURN_SECRET=$(secret)
METRICS_TOKEN=$(secret)
AWS_ACCESS_KEY_ID=pressel
AWS_SECRET_ACCESS_KEY=$(secret)
GRAFANA_PASSWORD=$(secret)
SETUP_CODE=$(secret | cut -c 1-12)
END
  mv .env.new .env
fi
# Backups are written by the app's user.
mkdir -p backups && { chown 1000:1000 backups 2>/dev/null || chmod 777 backups; }
docker compose up --detach --build --wait
. ./.env
echo "Pressel is ready at https://$DOMAIN. The first person to sign up becomes administrator, with the setup code $SETUP_CODE."
