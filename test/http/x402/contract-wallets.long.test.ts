import { beforeAll, expect, test } from 'bun:test'
import { type Hex, serializeErc6492Signature } from 'viem'
import {
  type ContractWallet,
  installContractWallet,
  installMulticall,
} from '../../support/contract-wallet.ts'
import { useSeller } from '../../support/x402-seller.ts'

/**
 * Payments of contract wallets. Verifying such a signature runs the wallet's own code, whose gas
 * the facilitator pays for.
 */

const { node, signed } = useSeller()
const facilitator = () => node.wallet(8)

beforeAll(() => installMulticall(node))

/** Buys with a payment that the official client makes and this wallet signs. */
async function buyFrom(wallet: ContractWallet) {
  await node.mint(wallet.address, 1_000_000n)
  const { payment, pay } = await signed(wallet)
  const answer = await pay()
  const { nonce } = payment.payload.authorization as { nonce: Hex }
  return { status: answer.status, problem: answer.json.error, nonce }
}

async function facilitatorsWei(): Promise<bigint> {
  return BigInt(await node.rpc<string>('eth_getBalance', [facilitator().address, 'latest']))
}

async function isUsed(payer: Hex, nonce: Hex): Promise<boolean> {
  const data = `0xe94a0102${payer.slice(2).padStart(64, '0')}${nonce.slice(2)}`
  return BigInt(await node.rpc<string>('eth_call', [{ to: node.usdc, data }, 'latest'])) === 1n
}

test('buy as others do, also where looking at the signature takes a good deal', async () => {
  // Mines until the price of block space has fallen: the node's tip alone is a hundred times that
  // of Base.
  await node.mine(100)
  for (const gasBurnt of [0, 250_000]) {
    const wallet = await installContractWallet(node, { owner: node.wallet(1), gasBurnt })
    const { status, nonce } = await buyFrom(wallet)
    expect([status, await isUsed(wallet.address, nonce)]).toEqual([200, true])
  }
})

test('buy nothing where settling costs more gas than what is sold is worth, and that costs nothing', async () => {
  const wallet = await installContractWallet(node, { owner: node.wallet(1), gasBurnt: 600_000 })
  const before = await facilitatorsWei()
  const { status, problem, nonce } = await buyFrom(wallet)
  expect([status, problem]).toEqual([402, 'settlement_costs_too_much'])
  expect(await facilitatorsWei()).toBe(before)
  expect(await isUsed(wallet.address, nonce)).toBe(false)
})

/**
 * The wallet with software that wraps every signature with its deployment call (ERC-6492), whether
 * or not the wallet is deployed.
 */
function wrapping(wallet: ContractWallet): ContractWallet {
  const { address } = node.wallet(2)
  return {
    ...wallet,
    async signTypedData(message) {
      return serializeErc6492Signature({
        address,
        data: '0x',
        signature: await wallet.signTypedData(message),
      })
    },
  }
}

test('buy by a signature that says how the wallet is deployed, where it is', async () => {
  const wallet = await installContractWallet(node, { owner: node.wallet(1) })
  const { status, nonce } = await buyFrom(wrapping(wallet))
  expect([status, await isUsed(wallet.address, nonce)]).toEqual([200, true])
})

test('buy nothing by a signature that says so and cannot be read', async () => {
  const wallet = await installContractWallet(node, { owner: node.wallet(1) })
  const signTypedData = async (): Promise<Hex> => `0x${'ff'.repeat(65)}${'6492'.repeat(16)}`
  expect((await buyFrom({ ...wallet, signTypedData })).status).toBe(402)
})
