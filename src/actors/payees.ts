import type { References } from '../domain/invoices/reference.ts'
import type { Payee } from '../domain/invoices/request.ts'
import type { Network } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { type Account, findAccount } from '../storage/accounts/accounts.ts'
import { takeDepositIndexes } from '../storage/invoices/payment-addresses.ts'
import type { Sql } from '../storage/postgres/db.ts'
import { createGroupCommit } from './group-commit.ts'

type Parts = {
  readonly sql: Sql
  readonly wallets: Readonly<Record<Network, string | null>>
  readonly networks: Readonly<Record<Network, { readonly usdcAddress: string }>>
  /** The EVM address with an index; null if invoices share the service's wallet. */
  readonly depositAddress: ((index: number) => string) | null
  /** An address as wallets write it. */
  readonly spelt: (chain: Network, address: string) => string
  readonly references: Pick<References, 'of'>
  readonly steadyMs: () => number
}

export type Payees = ReturnType<typeof createPayees>

/** How long a process may go on using wallets that an account has changed. */
const freshMs = 5_000
const mostAccounts = 50_000

export function createPayees(parts: Parts) {
  const { sql, references, steadyMs } = parts
  const known = new Map<string, { wallets: Account['wallets']; readAtMs: number }>()
  const indexes = createGroupCommit<null, number>({
    lanes: 1,
    maxBatch: 256,
    maxWaiting: 4_096,
    flush: (_, works) => takeDepositIndexes(sql, works.length),
  })

  /**
   * Where an invoice is to be paid: at `payTo`, a seller's address that is not watched; else the
   * account's own wallet on the chain, an address for this invoice alone, or the service's wallet;
   * null if there is none. A promise only if the account or an address must be looked up.
   */
  function payeeOf(
    accountId: string,
    chain: Network,
    invoiceId: string,
    payTo?: string,
  ): Promise<Payee | null> | Payee | null {
    if (payTo !== undefined) return payee(chain, payTo, invoiceId)
    const found = known.get(accountId)
    if (!found || steadyMs() - found.readAtMs > freshMs) return read(accountId, chain, invoiceId)
    return payeeAmong(found.wallets, chain, invoiceId)
  }

  async function read(accountId: string, chain: Network, invoiceId: string): Promise<Payee | null> {
    const wallets = (await findAccount(sql, accountId))?.wallets ?? {}
    if (known.size >= mostAccounts) known.clear()
    known.set(accountId, { wallets, readAtMs: steadyMs() })
    return payeeAmong(wallets, chain, invoiceId)
  }

  function payeeAmong(
    wallets: Account['wallets'],
    chain: Network,
    invoiceId: string,
  ): Promise<Payee | null> | Payee | null {
    const own = wallets[chain]
    if (!own && parts.depositAddress && registry[chain].kind === 'evm')
      return onDeposit(chain, invoiceId, parts.depositAddress)
    const payTo = own ?? parts.wallets[chain]
    return payTo === null ? null : payee(chain, payTo, invoiceId)
  }

  async function onDeposit(
    chain: Network,
    invoiceId: string,
    addressOf: (index: number) => string,
  ): Promise<Payee> {
    const depositIndex = await indexes.submit('', null)
    return { ...payee(chain, addressOf(depositIndex), invoiceId), depositIndex }
  }

  function payee(chain: Network, address: string, invoiceId: string): Payee {
    return {
      payTo: parts.spelt(chain, address),
      usdcAddress: parts.spelt(chain, parts.networks[chain].usdcAddress),
      reference: references.of(invoiceId),
    }
  }

  return payeeOf
}
