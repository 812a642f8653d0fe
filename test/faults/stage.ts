import { types } from '../../src/domain/webhooks/events.ts'
import type { NewAccount } from '../../src/operator/accounts.ts'
import { testSecretsKey } from '../support/app.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startTopology, type Topology } from '../support/topology.ts'
import { createClient, type Try } from './client.ts'
import { countPending, gather } from './gather.ts'
import { type Ledger, prepareLoad, startLoad } from './load.ts'
import { complaints } from './oracles.ts'
import type { Random } from './random.ts'

/**
 * The topology on which faults happen, with a receiver that records every delivery, and a ledger of
 * what callers were promised so far.
 */
export type Stage = {
  readonly topology: Topology
  readonly account: NewAccount
  readonly receiver: Receiver
  readonly ledger: Ledger
  /** This set's share of a number of rounds or milliseconds; at least 1. */
  share(ofAll: number): number
  /** Records a figure to be printed with the row. */
  note(figure: string): void
  /**
   * Records how long something took. Answers a problem only if that is several times the planned
   * time, because machines may be busy.
   */
  measured(what: string, tookMs: number, plannedMs: number): readonly string[]
  /** The figures recorded since the last call. */
  figures(): readonly string[]
  /**
   * Runs `inject` under the load of callers, and lets them finish. Answers the outcomes of their
   * attempts.
   */
  underLoad(random: Random, inject: () => Promise<unknown>): Promise<readonly Try[]>
  /** Waits until no work is pending. Answers a problem if that takes too long. */
  quiet(): Promise<readonly string[]>
  /** Waits until no work is pending, and answers the complaints of callers and oracles. */
  judge(): Promise<readonly string[]>
  stop(): Promise<void>
}

const warmUpMs = 1_500
const quietLimitMs = 300_000
/** How many times slower a machine may be than the one the plan was made for. */
const slowness = 5

/** Starts a stage for a set that runs `share` of the whole table's rounds and times. */
export async function startStage(share: number, isHa = false): Promise<Stage> {
  const topology = await startTopology({ http: 2, workers: 2, isHa })
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
  const callerProblems: string[] = []
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
      return tookMs > plannedMs * slowness ? [figure] : []
    },
    figures: () => noted.splice(0),
    async underLoad(random, inject) {
      const load = startLoad({ topology, account, ledger, random, name: `load ${++loads}` })
      try {
        await Bun.sleep(warmUpMs)
        await inject()
        await Bun.sleep(warmUpMs)
      } finally {
        callerProblems.push(...(await load.stop()))
      }
      return load.tries
    },
    quiet,
    async judge() {
      const pending = await quiet()
      const facts = await gather({
        topology,
        accountId: account.account.id,
        webhookId: webhook.id,
        received: receiver.received,
        ledger,
        secrets,
      })
      return [...callerProblems, ...pending, ...gone(topology), ...complaints(facts)]
    },
    async stop() {
      await topology.stop()
      await receiver.stop()
    },
  }
}

/**
 * Complaints about processes that are not running. Every fault restarts what it stops, so they
 * ended unasked.
 */
function gone({ http, workers }: Topology): readonly string[] {
  return [...http, ...workers]
    .filter((process) => !process.isRunning())
    .map(({ name }) => `${name} has ended by itself`)
}

function inSeconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`
}
