import { DomainError, hasReason, withFacts } from '../domain/error.ts'
import type { Idempotency } from '../domain/idempotency.ts'
import type { Invoice } from '../domain/invoices/invoice.ts'
import type { Fx } from '../domain/invoices/request.ts'
import * as Mandates from '../domain/mandates/binding.ts'
import { invoiceRequest, type Purchase as Wanted } from '../domain/purchases/purchase.ts'
import type { Attempt, Named, Quote, Start } from '../storage/purchases/attempts.ts'
import type { Way } from '../storage/purchases/given-up.ts'
import type { Purchase, PurchaseState, Reservation } from '../storage/purchases/purchases.ts'
import type { Budgets } from './budgets.ts'
import type { Invoices } from './invoices.ts'
import { createPurchaseBudgets } from './purchase-budgets.ts'
import { createPurchaseCredits } from './purchase-credits.ts'
import { oncePerKey } from './purchase-idempotency.ts'

/**
 * A purchase whose payment may be forwarded now or, if `isRepeat`, was accepted before. If
 * `isInDoubt`, an earlier attempt, or a transfer the payer made directly, may already have paid:
 * only the chain can rule that out.
 */
export type Prepared = {
  readonly purchase: Purchase
  readonly isRepeat: boolean
  readonly isInDoubt: boolean
}

export type Purchases = {
  /**
   * Creates the invoice for what an upstream demands; its state is `sent`. Errors: those of a
   * mandate that does not allow it.
   */
  quote(accountId: string, resource: string, wanted: Wanted): Promise<Invoice>
  /**
   * Binds a payment to the invoice that waits for it, and reserves its amount from the agent's
   * budget; null if no invoice waits for it, `spent` if it has bought another resource. Errors:
   * `budget_exceeded`; `mandate_not_active`; `idempotency_in_progress` while the same payment is
   * being forwarded; `invalid_state` for a payment made for something else.
   */
  prepare(attempt: Attempt): Promise<Prepared | 'spent' | null>
  /**
   * What a new invoice for this payment counts against: what the attempt says and, where it names
   * an invoice, what that one counts against. Errors: `not_found` where the named one is not of
   * this account, resource and mandate.
   */
  boundBy(attempt: Attempt): Promise<Pick<Attempt, 'agentId' | 'mandateId'>>
  /**
   * Prepares a payment like `prepare`, but with an invoice created for it, whose terms are what the
   * payment pays. The same payment always gets the same invoice, unless that is no longer
   * available: it was voided, or another payment took it while this one was refused. An unpaid
   * invoice that was made for another option of the same 402 gives way to it: the one that the
   * caller names or, where the mandate has no room for both, one under the same mandate. Nothing
   * gives way where that would not do. Errors: `not_found` where the named one cannot give way.
   */
  prepareNew(attempt: Attempt, wanted: Wanted): Promise<Prepared>
  /**
   * The payment was taken: its amount is spent from the budget, and the invoice is paid as soon as
   * the transaction is known. `txHash` null: the chain will tell it.
   */
  accept(purchase: Purchase, txHash: string | null): Promise<void>
  /**
   * The upstream names the transaction of a payment that was accepted without one. Where the chain
   * has shown one meanwhile, that stays.
   */
  nameTransaction(purchase: Purchase, txHash: string): Promise<void>
  /** The payment was not taken: its reservation is released, the invoice waits for another. */
  refuse(purchase: Purchase): Promise<void>
  /**
   * The upstream failed or refused without naming a transaction, apparently without taking the
   * payment: its reservation is released, but the chain has the last word.
   */
  fail(purchase: Purchase): Promise<void>
  /**
   * The outcome is unknown: the reservation stays held until it expires, and the chain will tell.
   * `txHash` is the transaction that may have paid; null if none is known.
   */
  suspend(purchase: Purchase, txHash: string | null): Promise<void>
  /**
   * Credits the invoice no longer by what was named for the payment and did not pay. Nothing is
   * done where the purchase has changed since it was read: another transaction may be named by now.
   */
  discredit(purchase: Purchase): Promise<void>
  /**
   * The transaction that was named for the payment did not take it: nothing is credited by it any
   * more, but another one may yet take the payment.
   */
  forgetTransaction(purchase: Purchase): Promise<void>
  /**
   * The payment can no longer be taken, or was never made: as if it had not been forwarded. Under a
   * mandate, its invoice is given up.
   */
  lapse(purchase: Purchase): Promise<void>
  /**
   * Voids an invoice of the account as its owner wishes. Errors: `not_found`; `invalid_state` where
   * it is not to be voided, also while the payment of a purchase may yet be taken.
   */
  voidInvoice(accountId: string, invoiceId: string): Promise<Invoice>
  /**
   * Voids unpaid invoices under mandates, so that the amounts bound to them are free for others.
   * Returns how many.
   */
  voidUnpaid(): Promise<number>
}

type Options = {
  readonly store: {
    addQuote(quote: Quote): Promise<void>
    start(attempt: Attempt): Promise<Start>
    startNew(quote: Quote, attempt: Attempt): Promise<Start>
    findNamed(attempt: Attempt): Promise<Named | null>
    giveWay(attempt: Attempt, leastBase: bigint): Promise<Way>
    noteReservation(purchase: Purchase, reservation: Reservation): Promise<boolean>
    findBindable(accountId: string, mandateId: string): Promise<Mandates.Bindable | undefined>
    /** Gives a purchase up; false where its invoice is not to be voided. */
    giveUp(invoiceId: string): Promise<boolean>
    /** Invoices to void; each is returned again until `markReleased`. */
    lapseUnpaid(): Promise<readonly string[]>
    markReleased(invoiceId: string): Promise<void>
    conclude(
      purchase: Purchase,
      next: { readonly state: PurchaseState; readonly txHash: string | null },
    ): Promise<boolean>
    nameTransaction(purchase: Purchase, txHash: string): Promise<boolean>
    noteTransaction(purchase: Purchase, txHash: string): Promise<void>
    /** Whether the purchase is what it was, with the same transaction. */
    isUnchanged(purchase: Purchase): Promise<boolean>
    /** Whether the purchase names this transaction now. */
    isNamed(invoiceId: string, txHash: string): Promise<boolean>
  }
  readonly invoices: Invoices
  readonly budgets: Budgets
  readonly fx: Fx
  readonly log: { warn(line: object, message: string): void }
}

/** Copies are refused within milliseconds, seconds where the machine is busy. */
const tryAgainMs = 25
const mostTries = 40

/** Purchases through the proxy: their invoices, budgets and payments. Every step is idempotent. */
export function createPurchases(options: Options): Purchases {
  const { store, invoices } = options
  const budget = createPurchaseBudgets(options)
  const credits = createPurchaseCredits(invoices)

  async function quote(accountId: string, resource: string, wanted: Wanted): Promise<Invoice> {
    const invoiceId = await create(accountId, wanted, null)
    const { requirements, agentId, mandateId } = wanted
    await store.addQuote({ invoiceId, accountId, resource, requirements, agentId, mandateId })
    return invoices.execute(invoiceId, { kind: 'send' })
  }

  async function create(
    accountId: string,
    wanted: Wanted,
    idempotency: Idempotency | null,
  ): Promise<string> {
    const { invoice } = await invoices.create(accountId, invoiceRequest(wanted), idempotency)
    return invoice.id
  }

  async function prepare(attempt: Attempt): Promise<Prepared | 'spent' | null> {
    const start = await store.start(attempt)
    if (start.kind === 'spent') return 'spent'
    return start.kind === 'none' ? null : prepared(start)
  }

  async function boundBy(attempt: Attempt) {
    if (attempt.invoiceId === null) return attempt
    const named = await store.findNamed(attempt)
    if (!named) throw notWaiting()
    const { agentId, mandateId } = named.purchase
    return { agentId: attempt.agentId ?? agentId, mandateId }
  }

  async function prepareNew(attempt: Attempt, wanted: Wanted): Promise<Prepared> {
    if (attempt.invoiceId !== null) return prepareInstead(attempt, wanted)
    return prepareAnew(attempt, wanted).catch((error) => {
      if (!hasReason(error, 'mandate_limit_exceeded')) throw error
      return prepareInRoom(attempt, wanted, error)
    })
  }

  /** Prepares a payment for which the mandate has no room, where giving up a quote makes enough. */
  async function prepareInRoom(attempt: Attempt, wanted: Wanted, refusal: DomainError) {
    const way = await store.giveWay(attempt, await lackingBase(attempt, wanted))
    if (way.kind !== 'quote') return preparedCopy(attempt, way.kind === 'busy' ? busy() : refusal)
    await voidReleased(way.quote.invoiceId)
    return prepareWhereRoomIsMade(attempt, wanted)
  }

  /**
   * Like `prepareAnew`, past copies of this payment that are being refused for want of the room
   * that has been made by now: if it gave way to them, none of all copies would be forwarded.
   */
  async function prepareWhereRoomIsMade(attempt: Attempt, wanted: Wanted): Promise<Prepared> {
    for (let tries = 1; ; tries++) {
      try {
        return await prepareAnew(attempt, wanted)
      } catch (error) {
        if (!hasReason(error, 'idempotency_in_progress') || tries === mostTries) throw error
        await Bun.sleep(tryAgainMs)
      }
    }
  }

  /** Prepares a payment whose new invoice takes the place of the one that the caller names. */
  async function prepareInstead(attempt: Attempt, wanted: Wanted): Promise<Prepared> {
    const named = await store.findNamed(attempt)
    if (!named) throw notWaiting()
    const { invoiceId, requirements } = named.purchase
    const unnamed = { ...attempt, invoiceId: null }
    if (!named.isGivenUp) {
      const leastBase = await lackingBase(attempt, wanted)
      // Refused by the mandate even so, unless a copy of this payment has got its invoice by now.
      if (requirements.usdcBase < leastBase) return prepareAnew(unnamed, wanted)
      const way = await store.giveWay(attempt, leastBase)
      if (way.kind !== 'quote')
        return preparedCopy(attempt, way.kind === 'busy' ? busy() : notWaiting())
    }
    // Also where it had been given up before: that attempt may have died before it voided it.
    await voidReleased(invoiceId)
    return prepareWhereRoomIsMade(unnamed, wanted)
  }

  /** How much the attempt's mandate must get back before it has room; 0 without a mandate. */
  async function lackingBase({ accountId, mandateId }: Attempt, { requirements }: Wanted) {
    if (mandateId === null) return 0n
    const payment = { currency: 'USDC', amountMicro: requirements.usdcBase }
    return Mandates.lackingMicro(await store.findBindable(accountId, mandateId), payment)
  }

  /** What a concurrent copy of the payment has got meanwhile; throws `refusal` if there is none. */
  async function preparedCopy(attempt: Attempt, refusal: DomainError): Promise<Prepared> {
    const start = await store.start(attempt)
    if (start.kind === 'none') throw refusal
    return prepared(start)
  }

  async function prepareAnew(attempt: Attempt, wanted: Wanted): Promise<Prepared> {
    const { accountId, resource } = attempt
    const { requirements, agentId, mandateId } = wanted
    for (let nth = 1; ; nth++) {
      const invoiceId = await createFor(attempt, wanted, nth)
      const bought = { invoiceId, accountId, resource, requirements, agentId, mandateId }
      // Where it cannot be sent any more, a copy of this payment may be what has paid it.
      const start = (await isSent(invoiceId))
        ? await store.startNew(bought, attempt)
        : await store.start(attempt)
      if (start.kind !== 'none') return prepared(start)
    }
  }

  /** The nth invoice for this payment. */
  async function createFor({ accountId, resource, payment }: Attempt, wanted: Wanted, nth: number) {
    const { mandateId } = wanted
    // An earlier attempt may have died with its invoice made: it counts against that attempt's
    // mandate, and must not be taken for one under another mandate or under none.
    const asked = mandateId === null ? resource : `${resource}\n${mandateId}`
    const idempotency = oncePerKey(nth === 1 ? payment.key : `${payment.key} ${nth}`, asked)
    return create(accountId, wanted, idempotency).catch((error) => {
      // Translated, since callers have sent a payment and know of no idempotency key.
      if (hasReason(error, 'idempotency_in_progress')) throw busy()
      if (hasReason(error, 'idempotency_key_reused')) throw elsewhere()
      throw error
    })
  }

  /** Marks the invoice as sent; false if its state no longer allows that. */
  async function isSent(invoiceId: string): Promise<boolean> {
    try {
      await invoices.execute(invoiceId, { kind: 'send' })
      return true
    } catch (error) {
      if (hasReason(error, 'invalid_state')) return false
      throw error
    }
  }

  async function prepared(start: Start): Promise<Prepared> {
    switch (start.kind) {
      case 'started':
        return { purchase: await hold(start), isRepeat: false, isInDoubt: start.isInDoubt }
      case 'done':
        return { purchase: start.purchase, isRepeat: true, isInDoubt: false }
      case 'spent':
      case 'elsewhere':
        throw elsewhere()
      default:
        throw busy()
    }
  }

  async function hold({ purchase, isInDoubt }: Started): Promise<Purchase> {
    const { agentId } = purchase
    try {
      const hasNoneToHold = agentId === null || (await budget.isCounted(purchase))
      await requireActive(purchase)
      const held = hasNoneToHold ? purchase : await budget.hold(purchase, agentId)
      if (!held) throw busy()
      return held
    } catch (error) {
      const state = isInDoubt ? 'unknown' : 'refused'
      await store.conclude(purchase, { state, txHash: purchase.txHash })
      throw isInDoubt ? pendingAllTheSame(error, purchase) : error
    }
  }

  /** Refuses a purchase whose mandate has ended since its invoice was created. */
  async function requireActive({ accountId, mandateId }: Purchase): Promise<void> {
    if (mandateId !== null) Mandates.requireActive(await store.findBindable(accountId, mandateId))
  }

  async function accept(purchase: Purchase, txHash: string | null): Promise<void> {
    if (purchase.state !== 'paid') {
      // First, as nothing else may lead to the payment, should this process die.
      if (txHash !== null && txHash !== purchase.txHash && !isSought(purchase))
        await store.noteTransaction(purchase, txHash)
      await budget.spend(purchase)
    }
    const isNoted = await store.conclude(purchase, { state: 'paid', txHash })
    // If the purchase has moved on meanwhile, its newer state knows better what paid the invoice.
    if (isNoted && txHash !== null) await creditBy(purchase, txHash)
  }

  /** Credits the invoice by a transaction that has just been named. */
  async function creditBy(purchase: Purchase, txHash: string): Promise<void> {
    await credits.creditBy(purchase, txHash)
    // Whoever gave the payment up meanwhile may not have seen that it was credited.
    if (await store.isNamed(purchase.invoiceId, txHash)) return
    await credits.revert(purchase, txHash)
  }

  /** Voids the invoice of a purchase that has been given up. */
  async function voidReleased(invoiceId: string): Promise<void> {
    await invoices.execute(invoiceId, { kind: 'void' }).catch((error) => {
      // Paid after all, so it stays and counts against the mandate.
      if (!hasReason(error, 'invalid_state')) throw error
    })
    await store.markReleased(invoiceId)
  }

  async function end(purchase: Purchase, state: PurchaseState): Promise<boolean> {
    await budget.release(purchase)
    return store.conclude(purchase, { state, txHash: null })
  }

  return {
    quote,
    prepare,
    boundBy,
    prepareNew,
    accept,
    async nameTransaction(purchase, txHash) {
      if (await store.nameTransaction(purchase, txHash)) await creditBy(purchase, txHash)
    },
    async refuse(purchase) {
      await end(purchase, 'refused')
    },
    async fail(purchase) {
      await end(purchase, 'unknown')
    },
    async suspend(purchase, txHash) {
      await store.conclude(purchase, { state: 'unknown', txHash })
    },
    async discredit(purchase) {
      // In this order: what is named from then on is credited under a key that is not among these.
      const keys = await credits.unconfirmedOf(purchase)
      if (keys.length > 0 && (await store.isUnchanged(purchase)))
        await credits.revertAll(purchase, keys)
    },
    async forgetTransaction(purchase) {
      const { state, txHash } = purchase
      // First, since afterwards nothing tells what it was.
      if (txHash !== null) await credits.revert(purchase, txHash)
      await store.conclude(purchase, { state, txHash: null })
    },
    async lapse(purchase) {
      // Done before the purchase is marked as final, since nothing looks at it afterwards.
      await credits.revertAll(purchase, await credits.unconfirmedOf(purchase))
      const hasEnded = await end(purchase, 'lapsed')
      // Whoever accepted it may have credited it in between.
      if (hasEnded && purchase.txHash !== null) await credits.revert(purchase, purchase.txHash)
    },
    async voidInvoice(accountId, invoiceId) {
      const { id, terms, progress } = await invoices.get(accountId, invoiceId)
      const isAsked = terms.isPurchase && progress.failure === null
      // In this order: what a voided invoice has held of its mandate is free for others, so its own
      // payment must not go out any more.
      if (isAsked && !(await store.giveUp(id))) throw underWay()
      return invoices.execute(id, { kind: 'void' })
    },
    async voidUnpaid() {
      const ids = await store.lapseUnpaid()
      for (const id of ids) await voidReleased(id)
      return ids.length
    },
  }
}

type Started = Extract<Start, { kind: 'started' }>

/**
 * A refusal to forward again what may already have been taken, marked as `pending` so that nobody
 * concludes it was not.
 */
function pendingAllTheSame(error: unknown, { invoiceId }: Purchase): unknown {
  return error instanceof DomainError ? withFacts(error, { invoiceId, payment: 'pending' }) : error
}

function elsewhere(): DomainError {
  return new DomainError(
    'invalid_state',
    'This payment was made for something else or under another mandate, or its invoice is void',
  )
}

function notWaiting(): DomainError {
  const message =
    'This invoice waits for no payment of this resource: instead of X-Invoice-Id, name what the payment counts against, in X-Mandate-Id and X-Agent-Id'
  return new DomainError('not_found', message)
}

function underWay(): DomainError {
  const message = 'A payment of this invoice is under way, or has been made: it cannot be voided'
  return new DomainError('invalid_state', message)
}

function busy(): DomainError {
  const message = 'This payment is being forwarded'
  return new DomainError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}

/** How long before its last attempt a payment is taken to have been forwarded first. */
const guessedMs = 86_400_000

/** What the chain is asked about a payment that was signed on Solana; null for any other. */
export function messageOf({ message, txHash, createdAt, forwardedAt, ...purchase }: Purchase) {
  if (!message || !forwardedAt) return null
  // A process of the version before has not noted it. The quote may be much older than the payment:
  // nodes do not keep their blocks for ever.
  const guessMs = Math.max(createdAt.getTime(), forwardedAt.getTime() - guessedMs)
  const firstForwardedAt = purchase.firstForwardedAt ?? new Date(guessMs)
  return { ...message, txHash, firstForwardedAt, forwardedAt }
}

/** Whether the chain is searched for the payment, even if no transaction is named for it. */
function isSought({ nonce, message }: Purchase): boolean {
  return nonce !== null || message !== null
}

/** Whether the payment is a transfer that its payer had made before: no other can pay it. */
export function isTransfer({ payer, nonce, validBeforeMs }: Purchase): boolean {
  return payer !== null && nonce === null && validBeforeMs === null
}
