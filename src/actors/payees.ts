import type { References } from '../domain/invoices/reference.ts'
import type { Payee, PaymentRequest } from '../domain/invoices/request.ts'
import { toAmount, usdcScale } from '../domain/money/money.ts'
import type { InvoiceChain, Network } from '../domain/network.ts'

type Wallets = Readonly<Partial<Record<Network, string>>>

/** An address of one invoice alone; `index` is its child index under the operator's key. */
export type Deposit = { readonly index: number; readonly address: string }

type Receiving = {
  readonly wallet: string | null
  readonly usdcAddress: string
  /** Creates an address for one invoice; null: all invoices share the wallet. */
  readonly deposit: (() => Promise<Deposit>) | null
}

type Options = {
  /** The service's own wallet and the token on each chain. */
  readonly networks: Readonly<Record<Network, Receiving>>
  /** The wallets an account has set for itself. */
  readonly walletsOf: (accountId: string) => Promise<Wallets>
  /** An address as a payer's client takes it. */
  readonly spelt: (chain: Network, address: string) => string
  readonly paymentUri: (chain: InvoiceChain, payment: PaymentRequest) => string
  readonly references: References
  readonly nowMs: () => number
}

export type Payees = ReturnType<typeof createPayees>

/** How long a process may go on using wallets that an account has changed. */
const freshMs = 5_000
const mostAccounts = 50_000

/** Determines where invoices are to be paid. */
export function createPayees(options: Options) {
  const { networks, references, nowMs } = options
  const known = new Map<string, { wallets: Wallets; readAtMs: number }>()

  /**
   * Where an account's invoice is to be paid: at `payTo`, a seller's address elsewhere that is not
   * watched; else the account's own wallet on the chain, an address for this invoice alone, or the
   * service's wallet; null if there is none. The commit that inserts the invoice makes it watched.
   * Answers synchronously for accounts seen in the last seconds, unless an address must be created
   * first.
   */
  function payeeOf(
    accountId: string,
    chain: InvoiceChain,
    invoiceId: string,
    payTo?: string,
  ): Promise<Payee | null> | Payee | null {
    if (payTo !== undefined) return payee(chain, payTo, invoiceId)
    const found = known.get(accountId)
    if (!found || nowMs() - found.readAtMs > freshMs) return read(accountId, chain, invoiceId)
    return payeeAmong(found.wallets, chain, invoiceId)
  }

  async function read(
    accountId: string,
    chain: InvoiceChain,
    invoiceId: string,
  ): Promise<Payee | null> {
    const wallets = await options.walletsOf(accountId)
    if (known.size >= mostAccounts) known.clear()
    known.set(accountId, { wallets, readAtMs: nowMs() })
    return payeeAmong(wallets, chain, invoiceId)
  }

  function payeeAmong(
    wallets: Wallets,
    chain: InvoiceChain,
    invoiceId: string,
  ): Promise<Payee | null> | Payee | null {
    const { wallet, deposit } = networks[chain]
    const own = wallets[chain]
    if (!own && deposit) return onDeposit(chain, invoiceId, deposit)
    const payTo = own ?? wallet
    return payTo === null ? null : payee(chain, payTo, invoiceId)
  }

  async function onDeposit(
    chain: InvoiceChain,
    invoiceId: string,
    deposit: () => Promise<Deposit>,
  ): Promise<Payee> {
    const { index, address } = await deposit()
    return { ...payee(chain, address, invoiceId), depositIndex: index }
  }

  function payee(chain: InvoiceChain, address: string, invoiceId: string): Payee {
    const payTo = options.spelt(chain, address)
    const usdcAddress = options.spelt(chain, networks[chain].usdcAddress)
    const reference = references.of(invoiceId)
    return {
      payTo,
      usdcAddress,
      reference,
      paymentUri: (dueUsdcBase) => {
        const amountDue = toAmount(dueUsdcBase, usdcScale)
        return options.paymentUri(chain, { payTo, usdcAddress, dueUsdcBase, amountDue, reference })
      },
    }
  }

  return payeeOf
}
