import { types } from '../../src/domain/event.ts'
import type { NewAccount } from '../../src/operator/accounts.ts'
import { testSecretsKey } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTopology, type Topology } from '../support/topology.ts'
import { createClient, type Try } from './client.ts'
import { countPending, gather } from './gather.ts'
import { type Ledger, prepareLoad, startLoad } from './load.ts'
import { complaints } from './oracles.ts'
import type { Random } from './random.ts'

/** The topology under load, with a receiver that keeps every byte, and what was promised to callers so far. */
export type Stage = {
  readonly topology: Topology
  readonly account: NewAccount
  readonly receiver: Receiver
  readonly ledger: Ledger
  /** This set's share of so many rounds, or milliseconds; at least one. */
  share(ofAll: number): number
  /** Keeps a figure, to be shown with the row. */
  note(figure: string): void
  /** Keeps how long something took; complains where that is far more than the plan of faults has it: machines are busy. */
  measured(what: string, tookMs: number, plannedMs: number): readonly string[]
  /** The figures kept since they were asked for last. */
  figures(): readonly string[]
  /** Runs `inject` while callers do their business, and lets them finish; what their tries came to. */
  underLoad(random: Random, inject: () => Promise<unknown>): Promise<readonly Try[]>
  /** Waits until nothing more happens by itself; complains when that does not come. */
  quiet(): Promise<readonly string[]>
  /** Waits likewise, and answers what callers and oracles then complain about. */
  judge(): Promise<readonly string[]>
  stop(): Promise<void>
}

const warmUpMs = 1_500
const quietLimitMs = 300_000
/** A machine may be so many times slower than the one the plan was made for. */
const patience = 5

/** Starts it for a set that does `share` of what the whole table does. */
export async function startStage(share: number): Promise<Stage> {
  const topology = await startTopology({ http: 2, workers: 2 })
  const account = await topology.newAccount('Load')
  const receiver = startReceiver()
  const client = createClient(topology.http, account.v1Key)
  const { data: webhook } = await client.call('POST', '/v1/webhooks', {
    url: receiver.url,
    events: types,
  })
  await prepareLoad(topology, account)
  const ledger: Ledger = { invoices: [], paidInvoiceIds: [], mandates: [] }
  const secrets = [account.apiKey, account.v1Key, account.signingSecret, testSecretsKey]
  const discontent: string[] = []
  const noted: string[] = []
  let loads = 0

  async function quiet(): Promise<readonly string[]> {
    const deadlineMs = performance.now() + quietLimitMs
    for (;;) {
      const pending = await countPending(topology.sql, ledger.paidInvoiceIds)
      if (Object.values(pending).every((count) => count === 0)) return []
      if (performance.now() > deadlineMs) return [`never quiet: ${JSON.stringify(pending)}`]
      await Bun.sleep(250)
    }
  }

  return {
    topology,
    account,
    receiver,
    ledger,
    share: (ofAll) => Math.max(1, Math.round(ofAll * share)),
    note: (figure) => void noted.push(figure),
    measured(what, tookMs, plannedMs) {
      const figure = `${what}: ${inSeconds(tookMs)}, planned ${inSeconds(plannedMs)}`
      noted.push(figure)
      return tookMs > plannedMs * patience ? [figure] : []
    },
    figures: () => noted.splice(0),
    async underLoad(random, inject) {
      const load = startLoad({ topology, account, ledger, random, name: `load ${++loads}` })
      try {
        await Bun.sleep(warmUpMs)
        await inject()
        await Bun.sleep(warmUpMs)
      } finally {
        discontent.push(...(await load.stop()))
      }
      return load.tries
    },
    quiet,
    async judge() {
      const unrest = await quiet()
      const facts = await gather({
        topology,
        accountId: account.account.id,
        webhookId: webhook.id,
        received: receiver.received,
        ledger,
        secrets,
      })
      return [...discontent, ...unrest, ...gone(topology), ...complaints(facts)]
    },
    async stop() {
      await topology.stop()
      await receiver.stop()
    },
  }
}

/** Whatever a fault ends it starts again: who is not there has ended by himself. */
function gone({ http, workers }: Topology): readonly string[] {
  return [...http, ...workers]
    .filter((process) => !process.isRunning())
    .map(({ name }) => `${name} has ended by itself`)
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
