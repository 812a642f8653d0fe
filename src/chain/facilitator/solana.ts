import type { FacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import { entryOf } from '../../domain/x402/payment-required.ts'
import type { OwnRequirements } from '../../domain/x402/requirements.ts'
import type { Facilitator, SettlementResult } from '../../domain/x402/settlement.ts'
import type { SignedPayment } from '../../domain/x402/signed-payment.ts'
import type { ChainError } from '../chain.ts'
import { isRefusal } from '../rpc/fault.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { type FeePayer, feePayer, paysFeeOnly } from '../solana/message.ts'
import { payloadOf } from './client.ts'

const pollMs = 500
/** Leaders drop transactions silently, so one is sent until it is seen. */
const resendMs = 2_000

/** A payment may ask for any priority fee, and the scheme's own limits exceed what is sold here. */
const limits = {
  maxRequiredSignatures: 2,
  maxComputeUnits: 200_000,
  maxPriorityFeeMicroLamports: 100_000,
}

/** 5,000 lamports for each of two signatures, and the priority fee. */
export const mostFeeLamports = 30_000n

/**
 * Settles with a key of this service (base58, 64 bytes), which pays the fee. The official scheme
 * verifies; signing and sending are our own, so the signature is known before the transaction
 * leaves.
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

  async function verify(payment: SignedPayment, requirements: OwnRequirements) {
    const entry = entryOf(requirements)
    const signer = readingSigner(rpc, payer)
    const scheme = new ExactSvmScheme(signer, undefined, limits)
    const verdict = await scheme.verify(payloadOf(payment, entry), entry)
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
    return paysFeeOnly(`${payment.payload.transaction}`)
      ? { kind: 'valid' as const }
      : { kind: 'refused' as const, problem: 'fee_payer_not_isolated' }
  }

  async function settle(
    { payload }: SignedPayment,
    _: OwnRequirements,
    note: (txHash: string) => Promise<boolean>,
  ): Promise<SettlementResult> {
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

  /** Ignores the node's answer: only the chain shows whether the transaction arrived. */
  async function send(signed: string): Promise<void> {
    const params = [signed, { encoding: 'base64', skipPreflight: true }]
    await rpc.ask([{ method: 'sendTransaction', params }]).catch(() => undefined)
  }

  async function outcomeOf(txHash: string): Promise<SettlementResult | null> {
    const [answer] = await rpc.ask([{ method: 'getSignatureStatuses', params: [[txHash]] }])
    const [status] = (answer as { value: readonly (Status | null)[] }).value
    if (!status || status.confirmationStatus === 'processed') return null
    return status.err === null
      ? { kind: 'settled', txHash }
      : { kind: 'failed', problem: 'settlement_failed' }
  }

  return { feePayer: payer.address, notesFirst: true, verify, settle }
}

/** Whether a simulation failed because the fee payer, the first account, lacks SOL. */
function lacksFee(err: unknown): boolean {
  if (err === 'AccountNotFound' || err === 'InsufficientFundsForFee') return true
  const { InsufficientFundsForRent: short } = err as Partial<
    Record<string, { account_index?: number }>
  >
  return short?.account_index === 0
}

type Status = { readonly err: unknown; readonly confirmationStatus: string }

/** What the official scheme reads with. `fault`: why a node could not answer. */
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
