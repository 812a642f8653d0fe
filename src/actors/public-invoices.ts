import { noProfile, type Profile } from '../domain/accounts/profile.ts'
import { hasReason } from '../domain/error.ts'
import { leftUsdcBase } from '../domain/invoices/balance.ts'
import { acceptsTransfer, type Invoice } from '../domain/invoices/invoice.ts'
import { bought, profileFor } from '../domain/invoices/seller.ts'
import type { HeldPayment } from '../domain/settlement/transfer-list.ts'
import { load } from '../storage/invoices/invoices.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { askedAmount } from '../storage/settlement/asked-amounts.ts'
import * as Held from '../storage/settlement/held.ts'
import type { Accepts } from './acceptance.ts'
import type { Profiles } from './profiles.ts'

/** `needsReference`: no amount is left that would tell the invoice from others. */
export type Asked = { readonly usdcBase: bigint; readonly needsReference: boolean }

export type PublicInvoices = ReturnType<typeof createPublicInvoices>

/** Invoices for the payment page, readable by anybody who knows the id. */
export function createPublicInvoices(parts: {
  readonly sql: Sql
  readonly accepts: Accepts
  readonly profiles: Profiles
}) {
  const { sql, accepts } = parts

  function find(id: string): Promise<Invoice | undefined> {
    return load(sql, id)
  }

  /** The held transfers that may be for it. */
  function heldFor(invoice: Invoice): Promise<readonly HeldPayment[]> {
    return Held.heldFor(sql, invoice)
  }

  /** What its payers are asked for now: the rest, or an amount of its own that covers it. */
  async function ask(invoice: Invoice): Promise<Asked> {
    const leftBase = leftUsdcBase(invoice)
    const isAlone = invoice.terms.depositIndex !== undefined
    if (isAlone || leftBase <= 0n || !acceptsTransfer(invoice))
      return { usdcBase: leftBase, needsReference: false }
    const reserved = await askedAmount(sql, invoice, leftBase).catch((error) => {
      if (hasReason(error, 'unavailable')) return null
      throw error
    })
    return { usdcBase: reserved ?? leftBase, needsReference: reserved === null }
  }

  /** Who the seller is now; nobody we know for a purchase, or where it is not the account. */
  async function profileOf({ accountId, terms }: Invoice): Promise<Profile> {
    if (terms.isPurchase) return noProfile
    return profileFor(terms.seller, await parts.profiles.of(accountId))
  }

  /** As its account may see it, which is the buyer of its purchases. */
  async function asOwned(invoice: Invoice): Promise<Invoice> {
    return bought(invoice, await parts.profiles.of(invoice.accountId))
  }

  /** The logo of the seller as a PNG. */
  async function logoOf(invoice: Invoice): Promise<Uint8Array | null> {
    const { logoHash } = await profileOf(invoice)
    return logoHash === null ? null : parts.profiles.logo(invoice.accountId)
  }

  return { find, heldFor, ask, accepts, profileOf, asOwned, logoOf }
}
