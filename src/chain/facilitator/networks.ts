import type { Hex } from 'viem'
import type { Config } from '../../config/config.ts'
import { isWatched } from '../../config/notes.ts'
import type { Secrets } from '../../config/secrets.ts'
import { checksummed } from '../../domain/address.ts'
import { addressKey, caip2Of, type Network, networks } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import type { PaymentOption } from '../../domain/x402/payment-required.ts'
import type { Facilitator, PaymentNetwork, PaymentReader } from '../../domain/x402/settlement.ts'
import { readAuthorization } from '../../domain/x402/signed-payment.ts'
import type { Log } from '../../telemetry/log.ts'
import type { SecondNodes } from '../chains.ts'
import { evmPaymentReader } from '../evm/payments.ts'
import { createRpc } from '../rpc/rpc.ts'
import type { SecondNode } from '../rpc/second-node.ts'
import { solanaAuthorization } from '../solana/message.ts'
import { solanaPaymentReader } from '../solana/payments.ts'
import { solanaRpc } from '../solana/solana.ts'
import { createTokenCheck } from '../token.ts'
import { evmFacilitator } from './evm.ts'
import { facilitatorKey } from './funds.ts'
import { createLackCheck } from './lacks.ts'
import { isAuthorizationSigned } from './payer-signature.ts'
import { type RemoteFacilitator, remoteFacilitator } from './remote.ts'
import { solanaFacilitator } from './solana.ts'

const settleWithinMs = 20_000

type Parts = {
  readonly config: Config
  readonly secrets: Secrets
  readonly now: () => Date
  readonly steadyMs: () => number
  readonly log: Log
  readonly secondNodes: SecondNodes
}

export function paymentNetworks(parts: Parts): readonly PaymentNetwork[] {
  const { url } = parts.config.facilitator
  const remote = url === null ? null : remoteFacilitator(url, settleWithinMs)
  return networks.map((network) => paymentNetwork(network, remote, parts))
}

/**
 * Networks on which an invoice that is bought can be paid. Where none is watched, nothing can be
 * bought either: then all with a wallet are given, so that the price can be shown.
 */
export function payableNetworks(config: Config, { wallets }: Secrets): readonly Network[] {
  const held = networks.filter((network) => wallets[network] !== null)
  const watched = held.filter((network) => isWatched(config, network))
  return watched.length > 0 ? watched : held
}

function paymentNetwork(
  network: Network,
  remote: RemoteFacilitator | null,
  { config, secrets, now, steadyMs, log, secondNodes }: Parts,
): PaymentNetwork {
  const isEvm = registry[network].kind === 'evm'
  const own = isEvm ? evmParts(network, config, log) : solanaParts(config, log)
  const written = isEvm ? checksummed : String
  const wallet = secrets.wallets[network]
  const { rpcUrls, usdcAddress: usdc } = config.networks[network]
  const seller = { network, rpcUrls, usdc, privateKey: facilitatorKey(config, network) }
  const lack =
    wallet === null || rpcUrls.length === 0
      ? () => null
      : createLackCheck({ ...seller, wallet }, steadyMs)
  return {
    network,
    lack: () => lack()?.text ?? null,
    ...onlyForUsdc(network, config, {
      reader: own.reader && withSecondNode(own.reader, secondNodes.get(network)),
      facilitator: remote ?? own.facilitator,
    }),
    option() {
      if (wallet === null) return null
      const extra = remote ? remote.extraFor(caip2Of(network)) : own.extra
      const lacking = lack()
      return {
        network,
        payTo: written(wallet),
        asset: written(usdc),
        extra: { ...extra, ...registry[network].usdcDomain },
        // The facilitator's answer may be lost: then only the chain knows what was paid.
        takesSigned: extra !== null && own.reader !== undefined && lacking === null,
        takesTransfers: own.reader !== undefined && !lacking?.forbidsTransfers,
      }
    },
    isSignedByKey: async (payment) =>
      !isEvm || isAuthorizationSigned(payment, written(usdc) as Hex),
    readPayment: (payload) =>
      isEvm ? readAuthorization(network, payload) : solanaAuthorization(payload, now()),
  }
}

/** What no second node shows yet is read as not being there yet. */
function withSecondNode(reader: PaymentReader, secondNode: SecondNode | undefined): PaymentReader {
  return {
    ...reader,
    async transfersTo(paid, txHash) {
      const transfers = await reader.transfersTo(paid, txHash)
      const to = addressKey(paid.payTo)
      const sent = (transfers ?? []).map(({ position, from, usdcBase }) => {
        return { txHash, to, position, from, usdcBase }
      })
      const seconded = (await secondNode?.seconded(sent)) ?? sent
      return seconded.length === sent.length ? transfers : null
    },
  }
}

/** Nothing is sold for a token that is not USDC by the chain itself, if a node is configured. */
function onlyForUsdc(
  network: Network,
  config: Config,
  { facilitator, reader }: Pick<OwnParts, 'facilitator' | 'reader'>,
): Pick<OwnParts, 'facilitator' | 'reader'> {
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
      async transfersTo(paid, txHash) {
        // A payment may have been claimed for the token that was set before.
        if (addressKey(paid.asset) === addressKey(usdc)) await check()
        return reader.transfersTo(paid, txHash)
      },
    },
  }
}

/** `extra`: what payers must know; null: we cannot settle signed payments there. */
type OwnParts = {
  readonly facilitator: Facilitator | undefined
  readonly reader: PaymentReader | undefined
  readonly extra: PaymentOption['extra'] | null
}

const noParts: OwnParts = { facilitator: undefined, reader: undefined, extra: null }

function evmParts(network: Network, config: Config, log: Log): OwnParts {
  const { rpcUrls: urls, maxRangeBlocks } = config.networks[network]
  const { chainId: expectedChainId } = registry[network]
  const { evmPrivateKey: privateKey } = config.facilitator
  if (urls.length === 0) return noParts
  const rpc = createRpc({ urls, expectedChainId })
  const reader = evmPaymentReader(rpc, { network, maxRangeBlocks })
  if (privateKey === null) return { ...noParts, reader }
  const facilitator = evmFacilitator(rpc, {
    network,
    privateKey,
    settleWithinMs,
    onFault: (err) => log.warn({ network, err }, 'no node takes what settles a payment by x402'),
  })
  return { facilitator, reader, extra: {} }
}

function solanaParts(config: Config, log: Log): OwnParts {
  const { rpcUrls } = config.networks.solana
  const { svmPrivateKey: privateKey } = config.facilitator
  if (rpcUrls.length === 0) return noParts
  const rpc = solanaRpc({ rpcUrls })
  const reader = solanaPaymentReader(rpc)
  if (privateKey === null) return { ...noParts, reader }
  const facilitator = solanaFacilitator(rpc, {
    privateKey,
    settleWithinMs,
    onFault: (err) => log.warn({ network: 'solana', err }, 'no payment by x402 can be settled'),
  })
  return { facilitator, reader, extra: { feePayer: facilitator.feePayer } }
}
