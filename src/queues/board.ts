import { join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { Queue } from 'bullmq'
import type { JobQueue } from './backend.ts'

export type BoardPage = {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** The board's page, or what it asks for, at a path below its own; null: there is nothing. */
export type Board = {
  page(path: string, query: Readonly<Record<string, string>>): Promise<BoardPage | null>
}

/**
 * What waits and runs in the queues, on Redis or PostgreSQL, to look at and not to touch: only what bull-board answers to GET is
 * there. Jobs are no more than hints, and PostgreSQL knows all due work: there is nothing that an operator would have to repair here.
 * `basePath` is where it is served, `queues` is asked once, at the first look.
 */
export function createBoard(basePath: string, queues: () => readonly JobQueue[]): Board {
  let opened: Board | undefined
  return {
    page(path, query) {
      opened ??= openBoard(basePath, queues())
      return opened.page(path, query)
    },
  }
}

type Adapter = Parameters<typeof createBullBoard>[0]['serverAdapter']
type Shown = Parameters<Adapter['setQueues']>[0]
type Config = Parameters<Adapter['setUIConfig']>[0]
type View = Parameters<Adapter['setEntryRoute']>[0]
type Route = Parameters<Adapter['setApiRoutes']>[0][number]

const uiBasePath = fileURLToPath(new URL('.', import.meta.resolve('@bull-board/ui/package.json')))
const uiConfig = { boardTitle: 'Quittance queues', hideRedisDetails: true }

function openBoard(basePath: string, queues: readonly JobQueue[]): Board {
  const board = {} as { queues: Shown; config: Config; entry: View; routes: readonly Route[] }
  const serverAdapter: Adapter = {
    setQueues: (queues) => keep({ queues }),
    setUIConfig: (config) => keep({ config }),
    setEntryRoute: (entry) => keep({ entry }),
    setApiRoutes: (routes) => keep({ routes: routes.filter(({ method }) => method === 'get') }),
    // Where files are and how errors read is ours to know.
    setViewsPath: () => serverAdapter,
    setStaticPath: () => serverAdapter,
    setErrorHandler: () => serverAdapter,
  }

  function keep(part: Partial<typeof board>): Adapter {
    Object.assign(board, part)
    return serverAdapter
  }

  createBullBoard({
    // What the backend opens are BullMQ's queues; our type names no more of them than we use.
    queues: queues.map(
      (queue) => new BullMQAdapter(queue as unknown as Queue, { readOnlyMode: true }),
    ),
    serverAdapter,
    options: { uiBasePath, uiConfig },
  })

  async function entryPage(): Promise<BoardPage> {
    const { name, params } = board.entry.handler({ basePath, uiConfig: board.config })
    const template = await Bun.file(join(uiBasePath, 'dist', name)).text()
    const filled = template.replace(/<%[=-] *(\w+) *%>/g, (_, key) => params[key] ?? '')
    // Nothing is loaded from elsewhere: the fonts it would like are a matter of taste.
    const body = filled.replace(/<link href="https:[^>]*>/g, '')
    return { status: 200, contentType: 'text/html; charset=utf-8', body }
  }

  return {
    async page(path, query) {
      if (path.startsWith('/static/')) return staticFile(path)
      if (paramsOf(board.entry.route, path)) return entryPage()
      for (const { route, handler } of board.routes) {
        const params = paramsOf(route, path)
        if (!params) continue
        const request = { queues: board.queues, uiConfig: board.config, params, query }
        const { status = 200, body } = await handler({ ...request, body: {}, headers: {} })
        return { status, contentType: 'application/json', body: JSON.stringify(body) }
      }
      return null
    },
  }
}

async function staticFile(path: string): Promise<BoardPage | null> {
  const file = Bun.file(join(uiBasePath, 'dist', normalize(path)))
  if (!(await file.exists())) return null
  return { status: 200, contentType: file.type, body: await file.bytes() }
}

/** What `path` holds for the names in the first of the patterns that it fits; null: it fits none. */
function paramsOf(patterns: string | string[], path: string): Record<string, string> | null {
  for (const pattern of [patterns].flat()) {
    const look = new RegExp(`^${pattern.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
    const found = look.exec(path)
    if (found) return Object.fromEntries(Object.entries(found.groups ?? {}).map(decoded))
  }
  return null
}

function decoded([name, value]: [string, string]): [string, string] {
  try {
    return [name, decodeURIComponent(value)]
  } catch {
    return [name, value]
  }
}
