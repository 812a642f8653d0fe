import { DomainError, noSuch } from '../error.ts'
import type { CreditNote, Proof, Refund } from './credit-note.ts'
import type { Event, Issued, Proven } from './evolve.ts'

/** What an owner or payer asks for, and what is observed of transfers. */
export type Command =
  | ({ readonly kind: 'issue' } & Issued)
  /** The payer has signed for another address. */
  | { readonly kind: 'redirect'; readonly payer: string; readonly refundTo: string }
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
    case 'add_wallet':
      return addWallet(note, command.wallet)
    case 'prove':
      return prove(note, command)
    case 'take_back':
      return takeBack(note, command)
  }
}

function redirect(note: CreditNote, { payer, refundTo }: Of<'redirect'>): readonly Event[] {
  const refund = refundOf(note, payer)
  if (refund.refundTo === refundTo) return []
  if (refund.proof) throw new DomainError('invalid_state', 'This refund has been paid already')
  return [{ type: 'refund.redirected', payer, refundTo }]
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
  if (known) throw new DomainError('invalid_state', 'This refund has been paid already')
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
