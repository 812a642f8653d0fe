import { Redis } from 'ioredis'
import { keyOf } from '../../src/actors/payments.ts'
import { anchorEvents } from '../../src/chain/anchor/events.ts'
import type { Chain } from '../../src/chain/chain.ts'
import { chainOf } from '../../src/chain/chains.ts'
import type { RawLog } from '../../src/chain/evm/logs.ts'
import type { Network } from '../../src/domain/network.ts'
import { registry } from '../../src/domain/registry.ts'
import * as Event from '../../src/domain/webhooks/event.ts'
import { types } from '../../src/domain/webhooks/events.ts'
import { loadMany } from '../../src/storage/invoices/invoices.ts'
import { paymentAddresses } from '../../src/storage/invoices/payment-addresses.ts'
import { toText } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { misplaced } from '../support/batches.ts'
import type { Received } from '../support/receiver.ts'
import type { Topology } from '../support/topology.ts'
import type { Ledger } from './load.ts'
import type { Facts } from './oracles.ts'

/**
 * Counts the work that is still pending: events, deliveries, anchors, and paid invoices that are
 * not completed.
 */
export async function countPending(
  sql: Sql,
  paidInvoiceIds: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const [row] = await sql<Record<string, number>[]>`select
    (select count(*)::int from outbox) as events,
    (select count(*)::int from delivery_batches where due_at is not null) as deliveries,
    (select count(*)::int from anchors where state in ('pending', 'sent'))
      + (select count(*)::int from receipts where batch_id is null and revoked_at is null) as anchors,
    (select count(*)::int from invoices where id = any(${`{${paidInvoiceIds}}`}::uuid[]) and state <> 'completed') as paid`
  return row ?? {}
}

/** Collects all facts the oracles judge. */
export async function gather(stage: {
  topology: Topology
  accountId: string
  webhookId: string
  received: readonly Received[]
  ledger: Ledger
  secrets: readonly string[]
}): Promise<Facts> {
  const { topology, accountId, webhookId, received, ledger, secrets } = stage
  const { sql } = topology
  const pending = await countPending(sql, [])
  return {
    ...(await settlementFacts(topology)),
    mandates: await mandateFacts(sql),
    ...(await anchorFacts(topology)),
    waiting: (pending.events ?? 0) + (pending.deliveries ?? 0),
    ...(await deliveryFacts(sql, accountId, webhookId)),
    received: received.map(({ body }) => (JSON.parse(body) as { id: string }).id),
    ...(await budgetFacts(sql)),
    acknowledged: ledger,
    texts: await allTexts(topology, received),
    secrets,
  }
}

async function settlementFacts(topology: Topology) {
  const { sql } = topology
  const ids = await sql<{ id: string }[]>`select id from invoices`
  const invoices = await loadMany(
    sql,
    ids.map(({ id }) => id),
  )
  const transfers = await sql<
    {
      chain: Network
      tx_hash: Buffer
      position: number
      usdcBase: bigint
      invoiceId: string | null
    }[]
  >`select chain, tx_hash, position, usdc_base as "usdcBase", invoice_id as "invoiceId" from transfers
    where state <> 'reverted'`
  const receipts = await sql<{ id: string }[]>`
    select subject_id as id from receipts where kind in ('settlement', 'purchase') and revoked_at is null`
  return {
    invoices: invoices.map((invoice) => ({
      id: invoice.id,
      accountId: invoice.accountId,
      year: invoice.year,
      number: invoice.number,
      state: invoice.state,
      dueUsdcBase: invoice.terms.dueUsdcBase,
      askedAs: invoice.terms.description,
      credits: invoice.progress.payments,
    })),
    transfers: transfers.map(({ tx_hash, ...transfer }) => {
      const sent = { ...transfer, txHash: toText(transfer.chain, tx_hash) }
      return { ...sent, key: keyOf(sent as never) }
    }),
    onChain: (
      await Promise.all(chainsOf(topology).map((chain) => retried(() => transfersOn(chain, sql))))
    ).flat(),
    receiptsInForce: receipts.map(({ id }) => id),
  }
}

/**
 * The chains at the nodes themselves, because the relays between them and the service may be
 * faulty.
 */
function chainsOf({ base, solana }: Topology): readonly Chain[] {
  return [
    chainOf({ network: 'base', rpcUrls: [base.url], usdc: base.usdc }),
    chainOf({ network: 'solana', rpcUrls: [solana.url], usdc: registry.solana.usdcAddress }),
  ]
}

/**
 * Retries up to ten times: nodes close idle connections, sometimes just as one is used again, and
 * are slow on a busy machine.
 */
async function retried<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (tries === 10) throw error
      await Bun.sleep(1_000)
    }
  }
}

async function transfersOn(chain: Chain, sql: Sql) {
  const addresses = (await paymentAddresses(sql, chain.network, null)) ?? []
  if (addresses.length === 0) return []
  const { number: to } = await chain.head()
  const { transfers } = await chain.transfers({ from: 0, to }, addresses)
  return transfers.map((transfer) => ({ key: keyOf(transfer), usdcBase: transfer.usdcBase }))
}

async function mandateFacts(sql: Sql): Promise<Facts['mandates']> {
  const mandates = await sql<{ id: string; state: string }[]>`select id, state from mandates`
  const steps = await sql<{ id: string; sequence: number; from: string | null; to: string }[]>`
    select mandate_id as id, sequence, from_state as from, to_state as to from mandate_transitions order by mandate_id, sequence`
  const trails = Map.groupBy(steps, ({ id }) => id)
  return mandates.map(({ id, state }) => ({ id, state, trail: trails.get(id) ?? [] }))
}

async function anchorFacts({ sql, anchorNode, anchorContract }: Topology) {
  const rows = await sql<{ event: string; place: string }[]>`
    select kind || ' 0x' || encode(hash, 'hex') || ' ' || label as event, '0x' || encode(tx_hash, 'hex') || ' ' || block_number || ' ' || log_index as place
    from anchors where state = 'anchored'`
  const filter = { fromBlock: '0x0', toBlock: 'latest', address: anchorContract }
  const logs = await anchorNode.rpc<RawLog[]>('eth_getLogs', [filter])
  const emitted = logs.flatMap((log) =>
    anchorEvents([log]).map(({ kind, hash, label }) => ({
      event: `${kind} ${hash} ${label}`,
      place: `${log.transactionHash} ${Number(log.blockNumber)} ${Number(log.logIndex)}`,
    })),
  )
  return { anchored: rows, emitted, misplaced: await misplaced(sql) }
}

/**
 * The event ids owed to the webhook, and those given up on. Every public event of the account is
 * owed, because the webhook existed before all of them and subscribes to every type.
 */
async function deliveryFacts(sql: Sql, accountId: string, webhookId: string) {
  const rows = await sql<{ subjectId: string; sequence: number; isGivenUp: boolean }[]>`
    with owed as (
      select subject_id, sequence from trail_steps where account_id = ${accountId} and type = any(${`{${types}}`}::text[])
      union select id, 1 from invoices where account_id = ${accountId}
    )
    select owed.subject_id as "subjectId", owed.sequence, exists (
      select from deliveries where webhook_id = ${webhookId} and state in ('failed', 'cancelled')
        and deliveries.subject_id = owed.subject_id and deliveries.sequence = owed.sequence
    ) as "isGivenUp" from owed`
  const idOf = ({ subjectId, sequence }: (typeof rows)[number]) => Event.id(subjectId, sequence)
  return { owed: rows.map(idOf), givenUp: rows.filter(({ isGivenUp }) => isGivenUp).map(idOf) }
}

async function budgetFacts(sql: Sql) {
  const rows = await sql<
    {
      agentId: string
      limitMinor: bigint
      spentMinor: bigint
      holds: string
      at: Date
      committedMinor: bigint
      heldMinor: bigint
    }[]
  >`select agent_id as "agentId", limit_minor as "limitMinor", spent_minor as "spentMinor", holds, now() as at,
      coalesce((select sum(amount_minor) from budget_reservations as one where one.account_id = budgets.account_id
        and one.agent_id = budgets.agent_id and one.period_number = budgets.period_number and state = 'committed'), 0)::bigint as "committedMinor",
      coalesce((select sum(amount_minor) from budget_reservations as one where one.account_id = budgets.account_id
        and one.agent_id = budgets.agent_id and one.period_number = budgets.period_number and state = 'held' and expires_at > now()), 0)::bigint as "heldMinor"
    from budgets`
  const [stale] = await sql<{ count: number }[]>`
    select count(*)::int from budget_reservations where state = 'held' and expires_at < now() - interval '40 seconds'`
  return {
    budgets: rows.map(({ holds, at, ...budget }) => ({
      ...budget,
      reservedMinor: reserved(holds, at),
    })),
    staleHolds: stale?.count ?? 0,
  }
}

/**
 * The sum of the holds that are open at `at`. The stored list may contain expired holds: the row is
 * written only when somebody spends.
 */
function reserved(holds: string, at: Date): bigint {
  const all = JSON.parse(holds) as { expiresAt: string; amountMinor: string }[]
  const open = all.filter(({ expiresAt }) => new Date(expiresAt) > at)
  return open.reduce((sum, { amountMinor }) => sum + BigInt(amountMinor), 0n)
}

async function allTexts(topology: Topology, received: readonly Received[]) {
  const processes = [...topology.http, ...topology.workers]
  return [
    ...processes.map((process) => ({
      where: `the log of ${process.name}`,
      text: process
        .log()
        .map((line) => JSON.stringify(line))
        .join('\n'),
    })),
    ...received.map(({ body }) => ({ where: 'a webhook', text: body })),
    ...(topology.redis ? await redisTexts(topology.redis.url) : []),
  ]
}

async function redisTexts(url: string) {
  const client = new Redis(url)
  const keys = await client.keys('*')
  const texts: { where: string; text: string }[] = []
  for (const key of keys) {
    const type = await client.type(key)
    const text =
      type === 'hash'
        ? JSON.stringify(await client.hgetall(key))
        : type === 'string'
          ? ((await client.get(key)) ?? '')
          : ''
    texts.push({ where: `Redis at ${key}`, text: `${key} ${text}` })
  }
  client.disconnect()
  return texts
}
