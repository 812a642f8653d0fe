import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type EvmNode, transferCall, type Wallet } from '../support/evm-node.ts'
import { behindAt } from '../support/lagging-node.ts'
import { type ProviderWords, providerWords } from '../support/provider-words.ts'
import type { Envelope } from '../support/receiver.ts'
import { halfAnAnswer, refusingRanges, saying } from '../support/rpc-faults.ts'
import { blockTimeSeconds, confirmations, type Topology } from '../support/topology.ts'
import { createClient } from './client.ts'
import { crowd } from './crowd.ts'
import { type Fault, lastWarnings, timeUntilRead, unnoticed } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

const payer = 6
const dueUsdcBase = 3_000_000n
const limitMs = 60_000
/** Long enough for the load to make at least one payment. */
const fewestMs = 5_000

/** Faults of a chain and its RPC provider: reorganisations, lag, errors and outages. */
export const chainFaults: readonly Fault[] = [
  {
    id: 'F-19',
    what: 'payments reorganised away before they are settled, at every depth',
    inject: (stage) =>
      byHand(stage, async ({ base }) => {
        const problems: string[] = []
        for (let depth = 1; depth < confirmations; depth++) {
          const invoice = await calmInvoice(stage)
          await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
          await base.mine(1)
          await delivered(stage, invoice.id, 'invoice.paid')
          await base.mine(depth - 1)
          await base.reorg(depth)
          await becomes(stage, invoice.id, ({ amountReceived }) => amountReceived === '0.00')
          const settled = countOf(stage, invoice.id, 'invoice.settled')
          if (settled > 0) problems.push(`settled by a payment that went ${depth} blocks later`)
        }
        return problems
      }),
  },
  {
    id: 'F-20',
    what: 'a payment reorganised away after it was settled',
    inject: (stage) =>
      byHand(stage, async ({ base }) => {
        const invoice = await calmInvoice(stage)
        await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
        await base.mine(confirmations)
        await delivered(stage, invoice.id, 'invoice.settled')
        await base.reorg(12)
        await delivered(stage, invoice.id, 'settlement.failed')
        await becomes(stage, invoice.id, ({ status }) => status === 'PENDING')
        return []
      }),
  },
  {
    id: 'F-21',
    what: 'a payment reorganised into another block',
    inject: (stage) =>
      byHand(stage, async ({ base }) => {
        const invoice = await calmInvoice(stage)
        const [payment] = await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
        await base.mine(1)
        await delivered(stage, invoice.id, 'invoice.paid')
        await base.mine(1)
        await base.reorg(2, [[payment, 1]])
        stage.ledger.paidInvoiceIds.push(invoice.id)
        await base.mine(confirmations - 1)
        await delivered(stage, invoice.id, 'invoice.settled')
        const unrest = await stage.quiet()
        const settled = countOf(stage, invoice.id, 'invoice.settled')
        const failed = countOf(stage, invoice.id, 'settlement.failed')
        return settled === 1 && failed === 0
          ? unrest
          : [...unrest, `${invoice.id} was settled ${settled} times and failed ${failed} times`]
      }),
  },
  {
    id: 'F-22',
    what: 'a payment replaced by a smaller one of the same nonce',
    inject: (stage) =>
      byHand(stage, async ({ base }) => {
        const invoice = await calmInvoice(stage)
        const [, smaller] = await payTwice(stage, invoice.reference, [dueUsdcBase, 1_000_000n])
        await base.mine(1)
        await delivered(stage, invoice.id, 'invoice.paid')
        await base.reorg(1, [[smaller, 0]])
        await becomes(stage, invoice.id, ({ amountReceived }) => amountReceived === '1.00')
        await becomes(stage, invoice.id, ({ status }) => status === 'PENDING')
        return []
      }),
  },
  {
    id: 'F-24',
    what: 'a provider whose every other node is 20 blocks behind, and a thousand payments under load',
    inject: (stage, random) =>
      unnoticedAtBase(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        const atOnce = stage.share(50)
        const invoices = await crowd(stage, 20 * atOnce)
        baseRelay.misbehave(async (request, forward) => {
          if (random.next() < 0.5) return Response.json(await forward(request))
          const head = Number(await base.rpc('eth_blockNumber'))
          return behindAt(head - 20)(request, forward)
        })
        for (let round = 0; round < 20; round++) {
          await invoices.pay(atOnce)
          await Bun.sleep(600)
        }
      }),
  },
  {
    id: 'F-25',
    what: 'a node that leaves logs out, now and then, under load',
    inject: (stage, random) =>
      unnoticedAtBase(stage, random, async () => {
        stage.topology.baseRelay.edit((answer, method) =>
          method === 'eth_getLogs' && Array.isArray(answer.result)
            ? { ...answer, result: answer.result.filter(() => random.next() > 0.02) }
            : answer,
        )
        await Bun.sleep(stage.share(60_000))
      }),
  },
  {
    id: 'F-26',
    what: 'a node that refuses long ranges, in the words of every provider, after 20,000 blocks nobody read',
    async inject(stage, random) {
      let caughtUpMs = 0
      const tries = await unnoticedAtBase(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        baseRelay.misbehave(saying('', { status: 503 }))
        for (let portion = 0; portion < 20; portion++) await base.mine(stage.share(1_000))
        const refusals = providerWords.filter(({ fault }) => fault === 'range_refused')
        const head = Number(await base.rpc('eth_blockNumber'))
        let said = 0
        baseRelay.misbehave((request, forward) => {
          const { code, message } = refusals[said++ % refusals.length] as ProviderWords
          return refusingRanges(random.between(300, 1_000), code, message)(request, forward)
        })
        caughtUpMs = await timeUntilRead(stage, head)
        stage.note(`${said} requests, each refused in other words where it asked for too much`)
      })
      return [...tries, ...stage.measured('caught up', caughtUpMs, 60_000)]
    },
  },
  {
    id: 'F-27',
    what: 'a node that answers 429, 500 and nonsense for a minute under load: other chains go on',
    async inject(stage, random) {
      let settledElsewhere = 0
      const tries = await unnoticedAtBase(stage, random, async () => {
        const answers = [
          saying('slow down', { status: 429 }),
          saying('oops', { status: 500 }),
          saying('[]'),
          halfAnAnswer(),
        ]
        stage.topology.baseRelay.misbehave((request, forward) =>
          random.pick(answers)(request, forward),
        )
        const startedAt = new Date()
        await Bun.sleep(fewestMs + stage.share(60_000))
        settledElsewhere = await settledSince(stage, 'solana', startedAt)
      })
      return [...tries, ...(settledElsewhere > 0 ? [] : ['nothing was settled on another chain'])]
    },
  },
  {
    id: 'F-28',
    what: 'a node that is away while 10,800 blocks with 500 payments are made, under load',
    async inject(stage, random) {
      let settledMs = 0
      const tries = await unnoticedAtBase(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        const atOnce = stage.share(50)
        const invoices = await crowd(stage, 10 * atOnce)
        baseRelay.misbehave(saying('', { status: 503 }))
        for (let round = 0; round < 10; round++) {
          await invoices.pay(atOnce)
          await base.mine(stage.share(1_080))
          await Bun.sleep(1_000)
        }
        const head = Number(await base.rpc('eth_blockNumber'))
        baseRelay.behave()
        settledMs = await timeUntilRead(stage, head)
      })
      return [...tries, ...stage.measured('settled', settledMs, 120_000)]
    },
  },
  {
    id: 'F-33',
    what: 'steps so slow that the watchers of all workers are at one chain at once, under load',
    inject: (stage, random) =>
      unnoticedAtBase(stage, random, async () => {
        const { baseRelay } = stage.topology
        baseRelay.misbehave(async (request, forward) => {
          await Bun.sleep(random.between(300, 2_000))
          return Response.json(await forward(request))
        })
        await Bun.sleep(stage.share(60_000))
      }),
  },
]

async function settledSince({ topology }: Stage, chain: string, since: Date): Promise<number> {
  const rows = await topology.sql`select from transfers
    where chain = ${chain} and state = 'confirmed' and block_time > ${since}`
  return rows.length
}

function unnoticedAtBase(stage: Stage, random: Random, inject: () => Promise<void>) {
  const { baseRelay } = stage.topology
  return unnoticed(stage, random, () => inject().finally(() => baseRelay.behave()))
}

/**
 * Runs `work` while the chain makes only the blocks it asks for. The depth of a payment then does
 * not depend on how busy the machine is.
 */
async function byHand<T>(
  { topology }: Stage,
  work: (topology: Topology) => Promise<T>,
): Promise<T> {
  const { base } = topology
  await base.rpc('evm_setIntervalMining', [0])
  try {
    return await work(topology)
  } finally {
    // A reorganisation sets the node's clock back; later payments would be dated before their
    // invoices.
    await base.rpc('evm_setTime', [Math.floor(Date.now() / 1_000)])
    await base.rpc('evm_setIntervalMining', [blockTimeSeconds])
  }
}

/** An invoice created after 20 empty blocks, so a reorganisation hits no payment but its own. */
async function calmInvoice(stage: Stage): Promise<{ id: string; reference: string }> {
  await stage.topology.base.mine(20)
  const client = createClient(stage.topology.http, stage.account.v1Key)
  const body = { currency: 'USDC', customerName: 'Ada', customerEmail: 'ada@example.com' }
  const { data } = await client.call('POST', '/v1/invoices', { amount: 3, ...body })
  return { id: data.id, reference: data.paymentDetails.reference }
}

/**
 * Signs two transfers with the same nonce and submits the first. Answers both signed transactions.
 */
async function payTwice(
  { topology }: Stage,
  reference: string,
  usdcBase: readonly [bigint, bigint],
): Promise<readonly [Hex, Hex]> {
  const { base, wallets } = topology
  const from = base.wallet(payer)
  const nonce = Number(await base.rpc('eth_getTransactionCount', [from.address, 'latest']))
  const sign = (value: bigint) =>
    signedTransfer(base, from, nonce, {
      call: transferCall({ to: wallets.base, usdcBase: value }),
      reference,
    })
  const first = await sign(usdcBase[0])
  await base.rpc('eth_sendRawTransaction', [first])
  return [first, await sign(usdcBase[1])]
}

function signedTransfer(
  node: EvmNode,
  from: Wallet,
  nonce: number,
  { call, reference }: { call: Hex; reference: string },
): Promise<Hex> {
  return privateKeyToAccount(from.privateKey).signTransaction({
    type: 'eip1559',
    chainId: node.chainId,
    nonce,
    gas: 200_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    to: node.usdc,
    data: `${call}${reference.slice(2)}`,
  })
}

const isOf = (id: string, type: string) => (event: Envelope) =>
  event.type === type && (event.data.id ?? event.data.invoiceId) === id

async function delivered(stage: Stage, id: string, type: string): Promise<void> {
  await stage.receiver.next(isOf(id, type), limitMs).catch(async ({ message }) => {
    throw new Error(`${type} of ${id}: ${message}; ${await stateOf(stage, id)}`)
  })
}

function countOf({ receiver }: Stage, id: string, type: string): number {
  const events = receiver.received.map(({ body }) => JSON.parse(body) as Envelope)
  return new Set(events.filter(isOf(id, type)).map((event) => event.id)).size
}

type Shown = { readonly status: string; readonly amountReceived: string }

async function becomes(stage: Stage, id: string, isSo: (invoice: Shown) => boolean): Promise<void> {
  const deadlineMs = performance.now() + limitMs
  for (;;) {
    if (isSo(await show(stage, id))) return
    if (performance.now() > deadlineMs)
      throw new Error(`${id} does not change: ${await stateOf(stage, id)}`)
    await Bun.sleep(200)
  }
}

/** For failure messages: the state of the invoice, the chain and the watcher. */
async function stateOf(stage: Stage, id: string): Promise<string> {
  const { base, sql } = stage.topology
  const [cursor] = await sql`select next_block from cursors where chain = 'base'`
  const transfers = await sql`select state, block_number from transfers where invoice_id = ${id}`
  const head = Number(await base.rpc('eth_blockNumber'))
  const found = { ...(await show(stage, id)), head, nextBlock: cursor?.next_block, transfers }
  const warnings = lastWarnings(stage.topology).join('\n')
  return `${JSON.stringify(found, asText)}\n${warnings}`
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value
}

async function show({ topology, account }: Stage, id: string): Promise<Shown> {
  const client = createClient(topology.http, account.v1Key)
  const { data } = await client.call('GET', `/v1/invoices/${id}`)
  return { status: data.status, amountReceived: data.paymentDetails.amountReceived }
}
