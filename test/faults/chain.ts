import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type EvmNode, transferCall, type Wallet } from '../support/evm-node.ts'
import { behindAt } from '../support/lagging-node.ts'
import { providerWords } from '../support/provider-words.ts'
import type { Envelope } from '../support/receiver.ts'
import { halfAnAnswer, refusingRanges, saying } from '../support/rpc-faults.ts'
import { confirmations } from '../support/topology.ts'
import { createClient } from './client.ts'
import { badTries, type Fault } from './fault.ts'
import type { Random } from './random.ts'
import type { Stage } from './stage.ts'

const payer = 6
const dueUsdcBase = 3_000_000n

/** What a chain takes back, and what stands between us and it. */
export const chainFaults: readonly Fault[] = [
  {
    id: 'F-19',
    what: 'a payment reorganised away before it is settled',
    async inject(stage) {
      const invoice = await calmInvoice(stage)
      await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
      await told(stage, invoice.id, 'invoice.paid')
      await stage.topology.base.reorg(confirmations - 1)
      await becomes(stage, invoice.id, ({ amountReceived }) => amountReceived === '0.00')
      return countOf(stage, invoice.id, 'invoice.settled') === 0
        ? []
        : ['a payment that is gone was announced as settled']
    },
  },
  {
    id: 'F-20',
    what: 'a payment reorganised away after it was settled',
    async inject(stage) {
      const invoice = await calmInvoice(stage)
      await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
      await told(stage, invoice.id, 'invoice.settled')
      await stage.topology.base.reorg(12)
      await told(stage, invoice.id, 'settlement.failed')
      await becomes(stage, invoice.id, ({ status }) => status === 'PENDING')
      return []
    },
  },
  {
    id: 'F-21',
    what: 'a payment reorganised into another block',
    async inject(stage) {
      const invoice = await calmInvoice(stage)
      const [payment] = await payTwice(stage, invoice.reference, [dueUsdcBase, dueUsdcBase])
      await told(stage, invoice.id, 'invoice.paid')
      await stage.topology.base.reorg(confirmations - 1, [[payment, 1]])
      await becomes(stage, invoice.id, ({ status }) => status === 'SETTLED')
      stage.ledger.paidInvoiceIds.push(invoice.id)
      return countOf(stage, invoice.id, 'invoice.settled') === 1 ? [] : ['not settled once']
    },
  },
  {
    id: 'F-22',
    what: 'a payment replaced by a smaller one of the same nonce',
    async inject(stage) {
      const invoice = await calmInvoice(stage)
      const [, smaller] = await payTwice(stage, invoice.reference, [dueUsdcBase, 1_000_000n])
      await told(stage, invoice.id, 'invoice.paid')
      await stage.topology.base.reorg(confirmations - 1, [[smaller, 0]])
      await becomes(stage, invoice.id, ({ amountReceived }) => amountReceived === '1.00')
      await becomes(stage, invoice.id, ({ status }) => status === 'PENDING')
      return []
    },
  },
  {
    id: 'F-24',
    what: 'a provider whose every other node is 20 blocks behind, under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        baseRelay.misbehave(async (request, forward) => {
          if (random.next() < 0.5) return Response.json(await forward(request))
          const head = Number(await base.rpc('eth_blockNumber'))
          return behindAt(head - 20)(request, forward)
        })
        await Bun.sleep(12_000)
      }),
  },
  {
    id: 'F-25',
    what: 'a node that leaves logs out, now and then, under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        stage.topology.baseRelay.edit((answer, method) =>
          method === 'eth_getLogs' && Array.isArray(answer.result)
            ? { ...answer, result: answer.result.filter(() => random.next() > 0.02) }
            : answer,
        )
        await Bun.sleep(8_000)
      }),
  },
  {
    id: 'F-26',
    what: 'a node that refuses long ranges, in the words of several providers, after 400 blocks nobody read',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        baseRelay.misbehave(saying('', { status: 503 }))
        await base.mine(400)
        await Bun.sleep(2_000)
        const refusals = providerWords.filter(({ fault }) => fault === 'range_refused')
        baseRelay.misbehave((request, forward) => {
          const { code, message } = random.pick(refusals)
          return refusingRanges(50, code, message)(request, forward)
        })
        await Bun.sleep(10_000)
      }),
  },
  {
    id: 'F-27',
    what: 'a node that answers 429, 500 and nonsense for 8 s under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const answers = [
          saying('slow down', { status: 429 }),
          saying('oops', { status: 500 }),
          saying('[]'),
          halfAnAnswer(),
        ]
        stage.topology.baseRelay.misbehave((request, forward) =>
          random.pick(answers)(request, forward),
        )
        await Bun.sleep(8_000)
      }),
  },
  {
    id: 'F-28',
    what: 'a node that is away while 2,000 blocks are made, under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const { base, baseRelay } = stage.topology
        baseRelay.misbehave(saying('', { status: 503 }))
        for (let round = 0; round < 8; round++) {
          await base.mine(250)
          await Bun.sleep(1_000)
        }
      }),
  },
  {
    id: 'F-33',
    what: 'steps so slow that the watchers of all workers are at one chain at once, under load',
    inject: (stage, random) =>
      unnoticed(stage, random, async () => {
        const { baseRelay } = stage.topology
        baseRelay.misbehave(async (request, forward) => {
          await Bun.sleep(random.between(300, 2_000))
          return Response.json(await forward(request))
        })
        await Bun.sleep(12_000)
      }),
  },
]

async function unnoticed(stage: Stage, random: Random, inject: () => Promise<void>) {
  const tries = await stage.underLoad(random, async () => {
    await inject()
    stage.topology.baseRelay.behave()
  })
  return badTries(tries, false)
}

/** An invoice whose payment alone is in the newest blocks. */
async function calmInvoice(stage: Stage): Promise<{ id: string; reference: string }> {
  await stage.topology.base.mine(20)
  const client = createClient(stage.topology.http, stage.account.v1Key)
  const body = { currency: 'USDC', customerName: 'Ada', customerEmail: 'ada@example.com' }
  const { data } = await client.call('POST', '/v1/invoices', { amount: 3, ...body })
  return { id: data.id, reference: data.paymentDetails.reference }
}

/** Signs two transfers of one nonce and puts the first of them on chain; answers both, signed. */
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

function told({ receiver }: Stage, id: string, type: string) {
  return receiver.next(isOf(id, type), 60_000)
}

function countOf({ receiver }: Stage, id: string, type: string): number {
  const events = receiver.received.map(({ body }) => JSON.parse(body) as Envelope)
  return new Set(events.filter(isOf(id, type)).map((event) => event.id)).size
}

type Shown = { readonly status: string; readonly amountReceived: string }

async function becomes(stage: Stage, id: string, isSo: (invoice: Shown) => boolean): Promise<void> {
  const client = createClient(stage.topology.http, stage.account.v1Key)
  const deadlineMs = performance.now() + 60_000
  for (;;) {
    const { data } = await client.call('GET', `/v1/invoices/${id}`)
    const shown = { status: data.status, amountReceived: data.paymentDetails.amountReceived }
    if (isSo(shown)) return
    if (performance.now() > deadlineMs) throw new Error(`${id} is ${JSON.stringify(shown)}`)
    await Bun.sleep(200)
  }
}
