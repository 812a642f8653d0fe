import type { Chain, Recipients } from '../../chain/chain.ts'
import { isAddress } from '../../domain/network.ts'
import { ours, paymentAddresses } from '../../storage/invoices/payment-addresses.ts'
import type { Sql } from '../../storage/postgres/db.ts'

/** All our addresses on the chain or, if too many to name, a function that picks ours. */
export function createRecipients({
  sql,
  chain: { network, mostAddresses },
  log,
}: {
  readonly sql: Sql
  readonly chain: Pick<Chain, 'network' | 'mostAddresses'>
  readonly log: { warn(line: object, message: string): void }
}): () => Promise<Recipients> {
  const leftOut = new Set<string>()

  /** One invalid address would make the node refuse every question. */
  function isValid(address: string): boolean {
    if (isAddress(network, address)) return true
    if (!leftOut.has(address))
      log.warn({ network, address }, 'a payment address is invalid on its chain: it is not watched')
    leftOut.add(address)
    return false
  }

  return async () => {
    const addresses = await paymentAddresses(sql, network, mostAddresses)
    return addresses?.filter(isValid) ?? ((found) => ours(sql, network, found))
  }
}
