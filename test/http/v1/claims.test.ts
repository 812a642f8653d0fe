import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import { base58 } from '@scure/base'
import { type Hex, keccak256, toHex } from 'viem'
import { newSolanaWallet } from '../../../src/chain/wallets.ts'
import { toDecimal, usdcScale } from '../../../src/domain/money/money.ts'
import { payerStatement } from '../../../src/domain/settlement/payer-statement.ts'
import { toBytes, toText } from '../../../src/storage/postgres/chain-bytes.ts'
import { claimSettled } from '../../../src/storage/x402/payments.ts'
import { nextAddress } from '../../support/addresses.ts'
import { type Answer, anInvoice, refused, testWallet } from '../../support/app.ts'
import {
  aTxHash,
  heldTransfer,
  noticed,
  signedClaim,
  signedTransfer,
} from '../../support/claims.ts'
import { newClaim } from '../../support/paywall.ts'
import { eventually } from '../../support/wait.ts'
import { useWorld } from '../../support/world.ts'

/** The service watching a real chain. */

// Lower case, as in transfers.
const wallet = testWallet.toLowerCase()
const solanaWallet = newSolanaWallet().address

const { app, node } = useWorld({
  chains: ['base'],
  funded: [1, 2],
  env: {
    BASE_CONFIRMATIONS: '3',
    BASE_START_BLOCK: '1',
    TRUST_PROXY: 'true',
    SOLANA_WALLET: solanaWallet,
  },
})
let amounts = 0
/** An amount that no other test uses, in base units of USDC. */
function anAmount(): bigint {
  amounts += 1
  return 1_000_000n + BigInt(amounts)
}

function invoiceOf(usdcBase: bigint, of = app.account, chain = 'base'): Promise<string> {
  return anInvoice(app, { amount: toDecimal(usdcBase, usdcScale), chain }, of.v1Key)
}

function pay(usdcBase: bigint, from = 1): Promise<Hex> {
  return node.transfer({ from: node.wallet(from).address, to: wallet, usdcBase })
}

/** A signed payment that is not on chain yet, its hash, and how to bring it there. */
async function signedPayment(usdcBase: bigint) {
  const signed = await signedTransfer(node, { from: node.wallet(1), to: wallet, usdcBase })
  return {
    txHash: keccak256(signed),
    bring: () => node.rpc('eth_sendRawTransaction', [signed]),
  }
}

/** An invoice that a transfer of its amount could mean as well as one of another account. */
async function ambiguous() {
  const amount = anAmount()
  const theirs = await invoiceOf(amount, app.other)
  return { amount, theirs, mine: await invoiceOf(amount) }
}

function claimOf(invoiceId: string, txHash: string, from = 1) {
  return signedClaim({ invoiceId, txHash, privateKey: node.wallet(from).privateKey })
}

function send(invoiceId: string, body: unknown): Promise<Answer> {
  // Each call has its own address, because one address may send only a hundred a minute.
  const headers = { 'x-forwarded-for': nextAddress() }
  return app.keyless('POST', `/v1/public/invoices/${invoiceId}/claim`, body, headers)
}

async function claim(invoiceId: string, txHash: string, from = 1): Promise<Answer> {
  return send(invoiceId, await claimOf(invoiceId, txHash, from))
}

async function invoice(id: string, of = app.account) {
  return (await app.send('GET', `/v1/invoices/${id}`, undefined, { 'x-api-key': of.v1Key })).json
    .data
}

async function settled(id: string, of = app.account) {
  await eventually(async () => (await invoice(id, of)).status === 'SETTLED')
  return (await invoice(id, of)).paymentDetails
}

/** How often a transfer was credited, according to each table that records it. */
async function creditsOf(txHash: string) {
  const { sql } = app.database
  const [row] = await sql`select
    (select count(*)::integer from transfers where tx_hash = ${toBytes(txHash)} and invoice_id is not null) as transfers,
    (select count(*)::integer from events where types like '%payment.credited%' and data like ${`%${txHash}%`}) as events,
    (select count(*)::integer from invoices where progress like ${`%${txHash}%`}) as invoices`
  return { ...row }
}

const nothing = { transfers: 0, events: 0, invoices: 0 }
const once = { transfers: 1, events: 1, invoices: 1 }

describe('a payment that two accounts’ invoices could mean', () => {
  test('is credited to none until its sender claims it, then settles that invoice and no other', async () => {
    const { amount, theirs, mine } = await ambiguous()
    const txHash = await pay(amount)
    await noticed(app.database.sql, txHash)
    expect(await creditsOf(txHash)).toEqual(nothing)
    const { status, json } = await claim(mine, txHash)
    expect(status).toBe(200)
    const amountDue = toDecimal(amount, usdcScale)
    const credited = { invoiceId: mine, txHash, status: 'credited', invoiceStatus: 'PENDING' }
    const data = { ...credited, amountDue, amountReceived: amountDue }
    expect(json).toEqual({ success: true, data })
    // Just deep enough: the watcher may take a step between two blocks.
    await node.mine(2)
    const paid = await settled(mine)
    const from = node.wallet(1).address.toLowerCase()
    expect(paid).toMatchObject({ matchedBy: 'claim', txHash, from, confirmations: 3 })
    expect((await invoice(theirs, app.other)).paymentDetails.amountReceived).toBe('0.00')
    expect(await creditsOf(txHash)).toEqual(once)
  })

  test('settles the invoice at once, with one receipt, if it is confirmed when it is claimed', async () => {
    const { amount, mine } = await ambiguous()
    const txHash = await pay(amount)
    await node.mine(5)
    await eventually(async () => {
      const [row] = await app.database
        .sql`select state from transfers where tx_hash = ${toBytes(txHash)}`
      return row?.state === 'confirmed'
    })
    const { json } = await claim(mine, txHash)
    expect(json.data.invoiceStatus).toBe('SETTLED')
    const { confirmations } = (await invoice(mine)).paymentDetails
    expect(confirmations).toBeGreaterThanOrEqual(3)
    const receipts = await app.database.sql`select 1 from receipts where subject_id = ${mine}`
    expect(receipts).toHaveLength(1)
  })

  test('can be claimed before the watcher sees it, and is credited then', async () => {
    const { amount, mine } = await ambiguous()
    const { txHash, bring } = await signedPayment(amount)
    expect((await claim(mine, txHash)).status).toBe(202)
    expect((await claim(mine, txHash)).json.data).toMatchObject({ status: 'pending', txHash })
    await bring()
    await noticed(app.database.sql, txHash)
    expect(await creditsOf(txHash)).toEqual(once)
    await node.mine(3)
    expect((await settled(mine)).matchedBy).toBe('claim')
    expect((await claim(mine, txHash)).json.data.status).toBe('credited')
  })
})

describe('a claim credits only the sender’s own transfer', () => {
  test('403 for a valid signature by another wallet than the sender', async () => {
    const { amount, mine } = await ambiguous()
    const txHash = await pay(amount)
    await noticed(app.database.sql, txHash)
    expect(refused(await claim(mine, txHash, 2))).toEqual([403, 'NOT_THE_SENDER'])
    expect(await creditsOf(txHash)).toEqual(nothing)
  })

  test('403 for a signature for another invoice, another transaction, or by somebody else', async () => {
    const { amount, theirs, mine } = await ambiguous()
    const [txHash, second] = [await pay(amount), await pay(amount)]
    await noticed(app.database.sql, second)
    const { payer } = await claimOf(mine, txHash)
    for (const { signature } of [
      await claimOf(theirs, txHash),
      await claimOf(mine, second),
      await claimOf(mine, txHash, 2),
    ]) {
      const replayed = await send(mine, { txHash, signature, payer })
      expect(refused(replayed)).toEqual([403, 'invalid_signature'])
    }
    expect(await creditsOf(txHash)).toEqual(nothing)
  })

  test('409 for a transfer that has paid another invoice', async () => {
    const amount = anAmount()
    const mine = await invoiceOf(amount)
    const { reference } = (await invoice(mine)).paymentDetails
    const from = node.wallet(1).address
    const txHash = await node.transfer({ from, to: wallet, usdcBase: amount, reference })
    await noticed(app.database.sql, txHash)
    expect(await creditsOf(txHash)).toEqual(once)
    const other = await invoiceOf(amount, app.other)
    expect(refused(await claim(other, txHash))).toEqual([409, 'ALREADY_CREDITED'])
    expect((await claim(mine, txHash)).json.data.status).toBe('credited')
  })

  test('409 for a transfer that has bought something by x402', async () => {
    const amount = anAmount()
    const id = await invoiceOf(amount)
    const txHash = aTxHash()
    const from = node.wallet(1).address
    await heldTransfer(app.database.sql, { usdcBase: amount, from, to: wallet, txHash })
    const sale = { key: txHash, network: 'base', payer: from.toLowerCase(), txHash } as const
    await claimSettled(app.database.sql, newClaim(sale), { txHash, position: 3 })
    expect(refused(await claim(id, txHash))).toEqual([409, 'ALREADY_CREDITED'])
    expect((await creditsOf(txHash)).invoices).toBe(0)
  })

  test('a claim waiting for somebody else’s transfer never gets it', async () => {
    const amount = anAmount()
    const mine = await invoiceOf(amount)
    const theirs = await invoiceOf(anAmount(), app.other)
    const { txHash, bring } = await signedPayment(amount)
    expect((await claim(theirs, txHash, 2)).status).toBe(202)
    await bring()
    await noticed(app.database.sql, txHash)
    expect((await invoice(theirs, app.other)).paymentDetails.amountReceived).toBe('0.00')
    expect((await claim(mine, txHash)).json.data.status).toBe('credited')
  })

  test('a fake token, a transfer of zero and a failed transfer pay nothing, claimed or not', async () => {
    const amount = anAmount()
    const mine = await invoiceOf(amount)
    const fake = '0x00000000000000000000000000000000000fa4e5'
    const from = node.wallet(1).address
    await node.installFakeUsdc(fake, from, amount)
    const hashes = [
      await node.transfer({ from, to: wallet, usdcBase: amount, token: fake }),
      await pay(0n),
      await node.transfer({ from: node.wallet(3).address, to: wallet, usdcBase: amount }),
    ]
    for (const [at, txHash] of hashes.entries())
      expect((await claim(mine, txHash, at === 2 ? 3 : 1)).status).toBe(202)
    await noticed(app.database.sql, await pay(anAmount()))
    for (const txHash of hashes) expect(await creditsOf(txHash)).toEqual(nothing)
    expect((await invoice(mine)).paymentDetails.amountReceived).toBe('0.00')
  })
})

describe('claimed transfers add up', () => {
  test('under the due amount the invoice stays open; over it, it says by how much', async () => {
    const mine = await invoiceOf(20_000_000n)
    const [first, second] = [await pay(12_000_000n), await pay(13_000_000n)]
    await noticed(app.database.sql, second)
    const part = await claim(mine, first)
    expect(part.json.data).toMatchObject({ invoiceStatus: 'PENDING', amountReceived: '12.00' })
    const rest = await claim(mine, second)
    expect(rest.json.data).toMatchObject({ amountDue: '20.00', amountReceived: '25.00' })
    await node.mine(3)
    expect((await settled(mine)).overpaidAmount).toBe('5.00')
    const more = await pay(1_000_000n)
    await noticed(app.database.sql, more)
    expect(refused(await claim(mine, more))).toEqual([409, 'INVALID_STATE'])
  })
})

describe('many at once', () => {
  test('fifty claims of one transfer for five invoices credit it to one of them, once', async () => {
    const invoices = await Promise.all([1, 2, 3, 4, 5].map(() => invoiceOf(anAmount())))
    const txHash = await pay(50_000_000n)
    await noticed(app.database.sql, txHash)
    const proofs = await Promise.all(invoices.map((id) => claimOf(id, txHash)))
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => send(invoices[at % 5] as string, proofs[at % 5])),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(new Set(won.map(({ json }) => json.data.invoiceId)).size).toBe(1)
    expect(won).toHaveLength(10)
    expect(won.map(({ json }) => json.data.amountReceived)).toEqual(won.map(() => '50.00'))
    for (const answer of answers)
      if (answer.status !== 200) expect(refused(answer)).toEqual([409, 'ALREADY_CREDITED'])
    expect(await creditsOf(txHash)).toEqual(once)
  })

  test('claims that race with the watcher credit each transfer once, and every invoice settles', async () => {
    const count = 12
    const invoices = await Promise.all(Array.from({ length: count }, ambiguous))
    const hashes: string[] = []
    for (const { amount, mine: id } of invoices) {
      const txHash = await pay(amount)
      hashes.push(txHash)
      // Not awaited: the watcher sees this transfer, and confirms earlier ones, while the claims
      // are under way.
      const proof = await claimOf(id, txHash)
      await Promise.race([Promise.all([1, 2, 3].map(() => send(id, proof))), Bun.sleep(20)])
    }
    await node.mine(3)
    for (const { mine } of invoices) expect((await settled(mine)).matchedBy).toBe('claim')
    for (const txHash of hashes) expect(await creditsOf(txHash)).toEqual(once)
    const ids = `{${invoices.map(({ mine }) => mine).join(',')}}`
    const receipts = await app.database
      .sql`select 1 from receipts where subject_id = any(${ids}::uuid[]) and revoked_at is null`
    expect(receipts).toHaveLength(count)
  })
})

describe('after a reorganisation', () => {
  test('a claimed transfer that is mined again is credited by the same claim', async () => {
    const { amount, mine } = await ambiguous()
    const { txHash, bring } = await signedPayment(amount)
    await bring()
    await noticed(app.database.sql, txHash)
    expect((await claim(mine, txHash)).status).toBe(200)
    await node.reorg(1)
    await eventually(async () => (await invoice(mine)).paymentDetails.amountReceived === '0.00')
    await bring()
    await node.mine(4)
    expect((await settled(mine)).matchedBy).toBe('claim')
  })
})

describe('on Solana', () => {
  test('a claim signed in base58 or base64 credits a held transfer; the address’s case counts', async () => {
    for (const encoding of ['base58', 'base64'] as const) {
      const id = await invoiceOf(anAmount(), app.account, 'solana')
      const { proof, payer } = solanaClaim(id, encoding)
      expect((await send(id, proof)).json.data.status).toBe('pending')
      const { txHash } = proof
      const made = { usdcBase: 1n, chain: 'solana', txHash, from: payer, to: solanaWallet } as const
      await heldTransfer(app.database.sql, made)
      const another = await send(id, { ...proof, payer: newSolanaWallet().address })
      expect(refused(another)).toEqual([403, 'NOT_THE_SENDER'])
      expect((await send(id, proof)).json.data).toMatchObject({ txHash, status: 'credited' })
    }
  })
})

/** The claim of a payer on Solana for one of its transactions. */
function solanaClaim(invoiceId: string, encoding: 'base58' | 'base64') {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const payer = base58.encode(Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'))
  const txHash = base58.encode(crypto.getRandomValues(new Uint8Array(64)))
  const statement = payerStatement({ subject: { invoiceId }, chain: 'solana', txHash })
  const bytes = sign(null, Buffer.from(statement), privateKey)
  const signature = encoding === 'base58' ? base58.encode(bytes) : bytes.toString('base64')
  return { payer, proof: { txHash, signature, payer } }
}

describe('what is sent', () => {
  test('may be wrapped as x_payment: an object, its JSON, or base64 of that', async () => {
    const id = await invoiceOf(anAmount())
    const proof = await claimOf(id, aTxHash())
    const json = JSON.stringify(proof)
    for (const sent of [proof, json, Buffer.from(json).toString('base64')]) {
      const { status, json: answer } = await send(id, { x_payment: sent })
      expect([status, answer.data?.status]).toEqual([202, 'pending'])
    }
  })

  test.each([
    [{ txHash: 1 }, 'txHash'],
    [{ txHash: undefined }, 'txHash'],
    [{ txHash: '0x12' }, 'txHash'],
    [{ txHash: '5'.repeat(88) }, 'txHash'],
    [{ payer: 'somebody' }, 'payer'],
    [{ payer: null }, 'payer'],
    [{ signature: '' }, 'signature'],
    [{ signature: 'x'.repeat(16_385) }, 'signature'],
    [{ x_payment: 'rubbish' }, 'x_payment'],
    [{ x_payment: 'bnVsbA==' }, 'x_payment'],
    [{ x_payment: {} }, 'x_payment/txHash'],
  ])('400 for %j', async (over, path) => {
    const id = await invoiceOf(anAmount())
    const answer = await send(id, { ...(await claimOf(id, aTxHash())), ...over })
    expect(refused(answer)).toEqual([400, 'INVALID_REQUEST'])
    expect(answer.json.error.details[0].path).toBe(path)
  })

  test('404 for an unknown invoice', async () => {
    for (const id of [Bun.randomUUIDv7(), 'x', '%00'])
      expect(refused(await claim(id, aTxHash()))).toEqual([404, 'NOT_FOUND'])
  })

  test('409 for a voided invoice, 409 for a transfer to another address', async () => {
    const id = await invoiceOf(anAmount())
    const astray = aTxHash()
    const from = node.wallet(1).address
    const to = `0x${'99'.repeat(20)}`
    await heldTransfer(app.database.sql, { usdcBase: 1n, from, to, txHash: astray })
    expect(refused(await claim(id, astray))).toEqual([409, 'TRANSFER_MISMATCH'])
    await app.send('POST', `/api/invoices/${id}/void`)
    expect(refused(await claim(id, aTxHash()))).toEqual([409, 'INVALID_STATE'])
  })

  test('403 for a malformed signature', async () => {
    const id = await invoiceOf(anAmount())
    for (const signature of ['x', '0x', toHex(1n, { size: 65 }), toHex(1n, { size: 64 })]) {
      const answer = await send(id, { ...(await claimOf(id, aTxHash())), signature })
      expect(refused(answer)).toEqual([403, 'invalid_signature'])
    }
  })

  describe('409 for more than twenty claims of unseen transactions', () => {
    /** An invoice over `usdcBase` with twenty claims, made so many hours ago, and one of them. */
    async function fullyClaimed(usdcBase: bigint, hours: number) {
      const id = await invoiceOf(usdcBase)
      const first = aTxHash()
      expect((await claim(id, first)).status).toBe(202)
      for (let n = 1; n < 20; n++) expect((await claim(id, aTxHash())).status).toBe(202)
      const { sql } = app.database
      await sql`update claims set created_at = created_at - ${`${hours} hours`}::interval where invoice_id = ${id}`
      return { id, first }
    }

    const seen = (txHash: string, over: Partial<Parameters<typeof heldTransfer>[1]> = {}) => {
      const from = node.wallet(1).address
      return heldTransfer(app.database.sql, { usdcBase: 1n, from, txHash, ...over })
    }

    const kept = async (id: string) => {
      const rows = await app.database.sql`select tx_hash from claims where invoice_id = ${id}`
      return rows.map(({ tx_hash: txHash }) => toText('base', txHash))
    }

    test('until the transaction is recorded', async () => {
      const amount = anAmount()
      const { id, first } = await fullyClaimed(amount, 23)
      const paid = aTxHash()
      const answer = await claim(id, paid)
      expect(refused(answer)).toEqual([409, 'LIMIT_REACHED'])
      expect(answer.json.error.message).toContain('taken once its transaction is')
      expect((await claim(id, first)).status).toBe(202)
      await seen(paid, { usdcBase: amount })
      expect((await claim(id, paid)).status).toBe(200)
    })

    test('of the last day', async () => {
      const { id, first } = await fullyClaimed(anAmount(), 25)
      expect((await claim(id, first)).status).toBe(202)
      const another = aTxHash()
      expect((await claim(id, another)).status).toBe(202)
      expect(await kept(id)).toEqual([another])
    })

    test('including claims of reverted transactions', async () => {
      const { id, first } = await fullyClaimed(anAmount(), 23)
      await seen(first, { state: 'reverted' })
      const another = aTxHash()
      expect(refused(await claim(id, another))).toEqual([409, 'LIMIT_REACHED'])
      await app.database.sql`update transfers set state = 'seen' where tx_hash = ${toBytes(first)}`
      expect((await claim(id, another)).status).toBe(202)
    })

    test('or for more than a thousand in all, of which claims of unseen transactions are dropped', async () => {
      const { id } = await fullyClaimed(anAmount(), 25)
      const txHash = aTxHash()
      await seen(txHash)
      await app.database.sql`
        insert into claims (chain, tx_hash, payer, invoice_id, made_by, signature, created_at)
        select 'base', ${toBytes(txHash)}, int4send(n), ${id}, 'claim', '0x', now() from generate_series(1, 999) as n`
      expect((await claim(id, aTxHash())).status).toBe(202)
      expect(await kept(id)).toHaveLength(1_000)
      expect(refused(await claim(id, aTxHash()))).toEqual([409, 'LIMIT_REACHED'])
    })

    test('and claims of transactions that were seen are kept', async () => {
      const { id, first } = await fullyClaimed(anAmount(), 25)
      await seen(first, { state: 'reverted' })
      const others = Array.from({ length: 20 }, () => aTxHash())
      for (const txHash of others) expect((await claim(id, txHash)).status).toBe(202)
      expect((await kept(id)).toSorted()).toEqual([first, ...others].toSorted())
    })
  })
})
