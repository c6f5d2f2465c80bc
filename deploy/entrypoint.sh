#!/bin/sh
# Starts one part of the studio: web, worker, worlds, or any command of `worldwright studio`.
set -eu
part=${1:-web}
[ "$#" -eq 0 ] || shift
case $part in
  web)
    exec uvicorn studio.asgi:application --host 0.0.0.0 --port 8000 --workers "${WEB_PROCESSES:-2}" \
      --lifespan off --timeout-keep-alive 75 --no-access-log --no-proxy-headers --timeout-graceful-shutdown 5 "$@" ;;
  worker) exec worldwright studio worker "$@" ;;
  worlds)
    [ "$#" -gt 0 ] || set -- "$WORLDWRIGHT_VAR"/bundles/native/*.zip
    exec worldwright serve --host 0.0.0.0 --port 8848 "$@" ;;
  *) exec worldwright studio "$part" "$@" ;;
esac
