import type { FacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import {
  createPublicClient,
  custom,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseErc6492Signature,
  parseSignature,
} from 'viem'
import { toDecimal } from '../../domain/money/money.ts'
import type { Network } from '../../domain/network.ts'
import { registry } from '../../domain/registry.ts'
import { entryOf } from '../../domain/x402/payment-required.ts'
import type { OwnRequirements } from '../../domain/x402/requirements.ts'
import type { Facilitator, SettlementResult } from '../../domain/x402/settlement.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'
import type { ChainError } from '../chain.ts'
import { type Receipt, receiptCall } from '../evm/blocks.ts'
import { evmSender, lacksFunds, type SignedTransaction } from '../evm/sender.ts'
import { isRefusal } from '../rpc/fault.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { payloadOf } from './client.ts'

const receiptPollMs = 250
/** How long a transaction that took our nonce is waited for, while other payments queue. */
const nonceWaitMs = 4_000
export function usualGasOn(network: Network): bigint {
  return registry[network].maxSettlementGas / 5n
}

const attempts = 3

type Call = { readonly to: Hex; readonly data: Hex }

type Sent = SignedTransaction & { readonly nonce: number }

/** Once a transaction has left, anybody who has read it can bring the payment on chain. */
const unknown = { kind: 'unknown' } as const
const tooMuch = { kind: 'refused', problem: 'settlement_costs_too_much' } as const
/** The scheme throws on signatures that it cannot parse. */
const unreadable = {
  isValid: false,
  invalidReason: 'invalid_exact_evm_failed_to_parse_signature',
}

/** `onFault` reports why no node takes a payment. */
type Sending = { network: Network; onFault: (fault: Error) => void }

/**
 * Settles with a key of this service (0x + 64 hex), which pays the gas. The official scheme
 * verifies; sending is our own, so the hash is known before the transaction leaves.
 */
export function evmFacilitator(
  rpc: Rpc,
  { settleWithinMs, ...options }: Sending & { privateKey: string; settleWithinMs: number },
): Facilitator {
  const sender = evmSender(rpc, options.privateKey)
  const queue = createSendQueue(sender, options)

  async function verify(payment: SignedPayment, requirements: OwnRequirements) {
    const entry = entryOf(requirements)
    const signer = readingSigner(rpc, sender.sender)
    const scheme = new ExactEvmScheme(signer)
    const verdict = await scheme.verify(payloadOf(payment, entry), entry).catch(() => unreadable)
    // The scheme calls a payment invalid if a node does not answer; only the node is at fault then.
    if (signer.fault) throw signer.fault
    return verdict.isValid
      ? { kind: 'valid' as const }
      : { kind: 'refused' as const, problem: verdict.invalidReason ?? 'invalid' }
  }

  async function settle(
    payment: SignedPayment,
    requirements: OwnRequirements,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<SettlementResult> {
    const call = { to: requirements.asset as Hex, data: callOf(payment) }
    // Before queueing: a payer's contract can keep a node busy for long.
    const refusal = await queue.refusalOf(call)
    if (refusal) return refusal
    const outcome = await queue.send(call, note)
    if ('kind' in outcome) return outcome
    const settlement = await waitFor(rpc, outcome.txHash, settleWithinMs)
    queue.free(outcome.nonce)
    return settlement
  }

  return { notesFirst: true, verify, settle }
}

/** One at a time: the node's transaction count, our next nonce, leaves out what is not sent. */
function createSendQueue(sender: ReturnType<typeof evmSender>, { network, onFault }: Sending) {
  const { maxSettlementGas, maxSettlementWei } = registry[network]
  let sending: Promise<unknown> = Promise.resolve()
  /** The newest nonce that a node has accepted, until its transaction is mined or given up. */
  let waiting: number | null = null

  async function refusalOf(call: Call): Promise<SettlementResult | null> {
    try {
      return (await sender.gasFor(call)) > maxSettlementGas ? tooMuch : null
    } catch (error) {
      return refusalBy(error)
    }
  }

  function send(call: Call, note: (txHash: string) => Promise<boolean>) {
    const sent = sending.then(() => sendNow(call, note))
    sending = sent.catch(() => undefined)
    return sent
  }

  async function sendNow(
    call: Call,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<Sent | SettlementResult> {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const signed = await sign(call)
      if ('kind' in signed) return attempt === 1 ? signed : unknown
      if (!(await note(signed.txHash))) return unknown
      const broadcast = await sender.broadcast(signed.signedBytes).catch((error) => {
        onFault(error)
        return lacksFunds(error) ? ('untaken' as const) : ('unknown' as const)
      })
      if (broadcast === 'accepted' || broadcast === 'known') {
        waiting = signed.nonce
        return signed
      }
      if (broadcast === 'unknown' || broadcast === 'untaken') return { kind: broadcast }
      // Another process with the same key was faster, and its transaction may not be mined yet.
      if (attempt < attempts) await nonceCounted(signed.nonce)
    }
    return { kind: 'untaken' }
  }

  async function nextNonce(): Promise<number> {
    const counted = await sender.transactionCount()
    // Some nodes, skaled among them, count only mined transactions.
    return waiting === null ? counted : Math.max(counted, waiting + 1)
  }

  async function nonceCounted(nonce: number): Promise<void> {
    const giveUpAt = performance.now() + nonceWaitMs
    while (performance.now() < giveUpAt) {
      const counted = await sender.transactionCount().catch(() => 0)
      if (counted > nonce) return
      await Bun.sleep(receiptPollMs)
    }
  }

  async function sign(call: Call): Promise<Sent | SettlementResult> {
    try {
      const [gas, nonce, fees, hasWei] = await Promise.all([
        sender.gasFor(call, maxSettlementGas),
        nextNonce(),
        sender.fees(),
        sender.balanceWei(),
      ])
      const takesWei = gas * fees.maxFeePerGas
      const isTooMuch = gas > maxSettlementGas || takesWei > maxSettlementWei
      if (isTooMuch) return tooMuch
      if (hasWei < takesWei) {
        onFault(shortOf(takesWei, sender.sender, hasWei))
        return { kind: 'refused', problem: 'settlement_unavailable' }
      }
      // Nothing replaces it, so it must survive a rise of the fees; what is not needed is not paid.
      // The rest of the coin is for payments in parallel.
      const mostWei = minOf(5n * takesWei, maxSettlementWei, hasWei / 8n)
      const maxFeePerGas = mostWei > takesWei ? mostWei / gas : fees.maxFeePerGas
      return { nonce, ...(await sender.sign(call, { gas, nonce, ...fees, maxFeePerGas })) }
    } catch (error) {
      // Nothing of this attempt has left, so nothing is paid, whatever the reason.
      return refusalBy(error)
    }
  }

  /** By the end of its wait the node counts the transaction, or it is lost. */
  function free(nonce: number): void {
    if (waiting === nonce) waiting = null
  }

  return { refusalOf, send, free }
}

async function waitFor(rpc: Rpc, txHash: string, withinMs: number): Promise<SettlementResult> {
  const giveUpAt = performance.now() + withinMs
  while (performance.now() < giveUpAt) {
    const status = await statusOf(rpc, txHash).catch(() => null)
    if (status === '0x1') return { kind: 'settled', txHash }
    if (status !== null) return { kind: 'failed', problem: 'settlement_failed' }
    await new Promise((resolve) => setTimeout(resolve, receiptPollMs))
  }
  return unknown
}

async function statusOf(rpc: Rpc, txHash: string): Promise<string | null> {
  const [receipt] = await rpc.ask([receiptCall(txHash)])
  return (receipt as Receipt | null)?.status ?? null
}

function refusalBy(error: unknown): SettlementResult {
  const problem = isRefusal(error) ? 'settlement_reverts' : 'settlement_unavailable'
  return { kind: 'refused', problem }
}

function minOf(first: bigint, ...others: readonly bigint[]): bigint {
  let least = first
  for (const amount of others) if (amount < least) least = amount
  return least
}

function shortOf(takesWei: bigint, address: string, hasWei: bigint): Error {
  const [takes, has] = [toDecimal(takesWei, 18), toDecimal(hasWei, 18)]
  return new Error(
    `a settlement takes up to ${takes} of the chain's coin, and ${address} has ${has}`,
  )
}

function callOf({ payload }: SignedPayment): Hex {
  const { signature, authorization } = payload as {
    signature: Hex
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  }
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const args = [
    from as Hex,
    to as Hex,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
  ] as const
  const functionName = 'transferWithAuthorization'
  // Every USDC has the form with (v, r, s), which signatures of contract wallets do not fit.
  if (signature.length !== 132) {
    // Verifying has refused payers whose contract is not deployed, so the inner signature suffices.
    const { signature: inner } = parseErc6492Signature(signature)
    return encodeFunctionData({ abi: withBytes, functionName, args: [...args, inner] })
  }
  const { r, s, yParity } = parseSignature(signature)
  return encodeFunctionData({ abi: withParts, functionName, args: [...args, 27 + yParity, r, s] })
}

const withParts = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const withBytes = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** What the official scheme reads with. `fault` is why the chain could not answer a question. */
function readingSigner(
  rpc: Rpc,
  sender: string,
): FacilitatorEvmSigner & { readonly fault: ChainError | null } {
  let fault: ChainError | null = null

  async function request({ method, params }: { method: string; params?: readonly unknown[] }) {
    const answers = rpc.ask([{ method, params: params ?? [] }])
    const [answer] = await answers.catch((error: ChainError) => {
      // A call that reverts is an answer, not a fault of the node.
      if (method !== 'eth_call' || !isRefusal(error)) fault = error
      throw error
    })
    return answer
  }

  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const never = () => Promise.reject(new Error('the scheme only verifies'))
  return {
    get fault() {
      return fault
    },
    getAddresses: () => [sender as Hex],
    readContract: (args) => client.readContract(args as Parameters<typeof client.readContract>[0]),
    verifyTypedData: (args) =>
      client.verifyTypedData(args as Parameters<typeof client.verifyTypedData>[0]),
    // The scheme does not await this, so a rejection would be unhandled.
    getCode: (args) => client.getCode(args).catch(() => undefined),
    writeContract: never,
    sendTransaction: never,
    waitForTransactionReceipt: never,
  }
}
