import createFetchClient, {
  type ClientPathsWithMethod,
  type Client as FetchClient,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch'
import { QuittanceError } from './error.ts'
import { fetchWithRetries } from './retry.ts'
import { type paths, repeatable } from './schema.ts'

export type ClientOptions = {
  /** The base URL of the service, such as `https://quittance.example`. */
  readonly url: string
  /** An API key, `sk_…` or `inv_…`; some paths need none. */
  readonly key?: string
  /** The maximum number of retries per request; 3 if absent. */
  readonly maxRetries?: number
  readonly fetch?: (request: Request) => Promise<Response>
}

/** One method per HTTP verb. All reject with `QuittanceError` if the answer is not 2xx. */
export type Client = {
  readonly GET: Call<'get'>
  readonly POST: Call<'post'>
  readonly PUT: Call<'put'>
  readonly PATCH: Call<'patch'>
  readonly DELETE: Call<'delete'>
  /** All items of a list. Each page is fetched when its first item is asked for. */
  list<Path extends ListPath>(
    path: Path,
    ...init: Needed<MaybeOptionalInit<paths[Path], 'get'>>
  ): AsyncGenerator<Item<Path>, void>
}

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete'

type PathOf<Method extends Verb> = ClientPathsWithMethod<FetchClient<paths>, Method>

type Call<Method extends Verb> = <
  Path extends PathOf<Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: Needed<Init>
) => Promise<Answer<paths[Path][Method], Init>>

/** The argument `init`, optional if none of its members is required. */
type Needed<Init> = undefined extends Init ? [init?: Init] : [init: Init]

// Not by the absence of `error`: without `exactOptionalPropertyTypes` that matches both arms.
type Answer<Operation, Init> = Extract<
  FetchResponse<Operation & Record<string, unknown>, Init, 'application/json'>,
  { readonly data: unknown }
>

/** The answer of a list, in every family of paths. */
type Page<Item = unknown> = { readonly data: readonly Item[]; readonly nextCursor: string | null }

type DataOf<Path extends PathOf<'get'>> = Answer<paths[Path]['get'], undefined>['data']

type ListPath = {
  [Path in PathOf<'get'>]: DataOf<Path> extends Page ? Path : never
}[PathOf<'get'>]

type Item<Path extends ListPath> = DataOf<Path> extends Page<infer One> ? One : never

/**
 * Makes a client of one service. It adds an `Idempotency-Key` to every POST that supports one and
 * has none.
 */
export function createClient(options: ClientOptions): Client {
  const { url, key, maxRetries = 3, fetch = (request) => globalThis.fetch(request) } = options
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: url,
    headers: { ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    fetch: (request) => fetchWithRetries(request, { fetch, maxRetries }),
  })
  client.use({
    onRequest({ request, schemaPath }) {
      const takesKey = request.method === 'POST' && repeatable.has(schemaPath)
      if (takesKey && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID())
    },
    async onResponse({ response }) {
      if (!response.ok) throw new QuittanceError(response, await response.text())
    },
  })
  // Every answer that is not ok was thrown, so `data` is always present; openapi-fetch cannot
  // express that.
  const { GET, POST, PUT, PATCH, DELETE } = client as unknown as Omit<Client, 'list'>
  const every = (path: string, init?: Init) => list(GET as unknown as Get, path, init)
  return { GET, POST, PUT, PATCH, DELETE, list: every as Client['list'] }
}

type Init = { readonly params?: { readonly query?: Readonly<Record<string, unknown>> } }
type Get = (path: string, init: Init) => Promise<{ readonly data: Page }>

async function* list(get: Get, path: string, init: Init = {}) {
  let cursor: string | null = null
  do {
    const query: Init['params'] = { query: { ...init.params?.query, ...(cursor && { cursor }) } }
    const { data } = await get(path, { ...init, params: { ...init.params, ...query } })
    yield* data.data
    cursor = data.nextCursor
  } while (cursor !== null)
}
