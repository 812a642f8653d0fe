/**
 * An invoicing service built the usual way, for `bench/lifecycle.ts`: a transaction per request, a
 * job per delivery, `eth_getLogs` per open invoice, a transaction per anchor, whole payloads
 * stored.
 * `bun bench/rivals/lifecycle.ts <database> <node> <contract> <key> <hook>` prints its port.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { TransactionSql } from 'postgres'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { base } from 'viem/chains'
import { callData } from '../../src/chain/anchor/events.ts'
import { connect } from '../../src/storage/postgres/db.ts'

const [databaseUrl = '', nodeUrl = '', contract = '', key = '', hook = ''] = process.argv.slice(2)
const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const confirmations = 3
const pollMs = 500
const told = ['invoice.created', 'invoice.settled', 'invoice.completed']
const workers = 16
const secret = randomBytes(32)
const accountId = Bun.randomUUIDv7()

const sql = connect(databaseUrl, { max: 20, name: 'rival' })
const wallet = createWalletClient({
  account: privateKeyToAccount(key as Hex),
  chain: base,
  transport: http(nodeUrl),
  pollingInterval: 50,
}).extend(publicActions)

await sql.unsafe(`
  create table numbers (account_id uuid primary key, last integer not null);
  create table invoices (id uuid primary key, account_id uuid not null, number integer not null, status text not null,
    address text not null, due text not null, data jsonb not null,
    created_at timestamptz not null default now(), updated_at timestamptz not null default now());
  create index on invoices (account_id, created_at);
  create index on invoices (status);
  create index on invoices (address);
  create table idempotency (account_id uuid not null, key text not null, request jsonb not null, response jsonb not null,
    created_at timestamptz not null default now(), primary key (account_id, key));
  create table events (id uuid primary key, invoice_id uuid not null, type text not null, data jsonb not null,
    created_at timestamptz not null default now());
  create index on events (invoice_id);
  create table payments (tx_hash text not null, log_index integer not null, invoice_id uuid not null, data jsonb not null,
    created_at timestamptz not null default now(), primary key (tx_hash, log_index));
  create table receipts (id uuid primary key, invoice_id uuid not null, hash text not null, data jsonb not null, tx_hash text,
    created_at timestamptz not null default now());
  create index on receipts (invoice_id);
  create table jobs (id bigint generated always as identity primary key, kind text not null, payload jsonb not null,
    attempts integer not null default 0, run_at timestamptz not null default now());
  create index on jobs (kind, run_at);
  create table deliveries (id uuid primary key, event_id uuid not null, url text not null, payload jsonb not null,
    status integer, response text, created_at timestamptz not null default now());
  create index on deliveries (event_id);
  insert into numbers values ('${accountId}', 0);`)

type Tx = TransactionSql<{ bigint: bigint }>
type Invoice = { id: string; address: string; data: Data }
type Data = Record<string, unknown> & { paymentDetails: Record<string, unknown> }

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const body = (await request.json()) as Record<string, unknown>
    const idempotencyKey = request.headers.get('idempotency-key') ?? ''
    return Response.json(
      { success: true, data: await create(body, idempotencyKey) },
      { status: 201 },
    )
  },
})
console.log(server.port)
void forever(watch)
void forever(anchor)
for (let n = 0; n < workers; n++) void forever(deliver)

async function create(body: Record<string, unknown>, idempotencyKey: string): Promise<Data> {
  return sql.begin(async (tx) => {
    const [known] = await tx<{ response: Data }[]>`
      select response from idempotency where account_id = ${accountId} and key = ${idempotencyKey}`
    if (known) return known.response
    const [counter] = await tx<{ last: number }[]>`
      update numbers set last = last + 1 where account_id = ${accountId} returning last`
    const id = Bun.randomUUIDv7()
    const address = privateKeyToAddress(generatePrivateKey())
    const due = '14.875'
    const data: Data = {
      id,
      invoiceNumber: counter?.last,
      status: 'PENDING',
      ...body,
      paymentDetails: {
        chain: 'base',
        paymentAddress: address,
        usdcAddress: usdc,
        amountDue: due,
        reference: `0x${randomBytes(32).toString('hex')}`,
      },
      createdAt: new Date().toISOString(),
    }
    await tx`insert into invoices (id, account_id, number, status, address, due, data)
      values (${id}, ${accountId}, ${counter?.last ?? 0}, 'open', ${address.toLowerCase()}, ${due}, ${tx.json(data as never)})`
    await tx`insert into idempotency (account_id, key, request, response)
      values (${accountId}, ${idempotencyKey}, ${tx.json(body as never)}, ${tx.json(data as never)})`
    await tell(tx, id, 'invoice.created', data)
    return data
  })
}

/** Stores an event with the whole invoice, and a job for its delivery. */
async function tell(tx: Tx, invoiceId: string, type: string, data: Data): Promise<void> {
  const id = Bun.randomUUIDv7()
  await tx`insert into events (id, invoice_id, type, data) values (${id}, ${invoiceId}, ${type}, ${tx.json(data as never)})`
  if (!told.includes(type)) return
  await tx`insert into jobs (kind, payload) values ('deliver', ${tx.json({ eventId: id, type, data } as never)})`
}

async function watch(): Promise<boolean> {
  const head = Number(await wallet.getBlockNumber())
  const open = await sql<Invoice[]>`
    select id, address, data from invoices where status in ('open', 'paid')`
  for (let at = 0; at < open.length; at += workers)
    await Promise.all(open.slice(at, at + workers).map((invoice) => look(invoice, head)))
  await Bun.sleep(pollMs)
  return true
}

async function look({ id, address, data }: Invoice, head: number): Promise<void> {
  const logs = (await wallet.request({
    method: 'eth_getLogs',
    params: [
      {
        address: usdc,
        topics: [transferTopic, null, `0x${address.slice(2).padStart(64, '0')}`],
        fromBlock: '0x0',
        toBlock: `0x${head.toString(16)}`,
      },
    ],
  } as never)) as readonly { transactionHash: string; logIndex: string; blockNumber: string }[]
  const [log] = logs
  if (!log) return
  const { transactionHash: txHash, blockNumber } = log
  const isFinal = head - Number(blockNumber) + 1 >= confirmations
  await sql.begin(async (tx) => {
    const paid = { ...data, status: 'PAID', payment: log }
    const [isNew] = await tx`insert into payments (tx_hash, log_index, invoice_id, data)
      values (${txHash}, ${Number(log.logIndex)}, ${id}, ${tx.json(log as never)}) on conflict do nothing returning 1`
    if (isNew) {
      await tx`update invoices set status = 'paid', data = ${tx.json(paid as never)}, updated_at = now() where id = ${id}`
      await tell(tx, id, 'invoice.paid', paid)
    }
    if (!isFinal) return
    const receiptId = Bun.randomUUIDv7()
    const settled = { ...paid, status: 'SETTLED', receiptId, settledAt: new Date().toISOString() }
    const hash = `0x${createHmac('sha256', secret).update(JSON.stringify(settled)).digest('hex')}`
    await tx`update invoices set status = 'settled', data = ${tx.json(settled as never)}, updated_at = now() where id = ${id}`
    await tx`insert into receipts (id, invoice_id, hash, data) values (${receiptId}, ${id}, ${hash}, ${tx.json(settled as never)})`
    await tell(tx, id, 'invoice.settled', settled)
    await tx`insert into jobs (kind, payload) values ('anchor', ${tx.json({ receiptId, invoiceId: id, hash } as never)})`
  })
}

/** One transaction per receipt; the next waits for it. */
async function anchor(): Promise<boolean> {
  return work<{ receiptId: string; invoiceId: string; hash: Hex }>('anchor', async (tx, job) => {
    const entry = { kind: 'mandate', hash: job.hash, label: job.receiptId } as const
    const sent = await wallet.sendTransaction({ to: contract as Hex, data: callData([entry]) })
    await wallet.waitForTransactionReceipt({ hash: sent })
    await tx`update receipts set tx_hash = ${sent} where id = ${job.receiptId}`
    const [invoice] = await tx<
      { data: Data }[]
    >`select data from invoices where id = ${job.invoiceId} for update`
    if (!invoice) return
    const completed = { ...invoice.data, status: 'COMPLETED', anchor: sent }
    await tx`update invoices set status = 'completed', data = ${tx.json(completed as never)}, updated_at = now() where id = ${job.invoiceId}`
    await tell(tx, job.invoiceId, 'invoice.completed', completed)
  })
}

async function deliver(): Promise<boolean> {
  return work<{ eventId: string; type: string; data: Data }>('deliver', async (tx, job) => {
    const payload = { id: job.eventId, type: job.type, data: job.data }
    const body = JSON.stringify(payload)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-signature': signature }
    const answer = await fetch(hook, { method: 'POST', headers, body })
    await tx`insert into deliveries (id, event_id, url, payload, status, response)
      values (${Bun.randomUUIDv7()}, ${job.eventId}, ${hook}, ${tx.json(payload as never)}, ${answer.status}, ${await answer.text()})`
  })
}

/** Does one job in a transaction. False: there is none. */
async function work<Payload>(
  kind: string,
  run: (tx: Tx, payload: Payload) => Promise<void>,
): Promise<boolean> {
  return sql.begin(async (tx) => {
    const [job] = await tx<{ id: bigint; payload: Payload }[]>`
      select id, payload from jobs where kind = ${kind} and run_at <= now() order by id limit 1 for update skip locked`
    if (!job) return false
    await run(tx, job.payload)
    await tx`delete from jobs where id = ${job.id}`
    return true
  })
}

async function forever(round: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const isBusy = await round().catch((error) => {
      console.error(error)
      return false
    })
    if (!isBusy) await Bun.sleep(50)
  }
}
