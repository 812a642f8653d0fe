import { describe, expect, test } from 'bun:test'
import { createCipheriv, createHash } from 'node:crypto'
import fc from 'fast-check'
import { toHex } from '../../../src/domain/hash.ts'
import type { Settlement } from '../../../src/domain/invoices/progress.ts'
import { bundleOf, type Issued } from '../../../src/domain/receipts/bundle.ts'
import { rootOf } from '../../../src/domain/receipts/merkle.ts'
import * as Receipt from '../../../src/domain/receipts/receipt.ts'
import { noteAfter } from '../../support/credit-note.ts'
import { after, payment } from '../../support/invoice.ts'

const seed = new Uint8Array(32).fill(7)
const receiptId = 'drs_4f3a8a1e-61a5-4f6b-9d53-0d2f3c1b7a90'
const confirm = {
  kind: 'confirm',
  key: payment().key,
  blockNumber: 7,
  from: payment().from,
  confirmations: 5,
  settlementId: 'stl_1',
  receiptId,
} as const
const invoice = after([{ kind: 'credit', payment: payment() }, confirm])
const settlement = invoice.progress.settlement as Settlement
const receipt = Receipt.ofSettlement(invoice, settlement, { feeBasisPoints: 33, seed })
const claims = claimsOf(receipt)

describe('a receipt', () => {
  test('of a settlement names what the contract lists, in the order of UTF-16 code units', () => {
    const names = receipt.claims.map(([name]) => name)
    expect(names).toEqual(names.toSorted())
    expect(new Set(names).size).toBe(names.length)
    for (const name of [
      ...['version', 'kind', 'invoiceNumber', 'settled', 'settledAt', 'currency', 'subtotal'],
      ...['tax', 'total', 'chain', 'payTo', 'payers', 'txHashes', 'gross', 'fee', 'net'],
      'mandateHash',
    ])
      expect(names).toContain(name)
    expect(claims).toMatchObject({
      ...{ version: 2, kind: 'settlement', receiptId, invoiceId: invoice.id, settled: true },
      ...{ settledAt: settlement.settledAt, issuedAt: settlement.settledAt, mandateHash: null },
      ...{ payers: [payment().from], txHashes: [payment().txHash], payTo: invoice.terms.payTo },
      transfers: [
        { amount: '12.50', blockNumber: 7, from: payment().from, txHash: payment().txHash },
      ],
    })
  })

  test('has the same names whatever it states: nothing is learnt from how many are hidden', () => {
    const under = after([{ kind: 'credit', payment: payment() }, confirm], {
      mandateHash: `0x${'ab'.repeat(32)}`,
    })
    const other = Receipt.ofSettlement(under, settlement, { feeBasisPoints: 0, seed })
    expect(other.claims.map(([name]) => name)).toEqual(receipt.claims.map(([name]) => name))
  })

  test('has the hash of 0x02, the number of claims and the root of their salted hashes', () => {
    // A block of AES in counter mode encrypts its number.
    const aes = createCipheriv('aes-256-ecb', seed, null)
    const leaves = receipt.claims.map(([name, value], at) => {
      const salt = aes.update(Uint8Array.of(...new Uint8Array(15), at))
      const text = JSON.stringify([name, value])
      return createHash('sha256').update(Uint8Array.of(0)).update(salt).update(text).digest()
    })
    const count = [0, 0, 0, receipt.claims.length]
    const bytes = Uint8Array.of(2, ...count, ...rootOf(leaves))
    expect(toHex(receipt.hash)).toBe(`0x${createHash('sha256').update(bytes).digest('hex')}`)
  })

  test('changes its hash with any claim and with its seed', () => {
    const hashOf = (over: object, options = { feeBasisPoints: 33, seed }) =>
      toHex(Receipt.ofSettlement({ ...invoice, ...over }, settlement, options).hash)
    expect(hashOf({})).toBe(toHex(receipt.hash))
    expect(hashOf({ number: 2 })).not.toBe(hashOf({}))
    expect(hashOf({}, { feeBasisPoints: 34, seed })).not.toBe(hashOf({}))
    const other = new Uint8Array(32).fill(8)
    expect(hashOf({}, { feeBasisPoints: 33, seed: other })).not.toBe(hashOf({}))
  })

  test('splits the gross amount into fee and net to the last base unit', () => {
    expect(claims).toMatchObject({ gross: '12.50', fee: '0.04125', net: '12.45875' })
  })

  test('names the address that was paid, whatever wallet the seller has named', () => {
    const wallet = '0x00000000000000000000000000000000000000ee'
    const settled = after([{ kind: 'credit', payment: payment() }, confirm], {
      seller: { ...invoice.terms.seller, wallet },
    })
    const said = Receipt.ofSettlement(settled, settlement, { feeBasisPoints: 33, seed })
    expect(claimsOf(said).payTo).toBe(settled.terms.payTo)
    expect(JSON.stringify(said.claims)).not.toContain(wallet)
  })

  test('of a purchase states no fee: the seller got the whole of it', () => {
    const bought = after([{ kind: 'credit', payment: payment() }, confirm], { isPurchase: true })
    const said = Receipt.ofSettlement(bought, settlement, { feeBasisPoints: 100, seed })
    expect(claimsOf(said)).toMatchObject({ gross: '12.50', fee: '0.00', net: '12.50' })
  })

  test('of a purchase has all the names of a sale’s, and six of what was demanded and handed over', () => {
    const bought = after([{ kind: 'credit', payment: payment() }, confirm], { isPurchase: true })
    const delivery = {
      ...{ bodySha256: `0x${'b0'.repeat(32)}`, contentLength: 7, contentType: null },
      ...({ delivered: 'partial', status: 500 } as const),
    }
    const witnessed = { demandSha256: `0x${'de'.repeat(32)}`, delivery }
    const saidOf = (purchase?: typeof witnessed) => {
      const stated = { feeBasisPoints: 0, seed, ...(purchase && { purchase }) }
      return Receipt.ofSettlement(bought, settlement, stated)
    }
    const [known, unknown] = [saidOf(witnessed), saidOf()]
    expect([known.kind, receipt.kind]).toEqual(['purchase', 'settlement'])
    const { demandSha256 } = witnessed
    expect(claimsOf(known)).toMatchObject({ kind: 'purchase', demandSha256, ...delivery })
    const names = [
      ...receipt.claims.map(([name]) => name),
      'demandSha256',
      ...Object.keys(delivery),
    ]
    for (const { claims } of [known, unknown])
      expect(claims.map(([name]) => name)).toEqual(names.toSorted())
    expect(claimsOf(unknown)).toMatchObject({ bodySha256: null, demandSha256: null, status: null })
    const given = { feeBasisPoints: 33, seed, purchase: witnessed }
    expect(Receipt.ofSettlement(invoice, settlement, given)).toEqual(receipt)
  })

  test('is of the transfers that are confirmed: another may be gone while these go on covering what is due', () => {
    const part = (n: number, usdcBase: bigint) =>
      payment({ key: `base:0x0${n}:0`, txHash: `0x0${n}`, blockNumber: 100 + n, usdcBase })
    const parts = [part(0, 2_500_000n), part(9, 1_250_000n), part(1, 11_875_000n)]
    const confirms = parts
      .filter(({ txHash }) => txHash !== '0x09')
      .map(({ key, blockNumber }) => ({ ...confirm, key, blockNumber }))
    const credits = parts.map((payment) => ({ kind: 'credit', payment }) as const)
    const settled = after([...credits, ...confirms])
    const reverted = after([...credits, ...confirms, { kind: 'revert', key: 'base:0x09:0' }])
    const inForce = settled.progress.settlement as Settlement
    expect([reverted.state, reverted.progress.settlement]).toEqual(['settled', inForce])
    const said = claimsOf(Receipt.ofSettlement(settled, inForce, { feeBasisPoints: 0, seed }))
    expect(said.txHashes).toEqual(['0x00', '0x01'])
    expect(said.payers).toEqual([payment().from])
    expect(said).toMatchObject({ gross: '14.375', net: '14.375' })
  })

  test('of an agreement and of a refund state what they prove', () => {
    const issue = { receiptId, issuedAt: '2026-05-01T12:00:00.000Z', seed }
    const mandateHash = `0x${'ab'.repeat(32)}`
    expect(claimsOf(Receipt.ofAgreement(mandateHash, issue))).toEqual({
      ...{ version: 2, kind: 'agreement', receiptId, issuedAt: issue.issuedAt, mandateHash },
    })
    const note = noteAfter(
      [],
      [{ payer: '0x00000000000000000000000000000000000000b1', usdcBase: 11_900_000n }],
    )
    const [refund] = note.progress.refunds
    if (!refund) throw new Error('nothing is refunded')
    const at = { position: 0, blockNumber: 9, blockTime: issue.issuedAt }
    const proof = { txHash: '0xee', from: note.terms.payTo, ...at }
    expect(claimsOf(Receipt.ofRefund(note, refund, proof, issue))).toMatchObject({
      ...{ version: 2, kind: 'refund', receiptId, creditNoteId: note.id, txHash: '0xee' },
      ...{ payer: refund.payer, to: refund.refundTo, from: note.terms.payTo, blockNumber: 9 },
    })
  })
})

describe('a bundle', () => {
  const issued: Issued = {
    ...receipt,
    ...{ receiptId, accountId: 'a', kind: 'settlement', invoiceId: invoice.id },
    ...{ issuedAt: settlement.settledAt, revokedAt: null, anchored: null },
  }

  test('shows the named claims alone, and hides the id with the others', () => {
    const all = JSON.stringify(bundleOf(issued, null))
    expect(all).toContain(receiptId)
    fc.assert(
      fc.property(fc.subarray(receipt.claims.map(([name]) => name)), (names) => {
        const bundle = bundleOf(issued, names)
        const shown = bundle.claims.flatMap((claim) => ('name' in claim ? claim.name : []))
        expect(shown).toEqual(names.toSorted())
        expect(bundle.claims).toHaveLength(receipt.claims.length)
        expect(JSON.stringify(bundle).includes(receiptId)).toBe(names.includes('receiptId'))
        expect(bundle.hash).toBe(toHex(receipt.hash))
      }),
    )
  })

  test.each(['', 'Total', 'total ', 'hash', '__proto__'])('%p is no name to show', (name) => {
    expect(() => bundleOf(issued, ['total', name])).toThrow('does not state')
  })
})

function claimsOf({ claims }: Receipt.Receipt): Readonly<Record<string, unknown>> {
  return Object.fromEntries(claims)
}
