import { expect, test } from 'bun:test'
import { paymentUri } from '../../src/chain/payment-uri.ts'
import { registry } from '../../src/domain/registry.ts'

const payment = {
  payTo: '0x00000000000000000000000000000000000000aA',
  usdcAddress: registry.base.usdcAddress,
  dueUsdcBase: 12_500_000n,
  amountDue: '12.5',
  reference: `0x${'01'.repeat(32)}`,
}

test('a wallet app is asked for base units of the token on EVM', () => {
  expect(paymentUri('base', payment)).toBe(
    `ethereum:${registry.base.usdcAddress}@8453/transfer?address=${payment.payTo}&uint256=12500000`,
  )
})

test('and on Solana for decimals, with the reference as an account and as the memo', () => {
  const { usdcAddress } = registry.solana
  const uri = paymentUri('solana', { ...payment, payTo: 'wallet', usdcAddress })
  expect(uri).toBe(
    `solana:wallet?amount=12.5&spl-token=${usdcAddress}&reference=4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi&memo=${payment.reference}`,
  )
})
