import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { Elysia } from 'elysia'
import { packageFile } from '../../files.ts'
import { memoize } from '../../scheduling/cache.ts'
import type { Operations } from '../operation.ts'
import { readableAnywhere } from '../response/cross-origin.ts'
import { tagOf, unlessKnown } from '../response/etag.ts'
import { openApi, type Route } from './openapi.ts'

/** Serves `/openapi.json`, and `/docs`, which shows it and loads nothing from other hosts. */
export function docsRoutes(operation: Operations, routes: readonly Route[]) {
  let document: ReturnType<typeof write> | undefined
  return new Elysia()
    .get(
      '/openapi.json',
      operation({ scope: null, headers: readableAnywhere }, ({ request }) => {
        document ??= write(routes)
        const { text, tag } = document
        return unlessKnown(request, tag, 'no-cache', () => ({ status: 200, body: text }))
      }),
    )
    .get(
      '/docs',
      operation({ scope: null }, () => ({ status: 200, body: page, headers: pageHeaders })),
    )
    .get(
      '/docs/scalar.js',
      operation({ scope: null }, async ({ request }) => {
        const { bytes, tag } = await packedScript()
        return unlessKnown(request, tag, 'no-cache', () => ({
          status: 200,
          body: bytes,
          headers: scriptHeaders,
        }))
      }),
    )
}

// Not at start: it takes longer than making all the routes, and few processes are asked for it.
function write(routes: readonly Route[]) {
  const text = openApi(routes)
  return { text, tag: tagOf(text) }
}

// Of Scalar's packages, only this one ships the script as a file and few dependencies.
const scriptFile = packageFile('@scalar/fastify-api-reference', 'dist/js/standalone.js')

const packedScript = memoize(pack)

async function pack() {
  const plain = await Bun.file(scriptFile).bytes()
  const bytes = new Uint8Array(await promisify(gzip)(plain))
  return { bytes, tag: tagOf(bytes) }
}

const configuration = {
  theme: 'default',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quittance API</title>
</head>
<body>
<script id="api-reference" data-url="/openapi.json" data-configuration='${JSON.stringify(configuration)}'></script>
<script src="/docs/scalar.js"></script>
</body>
</html>
`

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  // Scalar styles its elements inline; everything else, and every request, stays on this host.
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
    "font-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

const scriptHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'content-encoding': 'gzip',
  'x-content-type-options': 'nosniff',
}
