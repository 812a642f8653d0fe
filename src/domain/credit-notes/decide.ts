import { DomainError, noSuch } from '../error.ts'
import { payerOf } from '../network.ts'
import type { CreditNote, Proof, Refund } from './credit-note.ts'
import type { Event, Issued, Proven } from './evolve.ts'

/** What an owner or payer asks for, and what is observed of transfers. */
export type Command =
  | ({ readonly kind: 'issue' } & Issued)
  /** A sale's payer has signed for another address; each statement has the next number, from 1. */
  | {
      readonly kind: 'redirect'
      readonly payer: string
      readonly refundTo: string
      readonly sequence: number
    }
  /** The seller names an address for the refund of a mint, which has no payer. */
  | { readonly kind: 'name_address'; readonly refundTo: string }
  /** The seller refunds from another wallet, which has signed for that. */
  | { readonly kind: 'add_wallet'; readonly wallet: string }
  | ({ readonly kind: 'prove' } & Proven)
  /** The transfer that proved a refund is no longer in the chain. */
  | { readonly kind: 'take_back'; readonly txHash: string; readonly position: number }

/** The events to commit, `[]` if nothing changes. Errors: `not_found`; `invalid_state`. */
export function decide(note: CreditNote | undefined, command: Command): readonly Event[] {
  if (command.kind === 'issue') {
    if (note) throw new DomainError('invalid_state', 'The credit note exists already')
    const { kind: _, ...issued } = command
    return [{ type: 'credit_note.issued', ...issued }]
  }
  if (!note) throw noSuch('credit note')
  switch (command.kind) {
    case 'redirect':
      return redirect(note, command)
    case 'name_address':
      return nameAddress(note, command.refundTo)
    case 'add_wallet':
      return addWallet(note, command.wallet)
    case 'prove':
      return prove(note, command)
    case 'take_back':
      return takeBack(note, command)
  }
}

const mostStatements = 10

function redirect(note: CreditNote, { payer, refundTo, sequence }: Of<'redirect'>) {
  // Else whatever its seller pays to others would prove refunds that the buyer has had sent there.
  if (note.terms.isPurchase)
    throw new DomainError(
      'invalid_state',
      'What an agent bought is refunded to the wallet that paid',
    )
  const { proof, sequence: last } = refundOf(note, payer)
  if (proof) throw paidAlready()
  if (last >= mostStatements)
    throw new DomainError('limit_reached', `A payer names at most ${mostStatements} addresses`)
  if (sequence !== last + 1)
    throw new DomainError('invalid_state', `The next statement has the sequence ${last + 1}`)
  return [{ type: 'refund.redirected', payer, refundTo, sequence } as const]
}

function nameAddress({ progress }: CreditNote, refundTo: string): readonly Event[] {
  const refund = progress.refunds.find(({ payer }) => payerOf(payer) === null)
  if (!refund) throw new DomainError('invalid_state', 'Each refund of this credit note has a payer')
  const { payer, proof, sequence } = refund
  if (proof) throw paidAlready()
  if (refund.refundTo === refundTo) return []
  return [{ type: 'refund.redirected', payer, refundTo, sequence }]
}

function paidAlready(): DomainError {
  return new DomainError('invalid_state', 'This refund has been paid already')
}

const mostWallets = 20

function addWallet({ progress, state }: CreditNote, wallet: string): readonly Event[] {
  const { wallets, refunds } = progress
  if (wallets.includes(wallet)) return []
  if (state === 'refunded' || refunds.length === 0)
    throw new DomainError('invalid_state', 'This credit note has nothing left to refund')
  if (wallets.length >= mostWallets)
    throw new DomainError('limit_reached', `A credit note takes at most ${mostWallets} wallets`)
  return [{ type: 'refund.wallet_added', wallet }]
}

function prove(note: CreditNote, { payer, proof, receiptId }: Of<'prove'>): readonly Event[] {
  const known = refundOf(note, payer).proof
  if (known && isSame(known, proof)) return []
  if (known) throw paidAlready()
  return [{ type: 'refund.confirmed', payer, proof, receiptId }]
}

function takeBack({ progress }: CreditNote, gone: Of<'take_back'>): readonly Event[] {
  const refund = progress.refunds.find(({ proof }) => proof && isSame(proof, gone))
  if (!refund?.receiptId) return []
  const { payer, receiptId } = refund
  return [{ type: 'refund.failed', payer, receiptId, txHash: gone.txHash, reason: 'reorged' }]
}

type Of<Kind extends Command['kind']> = Extract<Command, { kind: Kind }>

type Place = Pick<Proof, 'txHash' | 'position'>

function isSame(a: Place, b: Place): boolean {
  return a.txHash === b.txHash && a.position === b.position
}

function refundOf({ progress }: CreditNote, payer: string): Refund {
  const refund = progress.refunds.find((one) => one.payer === payer)
  if (!refund) throw noSuch('refund')
  return refund
}
