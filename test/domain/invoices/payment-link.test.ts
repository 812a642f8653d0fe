import { expect, test } from 'bun:test'
import { paymentLink } from '../../../src/domain/invoices/payment-link.ts'
import { registry } from '../../../src/domain/registry.ts'

const reference = `0x${'01'.repeat(32)}`

test('a wallet app is asked for base units of the token on EVM', () => {
  const { usdcAddress } = registry.base
  const payTo = '0x00000000000000000000000000000000000000aA'
  expect(paymentLink({ chain: 'base', usdcAddress, payTo, reference }, 12_500_000n)).toBe(
    `ethereum:${usdcAddress}@8453/transfer?address=${payTo}&uint256=12500000`,
  )
})

test('and on Solana for decimals, with the reference as an account and as the memo', () => {
  const { usdcAddress } = registry.solana
  expect(
    paymentLink({ chain: 'solana', usdcAddress, payTo: 'wallet', reference }, 12_500_000n),
  ).toBe(
    `solana:wallet?amount=12.50&spl-token=${usdcAddress}&reference=4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi&memo=${reference}`,
  )
})
