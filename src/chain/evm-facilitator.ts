import type { PaymentPayload } from '@x402/core/types'
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
import type { Network } from '../domain/network.ts'
import type { Requirement } from '../domain/x402.ts'
import type { Authorization, Facilitator, Settlement } from '../domain/x402-payment.ts'
import type { ChainError } from './chain.ts'
import { type Receipt, receiptCall } from './evm-blocks.ts'
import { evmSender, type SignedTransaction } from './evm-sender.ts'
import { registry } from './registry.ts'
import type { Rpc } from './rpc.ts'
import { isRefusal } from './rpc-fault.ts'

const receiptPollMs = 250
/** How long what is in the way is waited for; others wait behind. */
const pastWithinMs = 4_000
/**
 * The most gas a settlement may take. A plain one takes about 90,000, one of a passkey wallet less than 400,000. A payer's contract asks for
 * what it likes, and block space is worth more than what is sold here. Arbitrum counts what it pays to Ethereum as gas as well, at a price of its
 * own that is a hundredth of others'.
 */
function mostGasOn(network: Network): bigint {
  return network === 'arbitrum' ? 3_000_000n : 500_000n
}

const attempts = 3

/** What is sent, and in which place. */
type Sent = SignedTransaction & { readonly nonce: number }

/** Once anything has left, whoever read it can bring the payment on chain: only the chain knows. */
const unknown = { kind: 'unknown' } as const
/** What the scheme has no verdict on: it throws over signatures that it cannot take apart. */
const unreadable = {
  isValid: false,
  invalidReason: 'invalid_exact_evm_failed_to_parse_signature',
}

/**
 * Settles with a key of this service (0x + 64 hex), which pays the gas. Verifying is the official scheme's; sending is our own, so that the
 * hash is known before the transaction leaves and a lost answer is no lost payment. `settleWithinMs`: how long to wait for the block.
 */
export function evmFacilitator(
  rpc: Rpc,
  {
    network,
    privateKey,
    settleWithinMs,
  }: { network: Network; privateKey: string; settleWithinMs: number },
): Facilitator {
  const sender = evmSender(rpc, privateKey)
  let sending: Promise<unknown> = Promise.resolve()
  /** The newest nonce that a node took, while its block is waited for. */
  let waiting: number | null = null

  async function verify(authorization: Authorization, requirement: Requirement) {
    const signer = readingSigner(rpc, sender.sender)
    const scheme = new ExactEvmScheme(signer)
    const verdict = await scheme
      .verify(payloadOf(authorization, requirement), requirement)
      .catch(() => unreadable)
    // The scheme takes a node that does not answer for a payment that does not work.
    if (signer.fault) throw signer.fault
    return verdict.isValid
      ? { kind: 'valid' as const }
      : { kind: 'refused' as const, problem: verdict.invalidReason ?? 'invalid' }
  }

  async function settle(
    authorization: Authorization,
    requirement: Requirement,
    note: (txHash: string) => Promise<void>,
  ): Promise<Settlement> {
    // One at a time: what is not sent yet has no place in the node's count of transactions.
    const sent = sending.then(() => send(authorization, requirement, note))
    sending = sent.catch(() => undefined)
    const outcome = await sent
    if ('kind' in outcome) return outcome
    const settlement = await waitFor(outcome.txHash)
    // It is counted by now, or lost: then its place is free.
    if (waiting === outcome.nonce) waiting = null
    return settlement
  }

  async function send(
    authorization: Authorization,
    requirement: Requirement,
    note: (txHash: string) => Promise<void>,
  ): Promise<Sent | Settlement> {
    const call = { to: requirement.asset as Hex, data: callOf(authorization) }
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const signed = await sign(call)
      if ('kind' in signed) return attempt === 1 ? signed : unknown
      await note(signed.txHash)
      const broadcast = await sender.broadcast(signed.signedBytes).catch(() => 'unknown' as const)
      if (broadcast === 'accepted' || broadcast === 'known') {
        waiting = signed.nonce
        return signed
      }
      if (broadcast === 'unknown') return unknown
      // Another process with the same key was faster, and what it sent may not be mined yet.
      if (attempt < attempts) await passing(signed.nonce)
    }
    return { kind: 'untaken' }
  }

  async function nextNonce(): Promise<number> {
    const counted = await sender.transactionCount()
    // Some nodes, skaled among them, count what is mined and not what waits for a block.
    return waiting === null ? counted : Math.max(counted, waiting + 1)
  }

  /** Waits until a transaction with this nonce is counted. */
  async function passing(nonce: number): Promise<void> {
    const giveUpAt = performance.now() + pastWithinMs
    while (performance.now() < giveUpAt) {
      const counted = await sender.transactionCount().catch(() => 0)
      if (counted > nonce) return
      await Bun.sleep(receiptPollMs)
    }
  }

  async function sign(call: { to: Hex; data: Hex }): Promise<Sent | Settlement> {
    try {
      const [gas, nonce, fees] = await Promise.all([
        sender.gasFor(call),
        nextNonce(),
        sender.fees(),
      ])
      const isTooMuch =
        gas > mostGasOn(network) || gas * fees.maxFeePerGas > registry[network].mostSettlementWei
      if (isTooMuch) return { kind: 'refused', problem: 'settlement_costs_too_much' }
      return { nonce, ...(await sender.sign(call, { gas, nonce, ...fees })) }
    } catch (error) {
      // Of this one nothing has left, so nothing is paid, whatever the reason.
      const problem = isRefusal(error) ? 'settlement_reverts' : 'settlement_unavailable'
      return { kind: 'refused', problem }
    }
  }

  async function waitFor(txHash: string): Promise<Settlement> {
    const giveUpAt = performance.now() + settleWithinMs
    while (performance.now() < giveUpAt) {
      const status = await statusOf(txHash).catch(() => null)
      if (status === '0x1') return { kind: 'settled', txHash }
      // It may have failed because somebody's copy of the same payment was faster.
      if (status !== null) return unknown
      await new Promise((resolve) => setTimeout(resolve, receiptPollMs))
    }
    return unknown
  }

  async function statusOf(txHash: string): Promise<string | null> {
    const [receipt] = await rpc.ask([receiptCall(txHash)])
    return (receipt as Receipt | null)?.status ?? null
  }

  return { notesFirst: true, verify, settle }
}

/** The payload as facilitators take it, whichever version the payer spoke. */
export function payloadOf({ payload }: Authorization, requirement: Requirement): PaymentPayload {
  return { x402Version: 2, accepted: requirement, payload: { ...payload } }
}

function callOf({ payload }: Authorization): Hex {
  const { signature, authorization } = payload as {
    signature: Hex
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>
  }
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  const told = [
    from as Hex,
    to as Hex,
    BigInt(value),
    BigInt(validAfter),
    BigInt(validBefore),
    nonce as Hex,
  ] as const
  const functionName = 'transferWithAuthorization'
  // Every USDC knows the form with (v, r, s); the signatures of contracts do not fit it.
  if (signature.length !== 132) {
    // How the contract is deployed is not for the token: a payer who is not deployed has been refused.
    const { signature: inner } = parseErc6492Signature(signature)
    return encodeFunctionData({ abi: withBytes, functionName, args: [...told, inner] })
  }
  const { r, s, yParity } = parseSignature(signature)
  return encodeFunctionData({ abi: withParts, functionName, args: [...told, 27 + yParity, r, s] })
}

const withParts = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
])
const withBytes = parseAbi([
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

/** What the official scheme reads with; it is never asked to send. `fault`: why the chain told it less than it asked for. */
function readingSigner(
  rpc: Rpc,
  sender: string,
): FacilitatorEvmSigner & { readonly fault: ChainError | null } {
  let fault: ChainError | null = null

  async function request({ method, params }: { method: string; params?: readonly unknown[] }) {
    const answers = rpc.ask([{ method, params: params ?? [] }])
    const [answer] = await answers.catch((error: ChainError) => {
      // A call that reverts is an answer.
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
    // Never rejects: the scheme asks for the token's without waiting, and may have decided by then.
    getCode: (args) => client.getCode(args).catch(() => undefined),
    writeContract: never,
    sendTransaction: never,
    waitForTransactionReceipt: never,
  }
}
