import { toHex } from '../../domain/hash.ts'
import type { Network } from '../../domain/network.ts'
import type { Delivery } from '../../domain/purchases/delivery.ts'
import type { Purchase, State } from '../../domain/purchases/purchase.ts'
import type { PaymentKind } from '../../domain/x402/forwarded-payment.ts'
import type { PaymentRequirements } from '../../domain/x402/requirements.ts'
import { toBytes, toText } from '../postgres/chain-bytes.ts'
import { clock, type Sql } from '../postgres/db.ts'
import type { Columns } from '../postgres/rows.ts'

export type Row = {
  invoice_id: string
  account_id: string
  version: number
  resource: Buffer
  /** JSON. */
  options: string
  chain: Network
  pay_to: Buffer
  usdc_base: bigint
  agent_id: string | null
  mandate_id: string | null
  demand_sha256: Buffer | null
  state: State
  payment_key: string | null
  is_copied: boolean
  payment_kind: PaymentKind | null
  payer: string | null
  nonce: Buffer | null
  message: string | null
  valid_before: Date | null
  is_proven: boolean
  payment_id: string | null
  idempotency_key: string | null
  payment_header: string | null
  first_forwarded_at: Date | null
  forwarded_at: Date | null
  tx_hash: Buffer | null
  position: number | null
  settled_in: bigint | null
  hold_minor: bigint | null
  hold_period: number | null
  is_forwarding: boolean
  attempt: number | null
  created_at: Date
  read_at: Date
  /** JSON. */
  delivery: string | null
  delivered: number | null
}

/** Rows of `purchases` with what was handed over, for `decode`. */
export function purchasesIn(sql: Sql) {
  return sql`
    select purchases.*, ${clock(sql)} as read_at, handed.delivery, handed.attempt as delivered,
      exists (
        select from purchases as earlier where earlier.payment_key = purchases.payment_key and earlier.is_proven
          and (earlier.first_forwarded_at, earlier.invoice_id) < (purchases.first_forwarded_at, purchases.invoice_id)
      ) as is_copied
    from purchases left join purchase_deliveries as handed
      on handed.invoice_id = purchases.invoice_id and handed.payment_key = purchases.payment_key`
}

export function decode(row: Row): Purchase {
  const { chain, tx_hash: txHash, demand_sha256: demand } = row
  const { hold_minor: amountMinor, hold_period: periodNumber } = row
  return {
    invoiceId: row.invoice_id,
    accountId: row.account_id,
    resource: toHex(row.resource),
    options: decodeOptions(row.options),
    option: { network: chain, payTo: toText(chain, row.pay_to), usdcBase: row.usdc_base },
    agentId: row.agent_id,
    mandateId: row.mandate_id,
    demandSha256: demand && toHex(demand),
    version: row.version,
    state: row.state,
    payment: paymentIn(row),
    isCopied: row.is_copied,
    txHash: txHash && toText(chain, txHash),
    position: row.position,
    settledIn: row.settled_in === null ? null : Number(row.settled_in),
    hold: amountMinor === null || periodNumber === null ? null : { amountMinor, periodNumber },
    isForwarding: row.is_forwarding,
    attempt: row.attempt,
    delivery: row.delivery === null ? null : (JSON.parse(row.delivery) as Delivery),
    delivered: row.delivered,
    createdAt: row.created_at,
    readAt: row.read_at,
  }
}

function paymentIn(row: Row): Purchase['payment'] {
  const { payment_key: key, payment_kind: kind, payer, message } = row
  const { first_forwarded_at: firstForwardedAt, forwarded_at: forwardedAt } = row
  if (!key || !kind || !firstForwardedAt || !forwardedAt) return null
  const { valid_before: validBefore, is_proven: isProven, nonce } = row
  const { payment_id: paymentId, idempotency_key: idempotencyKey, payment_header: header } = row
  return {
    ...{ key, kind, payer, message, validBefore, isProven, firstForwardedAt, forwardedAt },
    nonce: nonce && toHex(nonce),
    names: { paymentId, idempotencyKey, header },
  }
}

/** What a command may change. Times are PostgreSQL's: a purchase has those of when it was read. */
export const changing: Columns<Purchase> = {
  version: ['integer', ({ version }) => version],
  state: ['text', ({ state }) => state],
  chain: ['text', ({ option }) => option.network],
  pay_to: ['bytea', ({ option }) => toBytes(option.payTo)],
  usdc_base: ['bigint', ({ option }) => option.usdcBase],
  agent_id: ['text', ({ agentId }) => agentId],
  mandate_id: ['text', ({ mandateId }) => mandateId],
  payment_key: ['text', ({ payment }) => payment?.key ?? null],
  payment_kind: ['text', ({ payment }) => payment?.kind ?? null],
  payer: ['text', ({ payment }) => payment?.payer ?? null],
  nonce: ['bytea', ({ payment }) => toBytes(payment?.nonce ?? null)],
  message: ['text', ({ payment }) => payment?.message ?? null],
  valid_before: ['timestamptz', ({ payment }) => payment?.validBefore ?? null],
  is_proven: ['boolean', ({ payment }) => payment?.isProven ?? false],
  payment_id: ['text', ({ payment }) => payment?.names.paymentId ?? null],
  idempotency_key: ['text', ({ payment }) => payment?.names.idempotencyKey ?? null],
  payment_header: ['text', ({ payment }) => payment?.names.header ?? null],
  first_forwarded_at: ['timestamptz', ({ payment }) => payment?.firstForwardedAt ?? null],
  forwarded_at: ['timestamptz', ({ payment }) => payment?.forwardedAt ?? null],
  tx_hash: ['bytea', ({ txHash }) => toBytes(txHash)],
  position: ['integer', ({ position }) => position],
  settled_in: ['bigint', ({ settledIn }) => settledIn],
  hold_minor: ['bigint', ({ hold }) => hold?.amountMinor ?? null],
  hold_period: ['integer', ({ hold }) => hold?.periodNumber ?? null],
  is_forwarding: ['boolean', ({ isForwarding }) => isForwarding],
  attempt: ['integer', ({ attempt }) => attempt],
}

export function encodeOptions(options: readonly PaymentRequirements[]): string {
  return JSON.stringify(
    options.map(({ network, payTo, usdcBase }) => [network, payTo, `${usdcBase}`]),
  )
}

function decodeOptions(text: string): readonly PaymentRequirements[] {
  const rows = JSON.parse(text) as [Network, string, string][]
  return rows.map(([network, payTo, base]) => ({ network, payTo, usdcBase: BigInt(base) }))
}
