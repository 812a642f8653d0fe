import { dirname, join, normalize } from 'node:path'
import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import type { Queue } from 'bullmq'
import { packageFile } from '../files.ts'
import type { JobQueue } from './backends/backend.ts'

export type BoardPage = {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array<ArrayBuffer>
}

/** The operators' page on the queues. `page` returns null where nothing is served at a path. */
export type Board = {
  page(path: string, query: Readonly<Record<string, string>>): Promise<BoardPage | null>
}

/** A read-only view of waiting and running jobs: only bull-board's GET routes are served. */
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

const uiFolder = packageFile('@bull-board/ui', 'dist')
const uiConfig = {
  boardTitle: 'Quittance queues',
  hideRedisDetails: true,
  // BullMQ tells workers by their connections, which ours share: it would say that there are none.
  showWorkers: false,
}

function openBoard(basePath: string, queues: readonly JobQueue[]): Board {
  const board = {} as { queues: Shown; config: Config; entry: View; routes: readonly Route[] }
  const serverAdapter: Adapter = {
    setQueues: (queues) => keep({ queues }),
    setUIConfig: (config) => keep({ config }),
    setEntryRoute: (entry) => keep({ entry }),
    setApiRoutes: (routes) => keep({ routes: routes.filter(({ method }) => method === 'get') }),
    setViewsPath: () => serverAdapter,
    setStaticPath: () => serverAdapter,
    setErrorHandler: () => serverAdapter,
  }

  function keep(part: Partial<typeof board>): Adapter {
    Object.assign(board, part)
    return serverAdapter
  }

  createBullBoard({
    // The backend opens BullMQ's own queues; our type declares only the methods we use.
    queues: queues.map(
      (queue) => new BullMQAdapter(queue as unknown as Queue, { readOnlyMode: true }),
    ),
    serverAdapter,
    options: { uiBasePath: dirname(uiFolder), uiConfig },
  })

  async function entryPage(): Promise<BoardPage> {
    const { name, params } = board.entry.handler({ basePath, uiConfig: board.config })
    const template = await Bun.file(join(uiFolder, name)).text()
    const filled = template.replace(/<%[=-] *(\w+) *%>/g, (_, key) => params[key] ?? '')
    // Nothing is loaded from elsewhere, so the remote fonts go.
    const body = filled.replace(/<link href="https:[^>]*>/g, '')
    return { status: 200, contentType: 'text/html; charset=utf-8', body }
  }

  return {
    async page(path, query) {
      // PostgreSQL refuses it in a text.
      if (path.includes('%00')) return null
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
  const file = Bun.file(join(uiFolder, normalize(path)))
  if (!(await file.exists())) return null
  return { status: 200, contentType: file.type, body: await file.bytes() }
}

/** The parameters of `path` under the first pattern that matches. */
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
