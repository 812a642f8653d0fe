import { dueUsdcBase, leftUsdcBase } from '../../domain/invoices/balance.ts'
import type { Invoice } from '../../domain/invoices/invoice.ts'
import { toAmount, usdcScale } from '../../domain/money/money.ts'
import { addressKey, type Network, payerOf } from '../../domain/network.ts'
import { clockSkewMs } from '../../domain/settlement/candidate.ts'
import type { HeldPayment } from '../../domain/settlement/transfer-list.ts'
import { toBytes } from '../postgres/chain-bytes.ts'
import { type Sql, statement } from '../postgres/db.ts'
import { decode, type Row } from './transfers.ts'
import { isUnexplained } from './uses.ts'

/** Anybody can have any number of transfers held. */
const mostShown = 20

/** The newest held transfers of what the invoice is due, has left, or asks for, at its address. */
export async function heldFor(sql: Sql, invoice: Invoice): Promise<readonly HeldPayment[]> {
  const { id, terms, createdAt } = invoice
  const rows = await statement<Row[]>(sql)`
    select * from transfers
    where chain = ${terms.chain} and to_address = ${toBytes(addressKey(terms.payTo))} and usdc_base = any(array(
        select ${dueUsdcBase(invoice)}::bigint union select ${leftUsdcBase(invoice)}::bigint union select usdc_base from asked_amounts where invoice_id = ${id}
      ))
      and block_time > ${createdAt}::timestamptz - ${heldWithin}::interval and ${isUnexplained(sql)}
    order by block_time desc limit ${mostShown}`
  return rows.map(decode).map(({ txHash, from, usdcBase, blockTimeMs, heldAs }) => ({
    txHash,
    amount: toAmount(usdcBase, usdcScale),
    from: payerOf(from),
    blockTime: new Date(blockTimeMs).toISOString(),
    why: heldAs ?? 'unmatched',
  }))
}

/** How long before an invoice a block may be whose transfer is for it: clocks differ. */
export const heldWithin = `${1_000 + clockSkewMs} milliseconds`

/** Where transfers are held, for `mayBeHeldFor`. */
export type HeldPlaces = ReadonlySet<string>

/** A thousandth of a USDC holds all that payers are asked for beyond what is due. */
const roughBase = 1_000n

/** Where transfers are held, and roughly of what amounts. */
export async function heldPlaces(sql: Sql, limitMs: number): Promise<HeldPlaces> {
  const rows = await statement<{ chain: Network; to: Buffer; rough: bigint }[]>(sql, limitMs)`
    select distinct chain, to_address as "to", usdc_base / ${roughBase} as rough from transfers
    where held_as is not null and not is_used`
  return new Set(rows.map(({ chain, to, rough }) => placeOf(chain, to, rough)))
}

/** Whether a transfer of one of the amounts, or up to 999 millionths more, may be held there. */
export function mayBeHeldAt(
  places: HeldPlaces,
  { chain, payTo }: Invoice['terms'],
  amountsBase: readonly bigint[],
): boolean {
  if (places.size === 0) return false
  const to = toBytes(addressKey(payTo))
  return amountsBase.some((amountBase) =>
    [0n, 1n].some((more) => places.has(placeOf(chain, to, amountBase / roughBase + more))),
  )
}

function placeOf(chain: Network, to: Buffer, rough: bigint): string {
  return `${chain} ${to.toString('hex')} ${rough}`
}
