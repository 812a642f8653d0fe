import type { Principal } from '../domain/accounts/account.ts'
import { DomainError } from '../domain/error.ts'
import { ownersOf } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'

/** What changes besides invoices; each process reports its own changes only. */
export type Matter = 'mandates' | 'budgets' | 'deliveries'

export type Live = ReturnType<typeof createLive>

type Listener = Pick<Principal, 'accountId' | 'scopes'>

type Stream = Listener & {
  send(text: string): void
  end(): void
}

const mostPerAccount = 20
const gatherMs = 250
/** The most invoices named in a message; more are reported as missed. */
const mostIds = 100
/** Unread messages after which a reader counts as gone. */
const mostUnread = 64

const encoder = new TextEncoder()
const beat = ': still here\n\n'
const everything = 'event: missed\ndata: {}\n\n'

export function createLive(parts: {
  readonly sql: Sql
  readonly onFault: (error: unknown) => void
  readonly beatEveryMs?: number
}) {
  const { sql, onFault, beatEveryMs = 5_000 } = parts
  const streams = new Set<Stream>()
  let changedIds = new Set<string>()
  let touchedMatters = new Map<string, Set<Matter>>()
  let gathering: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  /**
   * A stream of the changes in the listener's account. It ends once `isAllowed`, called at every
   * heartbeat, resolves to false; a rejection is ignored. Errors: `rate_limited` when the account
   * has too many streams, `overloaded` while the process stops.
   */
  function open(listener: Listener, isAllowed: () => Promise<boolean>): ReadableStream<Uint8Array> {
    if (isClosed) throw new DomainError('overloaded', 'The service is stopping')
    const { accountId } = listener
    const siblings = [...streams].filter((stream) => stream.accountId === accountId)
    if (siblings.length >= mostPerAccount) {
      throw new DomainError('rate_limited', 'This account has too many live streams', {
        retryAfterSeconds: 30,
      })
    }
    return streamTo((controller) => {
      const stream = streamOf(listener, controller, () => {
        clearInterval(timer)
        streams.delete(stream)
      })
      const timer = setInterval(async () => {
        if (!(await isAllowed().catch(() => true))) stream.end()
        else stream.send(beat)
      }, beatEveryMs)
      streams.add(stream)
      stream.send('retry: 3000\n\n')
      return stream
    })
  }

  /** Reports that these invoices have changed. */
  function changed(ids: readonly string[]): void {
    if (streams.size === 0) return
    for (const id of ids) changedIds.add(id)
    gathering ??= setTimeout(report, gatherMs)
  }

  function touched(accountId: string, matter: Matter): void {
    if (streams.size === 0) return
    const matters = touchedMatters.get(accountId) ?? new Set()
    touchedMatters.set(accountId, matters.add(matter))
    gathering ??= setTimeout(report, gatherMs)
  }

  async function report(): Promise<void> {
    const [ids, matters] = [[...changedIds], touchedMatters]
    changedIds = new Set()
    touchedMatters = new Map()
    gathering = undefined
    for (const stream of streams)
      for (const matter of matters.get(stream.accountId) ?? [])
        stream.send(`event: ${matter}\ndata: {}\n\n`)
    if (ids.length > 0) await reportInvoices(ids)
  }

  async function reportInvoices(ids: readonly string[]): Promise<void> {
    try {
      const owned = new Map((await ownersOf(sql, ids)).map((one) => [one.accountId, one.ids]))
      for (const stream of streams) {
        const own = owned.get(stream.accountId)
        if (own) stream.send(messageOf(own, stream))
      }
    } catch (error) {
      onFault(error)
      missed()
    }
  }

  /** Reports that changes may have been missed: dashboards read everything again. */
  function missed(): void {
    for (const stream of streams) stream.send(everything)
  }

  function close(): void {
    isClosed = true
    clearTimeout(gathering)
    for (const stream of streams) stream.end()
  }

  return { open, changed, touched, missed, close }
}

/** An id opens the invoice's payment page, so only readers of invoices receive it. */
function messageOf(ids: readonly string[], { scopes }: Listener): string {
  if (ids.length > mostIds || !scopes.has('invoices:read')) return everything
  return `event: invoices\ndata: ${JSON.stringify(ids)}\n\n`
}

/** The bytes of the stream that `start` creates, which ends when the reader goes. */
function streamTo(start: (controller: ReadableStreamDefaultController<Uint8Array>) => Stream) {
  let stream: Stream | undefined
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stream = start(controller)
      },
      cancel: () => stream?.end(),
    },
    { highWaterMark: mostUnread },
  )
}

function streamOf(
  { accountId, scopes }: Listener,
  controller: ReadableStreamDefaultController<Uint8Array>,
  onEnd: () => void,
): Stream {
  let isOpen = true
  function end() {
    if (!isOpen) return
    isOpen = false
    onEnd()
    try {
      controller.close()
    } catch {
      // Its reader has already gone.
    }
  }
  return {
    accountId,
    scopes,
    send(text) {
      if (!isOpen) return
      if ((controller.desiredSize ?? 0) <= 0) end()
      else controller.enqueue(encoder.encode(text))
    },
    end,
  }
}
