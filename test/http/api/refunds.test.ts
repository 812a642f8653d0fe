import { beforeEach, describe, expect, test } from 'bun:test'
import { privateKeyToAccount } from 'viem/accounts'
import type { Row } from '../../../src/domain/books/journal.ts'
import { toAmount, usdcScale } from '../../../src/domain/money/money.ts'
import { registry } from '../../../src/domain/registry.ts'
import {
  refundAddressStatement,
  refundWalletStatement,
} from '../../../src/domain/settlement/payer-statement.ts'
import { createdInvoice, refused } from '../../support/app.ts'
import { signedTransfer } from '../../support/claims.ts'
import { credited } from '../../support/credit-notes.ts'
import { balances, faultsOf } from '../../support/journal.ts'
import { aMandate } from '../../support/mandates.ts'
import { claimsIn } from '../../support/receipts.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const seller = 5
const reason = 'Returned'
const { app, env, node, sql } = useWorld({
  chains: ['base'],
  funded: [1, 2, seller, 6],
  anchored: true,
  env: ({ node }) => ({ BASE_WALLET: node.wallet(seller).address, BASE_CONFIRMATIONS: '3' }),
})

/** Of each test its own: open refunds of others would take its transfers. */
let dueBase = 11_900_000n
beforeEach(() => {
  dueBase += 20_000n
})

const inUsdc = (usdcBase: bigint) => toAmount(usdcBase, usdcScale)
const addressOf = (wallet: number) => node.wallet(wallet).address.toLowerCase()

async function read(noteId: string) {
  return (await app.send('GET', `/api/credit-notes/${noteId}`)).json
}

/** An invoice that `payers` have paid in equal parts, confirmed. */
async function paidInvoice(payers: readonly number[] = [1]): Promise<string> {
  const { id, paymentDetails } = await createdInvoice(app, { amount: inUsdc(dueBase) })
  const { reference, paymentAddress: to } = paymentDetails
  const usdcBase = dueBase / BigInt(payers.length)
  for (const payer of payers)
    await node.transfer({ from: node.wallet(payer).address, to, usdcBase, reference })
  await node.mine(3)
  await eventually(async () => {
    const { json } = await app.send('GET', `/v1/invoices/${id}`)
    return json.data.status === 'SETTLED'
  })
  return id
}

/** A note of such an invoice. */
async function aNote(payers?: readonly number[]) {
  return (await credited(app, await paidInvoice(payers), { reason })).json
}

type Sent = { from?: number; to?: string; usdcBase?: bigint }

/** By default from the address that was paid to payer 1, all of it; in a block of its own. */
function refund({ from = seller, to = addressOf(1), usdcBase = dueBase }: Sent = {}) {
  return node.transfer({ from: node.wallet(from).address, to, usdcBase })
}

function prove(noteId: string, txHash: string) {
  return app.send('POST', `/api/credit-notes/${noteId}/refund`, { txHash })
}

async function head(): Promise<number> {
  return Number(await node.rpc<string>('eth_blockNumber'))
}

async function blockOf(txHash: string): Promise<number> {
  const receipt = await node.rpc<{ blockNumber: string }>('eth_getTransactionReceipt', [txHash])
  return Number(receipt.blockNumber)
}

/** The watcher has finished all blocks that it can. */
async function finished(): Promise<void> {
  await node.mine(3)
  const newest = await head()
  await eventually(async () => {
    const [row] = await sql<{ next: number }[]>`
      select next_block::integer as next from cursors where chain = 'base'`
    return (row?.next ?? 0) > newest - 3
  })
}

async function refunded(noteId: string) {
  await eventually(async () => (await read(noteId)).status === 'refunded')
  return read(noteId)
}

function receipts(noteId: string) {
  return sql<{ id: string; isRevoked: boolean }[]>`
    select id, revoked_at is not null as "isRevoked" from receipts where subject_id = ${noteId} order by issued_at`
}

async function eventsOf(noteId: string): Promise<readonly string[]> {
  const rows = await sql<{ type: string }[]>`
    select type from trail_steps where subject_id = ${noteId} order by sequence`
  return rows.map(({ type }) => type)
}

test('the journal has the note and its refund; with the sale and its payment nothing is left', async () => {
  const { id, creditNoteNumber, invoiceNumber } = await aNote()
  const before = dueBase
  const txHash = await refund()
  await finished()
  await refunded(id)
  const { text } = await app.send('GET', '/api/books')
  const rows: Row[] = text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
  expect(faultsOf(rows)).toEqual([])
  const ours = rows.filter(({ document }) => [creditNoteNumber, invoiceNumber].includes(document))
  // The block of a refund may be dated by a second before its note.
  const shown = ours
    .filter(({ document }) => document === creditNoteNumber)
    .toSorted((a, b) => (a.entry < b.entry ? -1 : 1))
  const amount = inUsdc(before)
  expect(shown.map(({ date: _, document: __, ...row }) => Object.values(row))).toEqual([
    [`credit_note:${creditNoteNumber}`, 'sales', 'USDC', amount, null],
    [`credit_note:${creditNoteNumber}`, 'clearing', 'USDC', null, amount],
    [expect.stringContaining(txHash), 'clearing', 'USDC', amount, null],
    [expect.stringContaining(txHash), 'wallet', 'USDC', null, amount],
  ])
  expect(balances(ours, ({ account }) => account)).toEqual({})
})

describe('a refund', () => {
  test('is found once it is final, without being asked for, and gets a counter-receipt on chain', async () => {
    const note = await aNote()
    const [{ payer, to, amount, status, paymentUri }] = note.refunds
    expect([payer, to, amount, status]).toEqual([
      addressOf(1),
      addressOf(1),
      inUsdc(dueBase),
      'open',
    ])
    expect(paymentUri).toBe(
      `ethereum:${node.usdc}@8453/transfer?address=${addressOf(1)}&uint256=${dueBase}`,
    )
    const txHash = await refund()
    await finished()
    const after = await refunded(note.id)
    const { receiptId } = after.refunds[0]
    expect(after.refunds[0]).toMatchObject({ status: 'refunded', paymentUri: null, txHash })
    expect(await eventsOf(note.id)).toEqual(['credit_note.issued', 'refund.confirmed'])
    const bundle = async () =>
      (await app.send('GET', `/v1/public/receipts/${receiptId}/bundle`)).json
    await eventually(async () => (await bundle()).anchor !== null)
    const said = claimsIn(await bundle())
    expect([said.kind, said.amount, said.txHash, said.creditNoteId, said.to]).toEqual([
      'refund',
      inUsdc(dueBase),
      txHash,
      note.id,
      addressOf(1),
    ])
    const { json } = await app.send('GET', `/v1/receipts/${receiptId}`)
    expect([json.data.kind, json.data.status]).toEqual(['refund', 'anchored'])
  })

  test('of several payers is one transfer to each, and refunded once all are there', async () => {
    const note = await aNote([1, 2])
    expect(note.refunds.map(({ amount }: { amount: string }) => amount)).toEqual([
      inUsdc(dueBase / 2n),
      inUsdc(dueBase / 2n),
    ])
    await refund({ to: addressOf(2), usdcBase: dueBase / 2n })
    await finished()
    await eventually(async () => (await read(note.id)).refunds[0].status === 'refunded')
    expect((await read(note.id)).status).toBe('issued')
    await refund({ usdcBase: dueBase / 2n })
    await finished()
    await refunded(note.id)
    expect((await receipts(note.id)).length).toBe(2)
  })

  test('named by its transaction is pending until it is final, then refunded, also when asked again', async () => {
    const note = await aNote()
    const txHash = await refund()
    const pending = await prove(note.id, txHash)
    expect([pending.status, pending.json.status]).toEqual([202, 'pending'])
    await finished()
    const asked = await Promise.all(Array.from({ length: 20 }, () => prove(note.id, txHash)))
    for (const { status, json } of asked)
      expect([status, json.status, json.creditNote.status]).toEqual([200, 'refunded', 'refunded'])
    expect(await eventsOf(note.id)).toEqual(['credit_note.issued', 'refund.confirmed'])
    expect((await receipts(note.id)).length).toBe(1)
  })

  test('goes to the address that the wallet that paid has signed for last; no statement counts twice', async () => {
    const note = await aNote()
    const [payer, first, last] = [addressOf(1), addressOf(8), addressOf(9)]
    const ask = async (sequence: number, refundTo: string, over: object = {}, signer = 1) => {
      const said = { noteId: note.id, chain: 'base', payer, refundTo, sequence } as const
      const message = refundAddressStatement(said)
      const { privateKey } = node.wallet(signer)
      const signature = await privateKeyToAccount(privateKey).signMessage({ message })
      const body = { payer, refundTo, sequence, signature, ...over }
      const answer = await app.keyless('POST', `/api/credit-notes/${note.id}/refund-address`, body)
      return answer.status === 200 ? answer.json : refused(answer)
    }
    const unsigned = [403, 'invalid_signature']
    expect(await ask(1, first, {}, 2)).toEqual(unsigned)
    expect(await ask(1, first, { refundTo: last })).toEqual(unsigned)
    expect(await ask(1, first, { sequence: 2 })).toEqual(unsigned)
    expect(await ask(1, first, { payer: addressOf(2) }, 2)).toEqual([404, 'NOT_FOUND'])
    const { ANCHOR_CONTRACT: contract = '' } = env
    const zeroAddress = `0x${'0'.repeat(40)}`
    for (const nobody of ['x', zeroAddress, registry.base.usdcAddress, addressOf(seller), contract])
      expect(await ask(1, first, { refundTo: nobody })).toEqual([400, 'INVALID_REQUEST'])
    for (const over of [{ sequence: 0 }, { sequence: 1.5 }, { payer: undefined }])
      expect(await ask(1, first, over)).toEqual([400, 'INVALID_REQUEST'])
    const named = (refundTo: string, sequence: number) => {
      return { creditNoteId: note.id, payer, refundTo, sequence }
    }
    expect(await ask(1, first)).toEqual(named(first, 1))
    const outOfTurn = [409, 'INVALID_STATE']
    expect([await ask(1, first), await ask(3, last)]).toEqual([outOfTurn, outOfTurn])
    for (let sequence = 2; sequence <= 10; sequence++)
      expect(await ask(sequence, last)).toEqual(named(last, sequence))
    expect(await ask(11, first)).toEqual([409, 'LIMIT_REACHED'])
    const [{ to, paymentUri, sequence }] = (await read(note.id)).refunds
    expect([to, paymentUri.includes(last), sequence]).toEqual([last, true, 10])
    await refund({ to: last })
    await finished()
    await refunded(note.id)
    expect(await ask(11, first)).toEqual(outOfTurn)
  })

  test('of what was minted is sent where the seller says, and is no payment of anybody', async () => {
    const { id, paymentDetails } = await createdInvoice(app, { amount: inUsdc(dueBase) })
    await node.mint(paymentDetails.paymentAddress, dueBase)
    await node.mine(3)
    await eventually(async () => {
      const { json } = await app.send('GET', `/v1/invoices/${id}`)
      return json.data.status === 'SETTLED'
    })
    expect((await app.send('GET', `/v1/invoices/${id}`)).json.data.paymentDetails.from).toBeNull()
    const note = (await credited(app, id, { reason })).json
    const open = { payer: null, to: null, paymentUri: null, status: 'open' }
    expect(note.refunds).toMatchObject([open])
    const path = `/api/credit-notes/${note.id}/refund-address`
    const refundTo = addressOf(8)
    expect(refused(await app.keyless('POST', path, { refundTo }))).toEqual([401, 'UNAUTHORIZED'])
    expect(refused(await app.send('POST', path, { refundTo: addressOf(seller) }))).toEqual([
      400,
      'INVALID_REQUEST',
    ])
    expect(refused(await prove(note.id, `0x${'ab'.repeat(32)}`))).toEqual([409, 'INVALID_STATE'])
    const answer = await app.send('POST', path, { refundTo })
    expect(answer.json).toEqual({ creditNoteId: note.id, payer: null, refundTo, sequence: 0 })
    const [entry] = await sql`select * from audit_log where subject_id = ${note.id}`
    expect(entry).toMatchObject({
      kind: 'refund_address',
      actor: expect.stringMatching(/^key:/),
      before: { refundTo: null },
      after: { refundTo },
    })
    await refund({ to: refundTo })
    await finished()
    await refunded(note.id)
    expect(refused(await app.send('POST', path, { refundTo }))).toEqual([409, 'INVALID_STATE'])
    const other = await aNote()
    const theirs = await app.send('POST', `/api/credit-notes/${other.id}/refund-address`, {
      refundTo,
    })
    expect(refused(theirs)).toEqual([409, 'INVALID_STATE'])
  })

  test('gives its mandate back what was paid, once it is proven and until it is reorganised away; the rest came at once', async () => {
    const mandate = await aMandate(app, undefined, undefined, { amount: '100', currency: 'USDC' })
    const bound = async () => {
      const rows = await sql`select bound_micro from mandates where id = ${mandate.id}`
      return BigInt(rows[0]?.bound_micro)
    }
    const wanted = { amount: inUsdc(dueBase), mandateId: mandate.id }
    const { id, paymentDetails } = await createdInvoice(app, wanted)
    const { reference, paymentAddress: to } = paymentDetails
    const usdcBase = 5_000_000n
    await node.transfer({ from: node.wallet(1).address, to, usdcBase, reference })
    await node.mine(3)
    await eventually(async () => {
      const { json } = await app.send('GET', `/v1/invoices/${id}`)
      return json.data.paymentDetails.amountReceived === inUsdc(usdcBase)
    })
    // Refused while the payment is being confirmed.
    let note = { id: '' }
    await eventually(async () => {
      const { status, json } = await credited(app, id, { reason })
      note = json
      return status === 201
    })
    expect(await bound()).toBe(usdcBase)
    await node.mine(1)
    const raw = await signedTransfer(node, {
      from: node.wallet(seller),
      to: addressOf(1),
      usdcBase,
    })
    const txHash = await node.rpc<string>('eth_sendRawTransaction', [raw])
    await finished()
    await refunded(note.id)
    expect(await bound()).toBe(0n)
    const depth = (await head()) - (await blockOf(txHash)) + 1
    await node.reorg(depth)
    await node.mine(depth)
    await eventually(async () => (await read(note.id)).status === 'issued')
    expect(await bound()).toBe(usdcBase)
    await node.rpc('eth_sendRawTransaction', [raw]).catch(() => {})
    await finished()
    await refunded(note.id)
    expect(await bound()).toBe(0n)
  })

  test('comes from another wallet of the seller once that has signed, also if it was sent before', async () => {
    const note = await aNote()
    await refund({ from: 6 })
    await finished()
    const message = refundWalletStatement({ noteId: note.id, chain: 'base', wallet: addressOf(6) })
    const signedBy = (wallet: number) =>
      privateKeyToAccount(node.wallet(wallet).privateKey).signMessage({ message })
    const ask = async (signer: number) =>
      app.send('POST', `/api/credit-notes/${note.id}/refund-wallet`, {
        wallet: node.wallet(6).address,
        signature: await signedBy(signer),
      })
    expect(refused(await ask(2))).toEqual([403, 'invalid_signature'])
    expect((await read(note.id)).status).toBe('issued')
    expect((await ask(6)).status).toBe(200)
    await refunded(note.id)
  })

  test('of two equal ones is that of the older note; each transfer proves one, once', async () => {
    const [older, newer] = [await aNote(), await aNote()]
    const first = await refund()
    await finished()
    const both = await Promise.all([prove(older.id, first), prove(newer.id, first)])
    expect(both.map(({ status }) => status)).toEqual([200, 409])
    expect((await read(newer.id)).status).toBe('issued')
    const second = await refund()
    await finished()
    await refunded(newer.id)
    expect([await hashOf(older.id), await hashOf(newer.id)]).toEqual([first, second])
  })
})

async function hashOf(noteId: string): Promise<string> {
  return (await read(noteId)).refunds[0].txHash
}

describe('not proof of a refund', () => {
  // biome-ignore format: a table
  const wrong: readonly (readonly [string, () => Promise<string>, string])[] = [
    ['a transfer of less', () => refund({ usdcBase: dueBase - 1n }), 'It sends'],
    ['a transfer of more', () => refund({ usdcBase: dueBase + 1n }), 'It sends'],
    ['a transfer to somebody else', () => refund({ to: addressOf(2) }), 'It sends no USDC to'],
    ['a transfer from another wallet', () => refund({ from: 2 }), 'It was sent by'],
    ['a transaction of another chain, or none', async () => `0x${'ab'.repeat(32)}`, 'There is no such transaction on base'],
    ['a transaction that transfers nothing', () => node.send({ from: node.wallet(seller).address, to: addressOf(1), data: '0x' }), 'It sends no USDC to'],
  ]
  for (const [what, send, message] of wrong)
    test(`is ${what}: 409, and why`, async () => {
      const note = await aNote()
      const answer = await prove(note.id, await send())
      expect(refused(answer)).toEqual([409, 'REFUND_NOT_PROVEN'])
      expect(answer.json.error.message).toStartWith(message)
      if (message === 'It sends')
        expect(answer.json.error.message).toEndWith(`not exactly ${inUsdc(dueBase)}`)
      await finished()
      expect((await read(note.id)).status).toBe('issued')
    })

  test('is a transfer that proves another refund, or was sent before the payment: 409', async () => {
    const early = await refund()
    const note = await aNote()
    const before = await prove(note.id, early)
    expect(before.json.error.message).toStartWith('It was sent before the payment')
    const used = await refund()
    await finished()
    await refunded(note.id)
    const other = await aNote()
    const again = await prove(other.id, used)
    expect(again.json.error.message).toStartWith('It has been used already')
    expect([refused(before), refused(again)]).toEqual([
      [409, 'REFUND_NOT_PROVEN'],
      [409, 'REFUND_NOT_PROVEN'],
    ])
    await refund()
    await finished()
    await refunded(other.id)
  })

  test('is anything for a note without refunds, or a hash that is none: 409 and 400', async () => {
    const { id } = await createdInvoice(app)
    const { json } = await credited(app, id, { reason, amount: 1 })
    const txHash = await refund({ to: addressOf(7), usdcBase: 1n })
    expect(refused(await prove(json.id, txHash))).toEqual([409, 'INVALID_STATE'])
    expect(refused(await prove(json.id, 'x'))).toEqual([400, 'INVALID_REQUEST'])
  })
})

describe('a reorganisation', () => {
  test('takes a refund back with its receipt, and the same transaction proves it again, once', async () => {
    const note = await aNote()
    await node.mine(1)
    const from = node.wallet(seller)
    const raw = await signedTransfer(node, { from, to: addressOf(1), usdcBase: dueBase })
    const txHash = await node.rpc<string>('eth_sendRawTransaction', [raw])
    await finished()
    await refunded(note.id)
    const depth = (await head()) - (await blockOf(txHash)) + 1
    await node.reorg(depth)
    await node.mine(depth)
    await eventually(async () => (await read(note.id)).status === 'issued')
    expect((await receipts(note.id)).map(({ isRevoked }) => isRevoked)).toEqual([true])
    await node.rpc('eth_sendRawTransaction', [raw]).catch(() => {})
    await finished()
    const again = await refunded(note.id)
    expect(again.refunds[0].txHash).toBe(txHash)
    expect((await receipts(note.id)).map(({ isRevoked }) => isRevoked)).toEqual([true, false])
    expect(await eventsOf(note.id)).toEqual([
      'credit_note.issued',
      'refund.confirmed',
      'refund.failed',
      'refund.confirmed',
    ])
  })
})
