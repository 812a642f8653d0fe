import { describe, expect, test } from 'bun:test'
import { PublicKey } from '@solana/web3.js'
import { createLackCheck } from '../../../src/chain/facilitator/lacks.ts'
import { newEvmWallet, newSolanaWallet } from '../../../src/chain/wallets.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

const { node, nodes, solana } = useWorld({
  chains: ['base', 'skale', 'solana'],
  service: 'no database',
})

type Seller = Parameters<typeof createLackCheck>[0]

/** A check with a clock of its own. */
function checkOf(seller: Seller) {
  let nowMs = 0
  const check = createLackCheck(seller, () => nowMs)
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { check, pass }
}

function onEvm(network: 'base' | 'skale', privateKey: string | null): Seller {
  const { url = '', usdc = '' } = nodes[network] ?? {}
  return { network, rpcUrls: [url], usdc, wallet: newEvmWallet().address, privateKey }
}

describe('what cannot be paid', () => {
  test('is an EVM chain whose facilitator has no coin, until it has some', async () => {
    const { address, privateKey } = newEvmWallet()
    const { check, pass } = checkOf(onEvm('base', privateKey))
    expect(check()).toBeNull()
    await eventually(() => check() !== null)
    expect(check()).toMatchObject({ forbidsTransfers: false })
    expect(check()?.text).toStartWith(
      `the facilitator ${address.toLowerCase()} has 0 of base’s coin`,
    )
    await node.rpc('anvil_setBalance', [address, '0xde0b6b3a7640000'])
    pass(30_001)
    await eventually(() => check() === null)
  })

  test('is Solana without a token account of the wallet, until it is there', async () => {
    const { address } = newSolanaWallet()
    const usdc = solana.mint.toBase58()
    const { check, pass } = checkOf({
      ...{ network: 'solana', rpcUrls: [solana.url], usdc, wallet: address },
      privateKey: null,
    })
    check()
    await eventually(() => check() !== null)
    expect(check()).toEqual({
      text: `${address} has no token account on Solana: send it some USDC once`,
      forbidsTransfers: true,
    })
    solana.mintTo(new PublicKey(address), 1n)
    solana.advance(5)
    pass(30_001)
    await eventually(() => check() === null)
  })

  test.each([
    ['SKALE, which has no fees', () => onEvm('skale', newEvmWallet().privateKey)],
    ['where a remote facilitator settles', () => onEvm('base', null)],
    [
      'where no node answers',
      () => ({ ...onEvm('base', newEvmWallet().privateKey), rpcUrls: ['http://127.0.0.1:1'] }),
    ],
  ])('is not %s', async (_, seller) => {
    const { check } = checkOf(seller())
    check()
    await Bun.sleep(300)
    expect(check()).toBeNull()
  })
})
