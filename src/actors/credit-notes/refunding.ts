import type { By } from '../../domain/accounts/account.ts'
import { addressIn } from '../../domain/address.ts'
import type { CreditNote } from '../../domain/credit-notes/credit-note.ts'
import * as Proof from '../../domain/credit-notes/proof.ts'
import { DomainError, invalidField, noSuch } from '../../domain/error.ts'
import { isUuid } from '../../domain/id.ts'
import { addressKey, isTxHash, type Network, payerOf } from '../../domain/network.ts'
import type { PurchaseReader } from '../../domain/purchases/reader.ts'
import {
  refundAddressStatement,
  refundWalletStatement,
} from '../../domain/settlement/payer-statement.ts'
import { findNote, loadNote } from '../../storage/credit-notes/credit-notes.ts'
import { claimsOn } from '../../storage/credit-notes/refunds.ts'
import { load } from '../../storage/invoices/invoices.ts'
import type { Sql } from '../../storage/postgres/db.ts'
import { loadCursor } from '../../storage/settlement/cursors.ts'
import { placeKey, usesOf } from '../../storage/settlement/uses.ts'
import { requireSigned, type Signatures } from '../claims/signed.ts'
import type { Payouts } from '../payouts.ts'
import type { Confirmed, Proving } from './proving.ts'

export type RefundReader = Pick<PurchaseReader, 'transaction' | 'seconded'> & {
  block(number: number): Promise<{ readonly timestampMs: number } | null>
}

export type RefundReaders = ReadonlyMap<Network, RefundReader>

type Parts = Signatures & {
  readonly sql: Sql
  readonly proving: Proving
  readonly payouts: Payouts
  readonly readers: RefundReaders
}

/** `pending`: the transfer is not final yet, or no second node shows it. */
export type Refunded = { readonly status: 'refunded' | 'pending'; readonly note: CreditNote }

type Redirected = {
  /** Null: nobody's, for which the seller has named the address. */
  readonly payer: string | null
  readonly refundTo: string
  /** Of the payer's statements, from 1. */
  readonly sequence: number
}

type Redirection = Redirected & { readonly payer: string; readonly signature: string }

type Found = Proof.Claim & { readonly sent: Proof.Sent }

/** What sellers and payers say of refunds: by which transaction, to which address, from where. */
export function createRefunding(parts: Parts) {
  const { sql, proving, payouts, readers } = parts

  /**
   * Proves refunds of a note by a transaction. Errors: `not_found`, `invalid_request`,
   * `invalid_state`, `refund_not_proven` saying why, `unavailable`.
   */
  async function proveBy(accountId: string, noteId: string, sentHash: string): Promise<Refunded> {
    const note = await ownNote(accountId, noteId)
    const { chain } = note.terms
    if (!isTxHash(chain, sentHash))
      throw invalidField('txHash', `must be a transaction on ${chain}`)
    const txHash = addressKey(sentHash)
    if (isProvenBy(note, txHash)) return { status: 'refunded', note }
    try {
      return await proveNow(note, txHash)
    } catch (error) {
      // The watcher, or the same request, may have been faster.
      const after = await ownNote(accountId, noteId)
      if (isProvenBy(after, txHash)) return { status: 'refunded', note: after }
      throw error
    }
  }

  async function proveNow(note: CreditNote, txHash: string): Promise<Refunded> {
    const { chain } = note.terms
    const claims = Proof.openClaims(note)
    if (claims.length === 0)
      throw new DomainError('invalid_state', 'This credit note has nothing left to refund')
    if (claims.every(({ refund }) => refund.refundTo === null))
      throw new DomainError('invalid_state', 'Nobody sent what is to be refunded: name an address')
    const found = await fitting(note, claims, await transfersOf(chain, txHash, claims))
    const cursor = await loadCursor(sql, chain)
    // Beyond what the watcher has finished a reorganisation would go unnoticed.
    const isFinal = found.every(({ sent }) => sent.blockNumber < (cursor?.nextBlock ?? 0))
    return isFinal && (await areSeconded(chain, found))
      ? { status: 'refunded', note: await proveAll(note, found) }
      : { status: 'pending', note }
  }

  async function areSeconded(chain: Network, found: readonly Found[]): Promise<boolean> {
    const sent = found.map((one) => one.sent)
    const seconded = (await readers.get(chain)?.seconded(sent)) ?? []
    return seconded.length === sent.length
  }

  /** The transaction's transfers to the payers. */
  async function transfersOf(chain: Network, txHash: string, claims: readonly Proof.Claim[]) {
    const reader = readers.get(chain)
    if (!reader) throw unavailable(chain, 'it is not watched')
    const recipients = new Set(claims.flatMap(({ refund }) => refund.refundTo ?? []))
    const transfers: Proof.Sent[] = []
    for (const to of recipients) {
      const shown = await reader.transaction(txHash, to, null).catch((error) => {
        throw unavailable(chain, String(error))
      })
      if (!shown)
        throw Proof.notProven(
          `There is no such transaction on ${chain}, where this must be refunded. If it has just been sent there, try again in a moment`,
        )
      transfers.push(...shown.transfers.map((sent) => ({ ...sent, to })))
    }
    return transfers
  }

  /** What a transaction proves of a note, without what proves something else. */
  async function fitting(
    note: CreditNote,
    claims: readonly Proof.Claim[],
    transfers: readonly Proof.Sent[],
  ): Promise<readonly Found[]> {
    const fit = transfers.filter((sent) => claims.some((claim) => Proof.isPaidBy(claim, sent)))
    if (fit.length === 0) throw Proof.mismatch(claims, transfers)
    const { chain } = note.terms
    const used = await usesOf(sql, chain, fit)
    const free = fit.filter((sent) => !used.has(placeKey(sent)))
    if (free.length === 0)
      throw Proof.notProven(
        'It has been used already: it proves another refund, or has paid something',
      )
    await refuseEarly(note, free)
    const all = await claimsOn(sql, chain, free)
    const before = all.filter((claim) => claim.note.id < note.id)
    const given = Proof.matched([...before, ...claims], free)
    const own = given.filter(({ note: { id } }) => id === note.id)
    if (own.length === 0)
      throw Proof.notProven('It fits an older credit note as well, which comes first')
    return own
  }

  /** What was sent before the payment cannot give it back. */
  async function refuseEarly({ invoiceId }: CreditNote, sent: readonly Proof.Sent[]) {
    const { payments = [] } = (await load(sql, invoiceId))?.progress ?? {}
    const first = Math.min(...payments.map(({ blockNumber }) => blockNumber))
    if (sent.every(({ blockNumber }) => blockNumber < first))
      throw Proof.notProven('It was sent before the payment that it should give back')
  }

  async function proveAll(note: CreditNote, found: readonly Found[]): Promise<CreditNote> {
    let proven = note
    for (const { refund, sent } of found) {
      const after = await proving.prove(note, refund.payer, await located(note, sent))
      if (!after) throw Proof.notProven('It has been used already: it proves another refund')
      proven = after
    }
    return proven
  }

  async function located({ terms: { chain } }: CreditNote, sent: Proof.Sent): Promise<Confirmed> {
    const block = await readers
      .get(chain)
      ?.block(sent.blockNumber)
      .catch((error) => {
        throw unavailable(chain, String(error))
      })
    if (!block) throw unavailable(chain, `no node shows block ${sent.blockNumber}`)
    return { ...sent, blockTimeMs: block.timestampMs }
  }

  /**
   * Sends a payer's refund to another address, on the signature of the wallet that paid. Errors:
   * `not_found`, `invalid_request`, `invalid_state`, `invalid_signature`, `limit_reached`,
   * `unavailable`.
   */
  async function redirect(noteId: string, said: Redirection): Promise<Redirected> {
    const note = isUuid(noteId) ? await loadNote(sql, noteId) : null
    if (!note) throw noSuch('credit note')
    const { chain } = note.terms
    const { sequence, signature } = said
    const payer = addressIn('payer', chain, said.payer)
    const refundTo = await payouts.addressFor('refundTo', chain, said.refundTo)
    const isPayer = note.progress.refunds.some((refund) => refund.payer === payer)
    if (!isPayer || payerOf(payer) === null) throw noSuch('refund')
    const statement = refundAddressStatement({ noteId: note.id, chain, payer, refundTo, sequence })
    const refusal = 'The wallet that paid has not signed this address'
    const signed = { network: chain, statement, signature, payer }
    await requireSigned(parts, signed, { block: null, refusal })
    const command = { kind: 'redirect', payer, refundTo, sequence } as const
    await proving.execute(note.id, command, { searchAfter: -1 })
    return { payer, refundTo, sequence }
  }

  /**
   * Names where the refund of a mint, which has no payer, is sent. Errors: `not_found`,
   * `invalid_request`, `invalid_state`.
   */
  async function nameAddress(
    accountId: string,
    noteId: string,
    said: { readonly refundTo: string; readonly by: By },
  ): Promise<Redirected> {
    const note = await ownNote(accountId, noteId)
    const refundTo = await payouts.addressFor('refundTo', note.terms.chain, said.refundTo)
    const command = { kind: 'name_address', refundTo } as const
    await proving.execute(note.id, command, { searchAfter: -1, by: said.by })
    return { payer: null, refundTo, sequence: 0 }
  }

  /**
   * Takes refunds from another wallet of the seller: on its signature or, for a purchase, on that
   * of the address that was paid, as the buyer could register wallets of its own. Errors as of
   * `redirect`.
   */
  async function addWallet(
    accountId: string,
    noteId: string,
    said: { readonly wallet: string; readonly signature: string },
  ): Promise<CreditNote> {
    const note = await ownNote(accountId, noteId)
    const { chain, isPurchase, payTo } = note.terms
    const wallet = addressIn('wallet', chain, said.wallet)
    const statement = refundWalletStatement({ noteId: note.id, chain, wallet })
    const payer = isPurchase ? addressKey(payTo) : wallet
    const signed = { network: chain, statement, signature: said.signature, payer }
    const refusal = isPurchase
      ? `${payTo}, which was paid, has not signed this`
      : 'The wallet has not signed this'
    await requireSigned(parts, signed, { block: null, refusal })
    const command = { kind: 'add_wallet', wallet } as const
    return (await proving.execute(note.id, command, { searchAfter: -1 })) ?? note
  }

  async function ownNote(accountId: string, id: string): Promise<CreditNote> {
    const shown = isUuid(id) ? await findNote(sql, accountId, id) : null
    if (!shown) throw noSuch('credit note')
    return shown.note
  }

  return { proveBy, redirect, nameAddress, addWallet }
}

function isProvenBy({ progress }: CreditNote, txHash: string): boolean {
  return progress.refunds.some(({ proof }) => proof?.txHash === txHash)
}

function unavailable(chain: Network, why: string): DomainError {
  return new DomainError('unavailable', `${chain} cannot be asked now; try again shortly`, {
    operatorText: `refund on ${chain}: ${why}`,
    retryAfterSeconds: 5,
  })
}
