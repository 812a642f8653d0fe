import { plugin } from 'bun'
import ts from 'typescript-5'
import { openApi } from '../src/http/openapi/openapi.ts'
import { allRoutes } from '../src/http/server.ts'

const schemaUrl = new URL('src/schema.ts', import.meta.url)

const preamble = `// Made by \`bun run client\` from the OpenAPI document of the service.

/** The operations whose POST an \`Idempotency-Key\` makes repeatable. */
export const repeatable: ReadonlySet<string> = new Set(`

/** The text of `src/schema.ts`: types of every path, request and answer of the service. */
export async function schemaText(): Promise<string> {
  const document = openApi(allRoutes())
  const { default: openapiTypescript, astToString } = await generator()
  const types = await openapiTypescript(document)
  return `${preamble}${JSON.stringify(repeatableOf(document), null, 2)})\n\n${astToString(types)}`
}

/** The generator prints with the compiler's own API, which TypeScript 7 no longer has. */
function generator() {
  plugin({
    name: 'typescript-5',
    setup(build) {
      build.module('typescript', () => ({ loader: 'object', exports: { default: ts } }))
    },
  })
  return import('openapi-typescript')
}

type Document = {
  readonly paths: Readonly<
    Record<string, { readonly post?: { readonly parameters: readonly { $ref?: string }[] } }>
  >
}

function repeatableOf(document: string): readonly string[] {
  const { paths } = JSON.parse(document) as Document
  return Object.entries(paths)
    .filter(([, { post }]) =>
      post?.parameters.some(({ $ref }) => $ref === '#/components/parameters/IdempotencyKey'),
    )
    .map(([path]) => path)
}

if (import.meta.main) await Bun.write(schemaUrl, await schemaText())
