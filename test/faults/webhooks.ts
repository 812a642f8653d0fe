import type { Socket } from 'node:net'
import { types } from '../../src/domain/webhooks/events.ts'
import { type Received, startReceiver, startSocketReceiver, verify } from '../support/receiver.ts'
import type { Process, Topology } from '../support/topology.ts'
import { eventually } from '../support/wait.ts'
import { createClient } from './client.ts'
import { crowd } from './crowd.ts'
import { badTries, type Fault } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'
import { percentile } from './steady.ts'

/** Faults of receivers and of their owners. The stage's own receiver must still get every event. */
export const webhookFaults: readonly Fault[] = [
  {
    id: 'F-47',
    what: 'receivers that fail, redirect, never end, drip, break off, say nothing or are gone, under load',
    async inject(stage, random) {
      const { topology, share, receiver } = stage
      const before = memoryOf(topology.workers)
      await stage.underLoad(random.fork('before'), () => Bun.sleep(share(20_000)))
      const usualMb = await before.stop()
      const bad = await badReceivers(random)
      const hooks = await Promise.all(bad.urls.map((url) => subscribe(stage, url)))
      const during = memoryOf(topology.workers)
      const from = receiver.received.length
      const tries = await stage.underLoad(random, () => Bun.sleep(share(40_000)))
      const lags = receiver.received.slice(from).map(lagOf)
      const mostMb = await during.stop()
      const isGone = (await hooks[bad.urls.indexOf(bad.goneUrl)]?.isActive()) === false
      await Promise.all(hooks.map(({ remove }) => remove()))
      const { longestMs, mostBytes } = await bad.stop()
      stage.note(
        `workers: ${usualMb} MB before, ${mostMb} MB with them; at most ${mostBytes} bytes of an endless body taken`,
      )
      return [
        ...badTries(tries, false),
        ...stage.measured('95 % of the deliveries to others', percentile(lags, 95), 2_000),
        ...stage.measured('the longest connection that dripped or said nothing', longestMs, 15_000),
        ...(mostMb - usualMb > memoryLimitMb ? [`workers grew by ${mostMb - usualMb} MB`] : []),
        ...(mostBytes > takenLimitBytes ? [`${mostBytes} bytes of a body were taken`] : []),
        ...(isGone ? [] : ['a webhook whose receiver is gone is still active']),
      ]
    },
  },
  {
    id: 'F-48',
    what: 'thousands of deliveries due to a dead receiver: they delay nobody else',
    async inject(stage, random) {
      const hooks = await Promise.all(
        Array.from({ length: stage.share(40) }, () => subscribe(stage, 'http://127.0.0.1:1/')),
      )
      await crowd(stage, stage.share(250))
      const tries = await stage.underLoad(random, () => Bun.sleep(5_000))
      const isBehind = async () =>
        (
          await stage.topology
            .sql`select from delivery_batches join webhooks on webhooks.id = webhook_id
            where due_at is not null and url = ${stage.receiver.url}`
        ).length > 0
      const deadlineMs = performance.now() + 20_000
      while ((await isBehind()) && performance.now() < deadlineMs) await Bun.sleep(200)
      const problems = (await isBehind()) ? ['another receiver still waits for its deliveries'] : []
      await Promise.all(hooks.map(({ remove }) => remove()))
      return [...badTries(tries, false), ...problems]
    },
  },
  {
    id: 'F-49',
    what: 'a webhook deleted while more than a hundred deliveries are due to it',
    async inject(stage, random) {
      const { topology, share } = stage
      const receiver = startReceiver(async () => {
        await Bun.sleep(1_000)
        return new Response(null, { status: 503 })
      })
      const hook = await subscribe(stage, receiver.url)
      let deletedMs = Number.POSITIVE_INFINITY
      let due = 0
      const tries = await stage.underLoad(random, async () => {
        await crowd(stage, share(300))
        due = await dueTo(topology, receiver.url)
        await hook.remove()
        deletedMs = performance.now()
        await Bun.sleep(5_000)
      })
      await receiver.stop()
      const lastMs = Math.max(...receiver.received.map(({ atMs }) => atMs))
      stage.note(`${due} deliveries were due, ${receiver.received.length} attempts made`)
      return [
        ...badTries(tries, false),
        ...stage.measured('the last attempt came after the answer', lastMs - deletedMs, 100),
        ...(due >= share(100) ? [] : [`only ${due} deliveries were due`]),
      ]
    },
  },
  {
    id: 'F-50',
    what: 'one secret after another rotated during delivery',
    async inject(stage, random) {
      const receiver = startReceiver()
      const hooks = await Promise.all(
        Array.from({ length: 4 }, () => subscribe(stage, receiver.url)),
      )
      const secrets = hooks.map(({ secret }) => secret)
      const tries = await stage.underLoad(random, async () => {
        for (const hook of hooks) {
          secrets.push(await hook.rotate())
          await Bun.sleep(random.between(300, 1_500))
        }
      })
      for (const hook of hooks) await hook.remove()
      await receiver.stop()
      const bad = receiver.received.filter((one) => {
        const verdicts = secrets.map((secret) => verify(one, secret))
        return !verdicts.some(({ plain }) => plain) || !verdicts.some(({ standard }) => standard)
      })
      return [
        ...badTries(tries, false),
        ...(bad.length > 0 ? [`${bad.length} deliveries verify with no secret`] : []),
        ...(receiver.received.length === 0 ? ['nothing was delivered'] : []),
      ]
    },
  },
]

/** The plan allows 50, but a process's memory varies by about that much by itself. */
const memoryLimitMb = 100
/** The service reads 64 kB; the rest is in the buffers of sockets. */
const takenLimitBytes = 16 * 1_024 * 1_024
const longMb = 100

/**
 * Receivers that fail in every way: errors, redirects, endless, slow or broken answers, silence,
 * 410.
 */
async function badReceivers(random: Random) {
  const sent: number[] = []
  const failing = startReceiver(() =>
    random.pick([
      () => new Response(null, { status: 500 }),
      () => Response.redirect('http://127.0.0.1:1/', 301),
      () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
      () => new Response(bodyOf(Number.POSITIVE_INFINITY, sent)),
      () => new Response(bodyOf(longMb * 1_024 * 1_024, sent)),
    ])(),
  )
  const gone = startReceiver(() => new Response(null, { status: 410 }))
  const breaking = await startSocketReceiver((socket) => socket.resetAndDestroy())
  const heldMs: number[] = []
  const dripping = await startSocketReceiver((socket) => drip(timed(socket, heldMs)))
  const silent = await startSocketReceiver((socket) => void timed(socket, heldMs))
  return {
    goneUrl: gone.url,
    urls: [gone, failing, breaking, dripping, silent].map(({ url }) => url),
    /** Answers the longest time a slow connection lasted, and the most bytes taken from a body. */
    async stop() {
      await eventually(() => dripping.count().open + silent.count().open === 0, 60_000)
      for (const receiver of [breaking, dripping, silent]) receiver.stop()
      await Promise.all([failing.stop(), gone.stop()])
      return { longestMs: Math.max(0, ...heldMs), mostBytes: Math.max(0, ...sent) }
    },
  }
}

/**
 * A body of `bytes` bytes, produced only as it is read. It records in `sent` how much was taken.
 */
function bodyOf(bytes: number, sent: number[]): ReadableStream {
  const place = sent.push(0) - 1
  return new ReadableStream({
    pull(controller) {
      const taken = sent[place] ?? 0
      if (taken >= bytes) return controller.close()
      sent[place] = taken + 65_536
      controller.enqueue(new Uint8Array(65_536))
    },
  })
}

/** Answers with one byte per second. */
function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
  const drops = setInterval(() => socket.write('x'), 1_000)
  socket.once('close', () => clearInterval(drops))
}

function timed(socket: Socket, heldMs: number[]): Socket {
  const openedMs = performance.now()
  return socket.once('close', () => heldMs.push(performance.now() - openedMs))
}

/** The milliseconds from the creation of an event to its arrival at the receiver. */
function lagOf({ atMs, body }: Received): number {
  return performance.timeOrigin + atMs - Date.parse(JSON.parse(body).createdAt)
}

/**
 * Samples every second the memory of the largest of these processes. Answers the 75th percentile of
 * the samples, in MB.
 */
function memoryOf(processes: readonly Process[]): { stop(): Promise<number> } {
  const seenMb: number[] = []
  const look = async () => {
    const texts = await Promise.all(
      processes.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()),
    )
    const bytes = texts.map((text) => /^process_resident_memory_bytes (\S+)/m.exec(text)?.[1])
    seenMb.push(Math.max(...bytes.map(Number)) / 1_048_576)
  }
  const timer = setInterval(look, 1_000)
  return {
    async stop() {
      clearInterval(timer)
      await look()
      return Math.round(percentile(seenMb, 75))
    },
  }
}

async function dueTo({ sql }: Topology, url: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(cardinality(places)), 0)::int as count from delivery_batches join webhooks on webhooks.id = webhook_id
    where due_at is not null and url = ${url}`
  return row?.count ?? 0
}

/** Creates a webhook of the stage's account for every event. */
export async function subscribe({ topology, account }: Stage, url: string) {
  const client = createClient(topology.http, account.v1Key)
  const { data } = await client.call('POST', '/v1/webhooks', { url, events: types })
  const path = `/v1/webhooks/${data.id}`
  return {
    secret: data.secret as string,
    async rotate(): Promise<string> {
      const key = crypto.randomUUID()
      return (await client.call('POST', `${path}/rotate-secret`, {}, key)).data.secret
    },
    async isActive(): Promise<boolean> {
      return (await client.call('GET', path)).data.active
    },
    async remove() {
      await client.call('DELETE', path)
    },
  }
}
