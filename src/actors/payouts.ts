import { addressIn } from '../domain/address.ts'
import { invalidField } from '../domain/error.ts'
import { addressKey, type Network } from '../domain/network.ts'
import { isPaidAt } from '../storage/invoices/payment-addresses.ts'
import type { Sql } from '../storage/postgres/db.ts'

export type Payouts = ReturnType<typeof createPayouts>

/** Where money may be sent: nowhere that this service is paid at, sends from or anchors with. */
export function createPayouts({
  sql,
  tokens,
  own,
}: {
  readonly sql: Sql
  /** The tokens' addresses, as configured. */
  readonly tokens: Readonly<Record<Network, { readonly usdcAddress: string }>>
  /** The wallets, keys and contracts of the deployment. */
  readonly own: readonly string[]
}) {
  const known = new Set(own.map(addressKey))

  /** The address as it is compared. Errors: `invalid_request` at `path`. */
  async function addressFor(path: string, network: Network, text: string): Promise<string> {
    const address = addressIn(path, network, text, tokens[network])
    if (known.has(address) || (await isPaidAt(sql, address)))
      throw invalidField(path, 'is an address of this service: nobody would have the money')
    return address
  }

  return { addressFor }
}
