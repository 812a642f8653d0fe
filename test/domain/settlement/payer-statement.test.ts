import { describe, expect, test } from 'bun:test'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'

const invoiceId = '0199a6c0-0000-7000-8000-0000000000AB'
const txHash = `0x${'Ab'.repeat(32)}`

describe('the text a payer signs', () => {
  test('names the invoice, the chain and the transaction, in one spelling', () => {
    expect(payerStatement({ subject: { invoiceId }, chain: 'base', txHash })).toBe(
      'Quittance payment statement v1\nI made this transfer, and it pays:\n' +
        'Invoice: 0199a6c0-0000-7000-8000-0000000000ab\nChain: base\n' +
        `Transaction: 0x${'ab'.repeat(32)}\n`,
    )
  })

  test('names the resource of an x402 payment, and keeps the case of a Solana signature', () => {
    const resource = 'https://pay.example/api/x402/invoice'
    expect(payerStatement({ subject: { resource }, chain: 'solana', txHash: '5VERv8NMvzbJ' })).toBe(
      'Quittance payment statement v1\nI made this transfer, and it pays:\n' +
        'Resource: https://pay.example/api/x402/invoice\nChain: solana\nTransaction: 5VERv8NMvzbJ\n',
    )
  })
})
