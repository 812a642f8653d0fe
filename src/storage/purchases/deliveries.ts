import { type Delivery, type KeptAnswer, worthOf } from '../../domain/purchases/delivery.ts'
import { type Sql, statement } from '../postgres/db.ts'

/** What was handed over of one attempt's answer; `answer` is kept for repeats. */
export type HandedOver = {
  readonly invoiceId: string
  readonly paymentKey: string
  /** Null: of a payment that had been accepted before. */
  readonly attempt: number | null
  readonly delivery: Delivery
  readonly answer: KeptAnswer | null
}

/** Notes what was handed over. The best delivery of a payment, and its first answer, stay. */
export async function noteDelivery(sql: Sql, handed: HandedOver): Promise<void> {
  const { invoiceId, paymentKey, attempt, delivery, answer } = handed
  const headers = answer && JSON.stringify(answer.headers)
  await statement(sql)`
    insert into purchase_deliveries as kept (invoice_id, payment_key, attempt, delivery, worth, status, headers, body, created_at)
    values (${invoiceId}, ${paymentKey}, ${attempt ?? 0}, ${JSON.stringify(delivery)}, ${worthOf(delivery)},
      ${answer?.status ?? null}, ${headers}, ${answer?.body ?? null}, now())
    on conflict (invoice_id) do update set
      payment_key = excluded.payment_key,
      attempt = case when kept.payment_key = excluded.payment_key then greatest(kept.attempt, excluded.attempt) else excluded.attempt end,
      delivery = case when ${isBetter(sql)} then excluded.delivery else kept.delivery end,
      worth = case when ${isBetter(sql)} then excluded.worth else kept.worth end,
      status = case when ${hasAnswer(sql)} then kept.status else excluded.status end,
      headers = case when ${hasAnswer(sql)} then kept.headers else excluded.headers end,
      body = case when ${hasAnswer(sql)} then kept.body else excluded.body end`
}

function isBetter(sql: Sql) {
  return sql`kept.payment_key <> excluded.payment_key or excluded.worth > kept.worth`
}

function hasAnswer(sql: Sql) {
  return sql`kept.payment_key = excluded.payment_key and kept.body is not null`
}

/** The answer that was kept for repeats of a purchase. */
export async function findAnswer(sql: Sql, invoiceId: string): Promise<KeptAnswer | null> {
  const [row] = await statement<{ status: number; headers: string; body: Uint8Array }[]>(sql)`
    select status, headers, body from purchase_deliveries where invoice_id = ${invoiceId} and body is not null`
  return row ? { ...row, headers: JSON.parse(row.headers) as KeptAnswer['headers'] } : null
}

/** Forgets the answers of keys whose 24 hours are over. Returns how many. */
export async function forgetAnswers(sql: Sql, limit: number): Promise<number> {
  const [row] = await statement<[{ count: number }]>(sql)`
    with old as (
      select invoice_id from purchase_deliveries where body is not null and created_at < now() - interval '24 hours'
      limit ${limit} for update skip locked
    ),
    dropped as (
      update purchase_deliveries set status = null, headers = null, body = null
      where invoice_id in (select invoice_id from old) returning 1
    )
    select count(*)::integer as count from dropped`
  return row.count
}
