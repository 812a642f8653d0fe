import type { Config } from '../../config/config.ts'
import type { Network } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { evmSender } from '../evm/sender.ts'
import { createRpc } from '../rpc/rpc.ts'
import { feePayer } from '../solana/message.ts'
import { solanaRpc } from '../solana/solana.ts'
import { usualGasOn } from './evm.ts'
import { mostFeeLamports } from './solana.ts'

/** A key's balance, and what a usual transaction takes; 10^`scale` are one coin. */
export type Funds = {
  readonly address: string
  readonly has: bigint
  readonly takes: bigint
  readonly scale: number
}

/** The key that settles payments on a network; null: there is none, or another service settles. */
export function facilitatorKey({ facilitator }: Config, network: Network): string | null {
  const { evmPrivateKey, svmPrivateKey, url } = facilitator
  if (url !== null) return null
  return registry[network].kind === 'evm' ? evmPrivateKey : svmPrivateKey
}

export function facilitatorFunds(options: {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly privateKey: string
}): Promise<Funds> {
  return registry[options.network].kind === 'evm' ? evmFunds(options) : solanaFunds(options)
}

async function evmFunds({
  network,
  rpcUrls,
  privateKey,
}: Parameters<typeof facilitatorFunds>[0]): Promise<Funds> {
  const rpc = createRpc({ urls: rpcUrls, expectedChainId: registry[network].chainId })
  const { sender, balanceWei, fees } = evmSender(rpc, privateKey)
  const [has, { maxFeePerGas }] = await Promise.all([balanceWei(), fees()])
  return { address: sender, has, takes: usualGasOn(network) * maxFeePerGas, scale: 18 }
}

async function solanaFunds({
  rpcUrls,
  privateKey,
}: Parameters<typeof facilitatorFunds>[0]): Promise<Funds> {
  const { address } = feePayer(privateKey)
  const [balance, rent] = await solanaRpc({ rpcUrls }).ask([
    { method: 'getBalance', params: [address, { commitment: 'confirmed' }] },
    { method: 'getMinimumBalanceForRentExemption', params: [0] },
  ])
  // A transaction that leaves its fee payer less than this is refused.
  const spendable = BigInt((balance as { value: number }).value) - BigInt(rent as number)
  return { address, has: spendable > 0n ? spendable : 0n, takes: mostFeeLamports, scale: 9 }
}
