import { evmPaymentReader } from '../chain/evm/payments.ts'
import { evmFacilitator } from '../chain/facilitator/evm.ts'
import { type RemoteFacilitator, remoteFacilitator } from '../chain/facilitator/remote.ts'
import { solanaFacilitator } from '../chain/facilitator/solana.ts'
import { createRpc } from '../chain/rpc/rpc.ts'
import { solanaPaymentReader } from '../chain/solana/payments.ts'
import { solanaRpc } from '../chain/solana/solana.ts'
import { createTokenCheck } from '../chain/token.ts'
import { checksummed } from '../chain/wallets.ts'
import type { Config } from '../config/config.ts'
import { caip2Of, type Network } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import type { PayOption } from '../domain/x402/paywall.ts'
import type { Facilitator, PaymentReader } from '../domain/x402/settlement.ts'
import type { Log } from '../telemetry/log.ts'

const settleWithinMs = 20_000

/** How payments on one network are settled and read. */
export type Settling = {
  readonly network: Network
  readonly facilitator: Facilitator | undefined
  readonly reader: PaymentReader | undefined
  /** How to pay on this network, as of now; null where there is no wallet to pay to. */
  option(): PayOption | null
}

/** The remote facilitator, if the operator has configured one; else null. */
export function remoteOf({ facilitator: { url } }: Config): RemoteFacilitator | null {
  return url === null ? null : remoteFacilitator(url, settleWithinMs)
}

/** The payment parts of one network, where payments go to `recipient`; null: they are not taken. */
export function settlingOn(
  network: Network,
  recipient: string | null,
  config: Config,
  remote: RemoteFacilitator | null,
  log: Log,
): Settling {
  const own =
    registry[network].kind === 'evm' ? evmParts(network, config, log) : solanaParts(config, log)
  const spelt = registry[network].kind === 'evm' ? checksummed : String
  const caip2 = caip2Of(network)
  const token = spelt(config.networks[network].usdcAddress)
  return {
    network,
    ...onlyForUsdc(network, config, { ...own, facilitator: remote ?? own.facilitator }),
    option() {
      if (recipient === null) return null
      const told = remote ? remote.extraFor(caip2) : own.extra
      return {
        network,
        caip2,
        recipient: spelt(recipient),
        token,
        extra: { ...told, ...registry[network].usdcDomain },
        // The facilitator's answer may be lost: then only the chain knows what was paid.
        takesSigned: told !== null && own.reader !== undefined,
        takesTransfers: own.reader !== undefined,
      }
    },
  }
}

/**
 * Makes settling and reading check first that the configured token is USDC by the chain itself, if
 * a node is configured. Nothing is sold for another token.
 */
function onlyForUsdc(
  network: Network,
  config: Config,
  { facilitator, reader }: Pick<Parts, 'facilitator' | 'reader'>,
): Pick<Parts, 'facilitator' | 'reader'> {
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  if (rpcUrls.length === 0) return { facilitator, reader }
  const check = createTokenCheck({ network, rpcUrls, usdc })
  return {
    facilitator: facilitator && {
      ...facilitator,
      verify: (...signed) => check().then(() => facilitator.verify(...signed)),
    },
    reader: reader && {
      ...reader,
      transfersTo: (...paid) => check().then(() => reader.transfersTo(...paid)),
    },
  }
}

/**
 * `extra`: what payers must know besides the price; null: nobody can settle signed payments here.
 */
type Parts = {
  readonly facilitator: Facilitator | undefined
  readonly reader: PaymentReader | undefined
  readonly extra: PayOption['extra'] | null
}

const noParts: Parts = { facilitator: undefined, reader: undefined, extra: null }

function evmParts(network: Network, config: Config, log: Log): Parts {
  const { rpcUrls: urls, usdcAddress: usdc, maxRangeBlocks } = config.networks[network]
  const { chainId: expectedChainId } = registry[network]
  const { evmPrivateKey: privateKey } = config.facilitator
  if (urls.length === 0) return noParts
  const rpc = createRpc({ urls, expectedChainId })
  const reader = evmPaymentReader(rpc, { network, usdc, maxRangeBlocks })
  if (privateKey === null) return { ...noParts, reader }
  return {
    facilitator: evmFacilitator(rpc, {
      network,
      privateKey,
      settleWithinMs,
      onFault: (err) => log.warn({ network, err }, 'no node takes what settles a payment by x402'),
    }),
    reader,
    extra: {},
  }
}

function solanaParts(config: Config, log: Log): Parts {
  const { rpcUrls, usdcAddress: usdc } = config.networks.solana
  const { svmPrivateKey: privateKey } = config.facilitator
  if (rpcUrls.length === 0) return noParts
  const rpc = solanaRpc({ rpcUrls })
  const reader = solanaPaymentReader(rpc, { usdc })
  if (privateKey === null) return { ...noParts, reader }
  const facilitator = solanaFacilitator(rpc, {
    privateKey,
    settleWithinMs,
    onFault: (err) => log.warn({ network: 'solana', err }, 'no payment by x402 can be settled'),
  })
  return { facilitator, reader, extra: { feePayer: facilitator.feePayer } }
}
