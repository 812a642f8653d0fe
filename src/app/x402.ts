import { createPaywall } from '../actors/paywall.ts'
import { evmFacilitator } from '../chain/evm-facilitator.ts'
import { checksummed, evmPaymentReader } from '../chain/evm-payments.ts'
import { isSignedByPayer } from '../chain/payer-signature.ts'
import { registry } from '../chain/registry.ts'
import { remoteFacilitator } from '../chain/remote-facilitator.ts'
import { createRpc } from '../chain/rpc.ts'
import type { Config } from '../config.ts'
import { type Network, networks } from '../domain/network.ts'
import type { PayOption } from '../domain/x402.ts'
import type { Facilitator, PaymentReader } from '../domain/x402-payment.ts'
import type { Secrets } from '../secrets.ts'
import type { Sql } from '../storage/db.ts'
import * as Payments from '../storage/x402-payments.ts'
import { now } from './clock.ts'

const settleWithinMs = 20_000

/** The paywall over the networks that have a wallet of this service. */
export function paywall({ config, secrets, sql }: { config: Config; secrets: Secrets; sql: Sql }) {
  const options = networks.flatMap((network) => optionOf(network, config, secrets))
  const evm = new Map(
    options.flatMap(({ network }) => {
      const parts = evmParts(network, config)
      return parts ? [[network, parts] as const] : []
    }),
  )
  const paywall = createPaywall({
    options,
    facilitator: (network) => evm.get(network)?.facilitator,
    reader: (network) => evm.get(network)?.reader,
    store: {
      find: (claim) => Payments.findPayment(sql, claim),
      claim: (claim, otherKeys, at) => Payments.claimPayment(sql, claim, otherKeys, at),
      note: (key, txHash) => Payments.noteTransaction(sql, key, txHash),
      pending: (key) => Payments.markPending(sql, key),
      settled: (key, txHash) => Payments.markSettled(sql, key, txHash),
      release: (key) => Payments.releasePayment(sql, key),
      keep: (key, answer) => Payments.keepAnswer(sql, key, answer),
      open: (madeBefore, limit) => Payments.openPayments(sql, madeBefore, limit),
    },
    isSignedByPayer,
    now,
  })
  return { ...paywall, networks: options.map(({ network }) => network), caip2Of }
}

function caip2Of(network: string): string {
  const { chainId } = registry[network as Network]
  return `eip155:${chainId}`
}

function optionOf(network: Network, config: Config, secrets: Secrets): readonly PayOption[] {
  const recipient = secrets.wallets[network]
  const { chainId } = registry[network]
  // Solana is offered once its payments can be settled here.
  if (recipient === null || chainId === null) return []
  const name = network === 'skale' ? 'Bridged USDC (SKALE Bridge)' : 'USD Coin'
  return [
    {
      network,
      caip2: caip2Of(network),
      recipient: checksummed(recipient),
      token: checksummed(config.networks[network].usdcAddress),
      extra: { name, version: '2' },
    },
  ]
}

function evmParts(
  network: Network,
  { networks: configured, facilitator: { evmPrivateKey, url } }: Config,
): { readonly reader: PaymentReader; readonly facilitator: Facilitator | undefined } | null {
  const { rpcUrls, usdcAddress: usdc, maxRangeBlocks: lookBackBlocks } = configured[network]
  const { chainId: expectedChainId } = registry[network]
  if (rpcUrls.length === 0) return null
  const rpc = createRpc({ urls: rpcUrls, expectedChainId })
  const own = evmPrivateKey
    ? evmFacilitator(rpc, { privateKey: evmPrivateKey, settleWithinMs })
    : undefined
  return {
    reader: evmPaymentReader(rpc, { network, usdc, lookBackBlocks }),
    facilitator: url === null ? own : remoteFacilitator(url, settleWithinMs),
  }
}
