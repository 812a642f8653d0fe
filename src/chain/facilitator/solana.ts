import type { FacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import type { Requirement } from '../../domain/x402/paywall.ts'
import type { Authorization, Facilitator, Settlement } from '../../domain/x402/settlement.ts'
import type { ChainError } from '../chain.ts'
import { isRefusal } from '../rpc/fault.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type FeePayer, feePayer, paysFeeOnly } from '../solana/message.ts'
import { payloadOf } from './payload.ts'

const pollMs = 500
/** How often a transaction is sent until it is seen: leaders drop transactions silently. */
const resendMs = 2_000

/**
 * The most a payment may cost the fee payer: 5,000 lamports for each signature, and a priority fee
 * of 20,000 lamports. A payment may ask for any amount, and the scheme's own limits are worth more
 * than what is sold here.
 */
const limits = {
  maxRequiredSignatures: 2,
  maxComputeUnits: 200_000,
  maxPriorityFeeMicroLamports: 100_000,
}

/** What a payment costs the fee payer at these limits, in lamports. */
export const mostFeeLamports = 30_000n

/**
 * Settles on Solana with a key of this service (base58, 64 bytes), which pays the fee. Verifying is
 * the official scheme's. Signing and sending are our own: the signature is known before the
 * transaction leaves. `settleWithinMs` is how long to wait for confirmation. `onFault` is told that
 * the key has too little SOL for the fee, which is for the operator to mend.
 */
export function solanaFacilitator(
  rpc: Rpc,
  {
    privateKey,
    settleWithinMs,
    onFault,
  }: {
    privateKey: string
    settleWithinMs: number
    onFault: (fault: Error) => void
  },
): Facilitator & { readonly feePayer: string } {
  const payer = feePayer(privateKey)

  async function verify(authorization: Authorization, requirement: Requirement) {
    const signer = readingSigner(rpc, payer)
    const scheme = new ExactSvmScheme(signer, undefined, limits)
    const verdict = await scheme.verify(payloadOf(authorization, requirement), requirement)
    // The scheme calls a payment invalid if a node does not answer; only the node is at fault then.
    if (signer.fault) throw signer.fault
    if (signer.lacksFee) {
      onFault(new Error(`${payer.address} has too little SOL for the fee of a payment`))
      return { kind: 'refused' as const, problem: 'settlement_unavailable' }
    }
    if (!verdict.isValid) {
      return { kind: 'refused' as const, problem: verdict.invalidReason ?? 'invalid' }
    }
    // The scheme lets a payment call programs with any accounts, our fee payer's included.
    return paysFeeOnly(`${authorization.payload.transaction}`)
      ? { kind: 'valid' as const }
      : { kind: 'refused' as const, problem: 'fee_payer_not_isolated' }
  }

  async function settle(
    { payload }: Authorization,
    _: Requirement,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<Settlement> {
    const { signed, txHash } = payer.cosign(`${payload.transaction}`)
    if (!(await note(txHash))) return { kind: 'unknown' }
    const giveUpAt = performance.now() + settleWithinMs
    let sendAt = 0
    while (performance.now() < giveUpAt) {
      if (performance.now() >= sendAt) {
        await send(signed)
        sendAt = performance.now() + resendMs
      }
      const outcome = await outcomeOf(txHash).catch(() => null)
      if (outcome !== null) return outcome
      await Bun.sleep(pollMs)
    }
    return { kind: 'unknown' }
  }

  /**
   * Ignores the node's answer, which may concern another copy; only the chain tells whether the
   * transaction arrived.
   */
  async function send(signed: string): Promise<void> {
    const params = [signed, { encoding: 'base64', skipPreflight: true }]
    await rpc.ask([{ method: 'sendTransaction', params }]).catch(() => undefined)
  }

  async function outcomeOf(txHash: string): Promise<Settlement | null> {
    const [answer] = await rpc.ask([{ method: 'getSignatureStatuses', params: [[txHash]] }])
    const [status] = (answer as { value: readonly (Status | null)[] }).value
    if (!status || status.confirmationStatus === 'processed') return null
    return status.err === null
      ? { kind: 'settled', txHash }
      : { kind: 'failed', problem: 'settlement_failed' }
  }

  return { feePayer: payer.address, notesFirst: true, verify, settle }
}

/**
 * Whether a simulation failed for want of SOL in the account that pays the fee, the first of the
 * transaction, which may also be left with too little to exist.
 */
function lacksFee(err: unknown): boolean {
  if (err === 'AccountNotFound' || err === 'InsufficientFundsForFee') return true
  const { InsufficientFundsForRent: short } = err as Partial<
    Record<string, { account_index?: number }>
  >
  return short?.account_index === 0
}

type Status = { readonly err: unknown; readonly confirmationStatus: string }

/**
 * The signer that the official scheme reads with; it is never asked to sign or send. `fault` is why
 * a node could not answer; `lacksFee` is whether our account cannot pay the fee.
 */
function readingSigner(
  rpc: Rpc,
  { address }: FeePayer,
): FacilitatorSvmSigner & { fault: ChainError | null; lacksFee: boolean } {
  const never = () => Promise.reject(new Error('the scheme only verifies'))
  return {
    fault: null,
    lacksFee: false,
    getAddresses: () => [address] as unknown as ReturnType<FacilitatorSvmSigner['getAddresses']>,
    async simulateTransaction(transaction) {
      const options = { encoding: 'base64', sigVerify: false, commitment: 'confirmed' }
      const params = [transaction, options]
      const [answer] = await rpc
        .ask([{ method: 'simulateTransaction', params }])
        .catch((error: ChainError) => {
          if (!isRefusal(error)) this.fault = error
          throw error
        })
      const { err } = (answer as { value: { err: unknown } }).value
      if (err === null) return
      this.lacksFee = lacksFee(err)
      throw new Error(JSON.stringify(err))
    },
    signTransaction: never,
    sendTransaction: never,
    confirmTransaction: never,
  }
}
