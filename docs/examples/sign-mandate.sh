#!/bin/sh
# Signs a mandate with curl, sed and openssl: the service writes the canonical bytes, the secret stays here. Reads one JSON object from
# standard input, {id, proposer_agent_id, counterparty_agent_id, scope, terms, expires_at}, and prints the signature for
# POST /v1/mandates/{id}/sign. Look at the bytes before you sign them: CANONICAL=1 prints them instead.
#
#   BASE_URL=https://… API_KEY=sk_… SIGNING_SECRET=… sh docs/examples/sign-mandate.sh < mandate.json
set -eu
LC_ALL=C
export LC_ALL

answer=$(curl --silent --show-error --fail-with-body "$BASE_URL/v1/mandates/canonicalize" \
  -H "x-api-key: $API_KEY" -H 'content-type: application/json' --data-binary @-)

# In the answer the bytes are a JSON string. As they hold no control characters, only quotes and backslashes were escaped.
canonical() {
  printf '%s\n' "$answer" | sed -e 's/^{"success":true,"data":{"canonical":"//' -e 's/","hash":"0x[0-9a-f]*"}}$//' \
    -e 's/\\\(["\\]\)/\1/g' | tr -d '\n'
}

if [ -n "${CANONICAL:-}" ]; then
  canonical
else
  canonical | openssl dgst -sha256 -hmac "$SIGNING_SECRET" | sed 's/^.*= *//'
fi
