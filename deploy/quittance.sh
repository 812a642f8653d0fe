#!/bin/sh
# `quittance <command>` in the image, which has bun and no Node.
exec bun --no-env-file --no-install /opt/quittance/quittance.js "$@"
