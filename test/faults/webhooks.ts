import { types } from '../../src/domain/event.ts'
import { startReceiver, startSocketReceiver, verify } from '../support/receiver.ts'
import { createClient } from './client.ts'
import { badTries, type Fault } from './fault.ts'
import type { Stage } from './stage.ts'

/** What receivers may do to us, and their owners to them; the stage's own receiver gets everything all the same. */
export const webhookFaults: readonly Fault[] = [
  {
    id: 'F-47',
    what: 'receivers that fail, redirect, ask for patience, break off and say nothing, under load',
    async inject(stage, random) {
      const failing = startReceiver(() =>
        random.pick([
          () => new Response(null, { status: 500 }),
          () => Response.redirect('http://127.0.0.1:1/', 301),
          () => new Response(null, { status: 429, headers: { 'retry-after': '1' } }),
          () => new Response('x'.repeat(10_000_000)),
        ])(),
      )
      const breaking = await startSocketReceiver((socket) => socket.resetAndDestroy())
      const silent = await startSocketReceiver(() => {})
      const hooks = await Promise.all(
        [failing, breaking, silent].map(({ url }) => subscribe(stage, url)),
      )
      const tries = await stage.underLoad(random, () => Bun.sleep(8_000))
      await Promise.all(hooks.map(({ remove }) => remove()))
      breaking.stop()
      silent.stop()
      await failing.stop()
      return badTries(tries, false)
    },
  },
  {
    id: 'F-48',
    what: 'a receiver that is dead throughout: it delays nobody else',
    async inject(stage, random) {
      const hook = await subscribe(stage, 'http://127.0.0.1:1/')
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
      await hook.remove()
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

/** An attempt may start so long after its webhook was last seen, and travel a while. */
const graceMs = 1_000

async function subscribe({ topology, account }: Stage, url: string) {
  const client = createClient(topology.http, account.v1Key)
  const { data } = await client.call('POST', '/v1/webhooks', { url, events: types })
  const path = `/v1/webhooks/${data.id}`
  return {
    secret: data.secret as string,
    async rotate(): Promise<string> {
      const key = crypto.randomUUID()
      return (await client.call('POST', `${path}/rotate-secret`, {}, key)).data.secret
    },
    async remove() {
      await client.call('DELETE', path)
    },
  }
}
