import type { Socket } from 'node:net'
import { types } from '../../src/domain/event.ts'
import { startReceiver, startSocketReceiver, verify } from '../support/receiver.ts'
import { createClient } from './client.ts'
import { crowd } from './crowd.ts'
import { badTries, type Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** What receivers may do to us, and their owners to them; the stage's own receiver gets everything all the same. */
export const webhookFaults: readonly Fault[] = [
  {
    id: 'F-47',
    what: 'receivers that fail, redirect, never end, drip, break off, say nothing or are gone, under load',
    async inject(stage, random) {
      const failing = startReceiver(() =>
        random.pick([
          () => new Response(null, { status: 500 }),
          () => Response.redirect('http://127.0.0.1:1/', 301),
          () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
          () => new Response(endless()),
        ])(),
      )
      const gone = startReceiver(() => new Response(null, { status: 410 }))
      const breaking = await startSocketReceiver((socket) => socket.resetAndDestroy())
      const dripping = await startSocketReceiver(drip)
      const silent = await startSocketReceiver(() => {})
      const hooks = await Promise.all(
        [gone, failing, breaking, dripping, silent].map(({ url }) => subscribe(stage, url)),
      )
      const tries = await stage.underLoad(random, () => Bun.sleep(stage.share(40_000)))
      const isGone = (await hooks[0]?.isActive()) === false
      await Promise.all(hooks.map(({ remove }) => remove()))
      breaking.stop()
      dripping.stop()
      silent.stop()
      await Promise.all([failing.stop(), gone.stop()])
      return [
        ...badTries(tries, false),
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
    what: 'a webhook deleted while much is due to it',
    async inject(stage, random) {
      const receiver = startReceiver(async () => {
        await Bun.sleep(20)
        return new Response(null, { status: 204 })
      })
      const hook = await subscribe(stage, receiver.url)
      let deletedMs = Number.POSITIVE_INFINITY
      const tries = await stage.underLoad(random, async () => {
        await Bun.sleep(3_000)
        await hook.remove()
        deletedMs = performance.now()
        await Bun.sleep(3_000)
      })
      await receiver.stop()
      const late = receiver.received.filter(({ atMs }) => atMs > deletedMs + graceMs)
      return [
        ...badTries(tries, false),
        ...(late.length > 0 ? [`${late.length} attempts began after the deletion`] : []),
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

/** A body that goes on for as long as somebody reads it. */
function endless(): ReadableStream {
  return new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
  })
}

/** An answer of a byte a second. */
function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
  const drops = setInterval(() => socket.write('x'), 1_000)
  socket.once('close', () => clearInterval(drops))
}

/** An attempt may start so long after its webhook was last seen, and travel a while. */
const graceMs = 1_000

/** A webhook of the stage's account for every event. */
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
