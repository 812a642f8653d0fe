import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { Connection, PublicKey } from '@solana/web3.js'
import { newSolanaWallet } from '../../../src/chain/wallets.ts'
import { quittance } from '../../support/cli.ts'
import { useWorld } from '../../support/world.ts'

const { node: base, solana, env } = useWorld({ chains: ['base', 'solana'], service: 'none' })

async function doctor(over: Readonly<Record<string, string>> = {}) {
  const { json } = await quittance({ ...env, ...over }, 'doctor', '--json')
  return (what: string) =>
    (json as { verdict: string; what: string; detail: string; remedy: string | null }[]).find(
      (finding) => finding.what === what,
    )
}

test('confirms the token of each chain', async () => {
  const find = await doctor()
  expect(find('base token')).toMatchObject({ verdict: 'ok', detail: base.usdc })
  expect(find('solana token')).toMatchObject({ verdict: 'ok', detail: solana.mint.toBase58() })
})

test('finds an address without a token, or with a token of other decimals', async () => {
  const nothing = `0x${'11'.repeat(20)}`
  const find = await doctor({ BASE_USDC: nothing })
  expect(find('base token')).toMatchObject({
    verdict: 'problem',
    detail: `there is none at ${nothing}`,
    remedy: 'correct BASE_USDC',
  })
  // A contract that answers 18 decimals, as most tokens do.
  const other = `0x${'22'.repeat(20)}`
  await base.rpc('anvil_setCode', [other, '0x601260005260206000f3'])
  const findOther = await doctor({ BASE_USDC: other })
  expect(findOther('base token')?.detail).toBe(`${other} has 18 decimals`)
})

test('finds a fee payer on Solana that cannot pay', async () => {
  const over = { SOLANA_WALLET: solana.wallet(5).publicKey.toBase58() }
  const { address, privateKey } = newSolanaWallet()
  const poor = await doctor({ ...over, FACILITATOR_SVM_PRIVATE_KEY: privateKey })
  expect(poor('solana facilitator')).toEqual({
    verdict: 'problem',
    what: 'solana facilitator',
    detail: `${address} has 0 for fees, but a transaction costs up to 0.00003`,
    remedy: 'send it some of the native coin of solana',
  })
  const funded = base58.encode(solana.wallet(6).secretKey)
  const well = await doctor({ ...over, FACILITATOR_SVM_PRIVATE_KEY: funded })
  expect(well('solana facilitator')).toMatchObject({ verdict: 'ok' })
})

test('finds fault with a Solana wallet without a USDC account', async () => {
  const owner = solana.wallet(5).publicKey
  const over = { SOLANA_WALLET: owner.toBase58() }
  const before = await doctor(over)
  expect(before('solana wallet')).toMatchObject({
    verdict: 'problem',
    detail: expect.stringContaining(`${owner.toBase58()} has no token account`),
    remedy: 'send it some USDC once',
  })
  solana.mintTo(owner, 1n)
  solana.advance(5)
  const after = await doctor(over)
  expect(after('solana wallet')).toBe(undefined)
  expect(after('solana token')).toMatchObject({ verdict: 'ok' })
})

test('notes a Solana wallet without SOL, which payers’ wallets do not find', async () => {
  const { address } = newSolanaWallet()
  const owner = new PublicKey(address)
  const over = { SOLANA_WALLET: address }
  solana.mintTo(owner, 1n)
  solana.advance(5)
  const withoutCoin = (await doctor(over))('solana wallet')
  expect(withoutCoin).toMatchObject({ verdict: 'note' })
  expect(withoutCoin?.detail).toStartWith(`${address} has no SOL`)
  await new Connection(solana.url, 'confirmed').requestAirdrop(owner, 1_000_000)
  solana.advance(5)
  expect((await doctor(over))('solana wallet')).toBe(undefined)
})
