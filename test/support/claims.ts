import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Claims, createClaims } from '../../src/actors/claims/claims.ts'
import { isSignedByPayer } from '../../src/chain/facilitator/payer-signature.ts'
import { keyFrom } from '../../src/domain/accounts/secret.ts'
import type { Network } from '../../src/domain/network.ts'
import type { Proof } from '../../src/domain/settlement/claim.ts'
import { payerStatement } from '../../src/domain/settlement/payer-statement.ts'
import { openAccount } from '../../src/operator/accounts.ts'
import { toBytes } from '../../src/storage/postgres/chain-bytes.ts'
import type { Sql } from '../../src/storage/postgres/db.ts'
import { testSecretsKey, testWallet } from './app.ts'
import { type EvmNode, transferCall, type Wallet } from './evm-node.ts'
import { eventually } from './wait.ts'
import { watchedSql } from './watched-sql.ts'

/** `beforeCommit` runs before each assignment is committed. */
export function claimsOn(sql: Sql, beforeCommit?: () => unknown): Claims {
  const watched = watchedSql(sql, {
    before: ({ text }) => (text.includes('with claimed as') ? beforeCommit?.() : undefined),
  })
  return createClaims({
    sql: watched,
    invoices: { forget() {} },
    jobs: { wake() {}, add: async () => true },
    isSignedByPayer,
    isSignedByWallet: async () => false,
    feeBasisPoints: 0,
    now: () => new Date(),
    newId: () => Bun.randomUUIDv7(),
    secondNodes: new Map(),
  })
}

/** Answers the id of the operator's key. */
export async function operatorKey(sql: Sql): Promise<string> {
  const keyed = { name: 'Operator', plan: 'pro' } as const
  const { account } = await openAccount(sql, keyFrom(testSecretsKey), keyed)
  const [key] = await sql<{ id: string }[]>`
    select id from api_keys where account_id = ${account.id} limit 1`
  return key?.id ?? ''
}

/** Without `privateKey` a new random wallet signs the claim. */
export async function signedClaim(of: {
  invoiceId: string
  txHash?: string
  chain?: Network
  privateKey?: Hex
}): Promise<Proof> {
  const { invoiceId, chain = 'base', txHash = aTxHash(), privateKey = generatePrivateKey() } = of
  const account = privateKeyToAccount(privateKey)
  const message = payerStatement({ subject: { invoiceId }, chain, txHash })
  return { txHash, signature: await account.signMessage({ message }), payer: account.address }
}

export function aTxHash(): Hex {
  return `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
}

/** A transfer assigned to no invoice, as the watcher records it. Answers its id. */
export async function heldTransfer(
  sql: Sql,
  over: {
    usdcBase: bigint
    from?: string
    to?: string
    txHash?: string
    heldAs?: 'ambiguous' | 'unmatched'
    state?: 'seen' | 'confirmed' | 'reverted'
    chain?: Network
    at?: Date
    /** Absent: `at`, when it was recorded. */
    madeAt?: Date
  },
): Promise<string> {
  const { usdcBase, txHash = aTxHash(), heldAs = 'unmatched', state = 'confirmed' } = over
  const { from = `0x${'bb'.repeat(20)}`, to = testWallet, chain = 'base', at = new Date() } = over
  const { madeAt = at } = over
  await sql`
    insert into transfers (chain, tx_hash, position, block_number, block_hash, block_time, from_address, to_address, usdc_base, state,
      held_as, created_at)
    values (${chain}, ${toBytes(txHash)}, 3, 100, '\\xb10c', ${madeAt}, ${toBytes(from)}, ${toBytes(to)}, ${usdcBase}, ${state}, ${heldAs}, ${at})`
  return `${chain}:${txHash}:3`
}

/** Waits until the watcher has recorded a transaction. */
export async function noticed(sql: Sql, txHash: string): Promise<void> {
  await eventually(async () => {
    const rows = await sql`select from transfers where tx_hash = ${toBytes(txHash)}`
    return rows.length > 0
  })
}

/**
 * Signs a transfer without sending it, so a test knows its hash before it is on chain. Answers the
 * raw transaction.
 */
export async function signedTransfer(
  node: EvmNode,
  { from, to, usdcBase }: { from: Wallet; to: string; usdcBase: bigint },
): Promise<Hex> {
  const nonce = await node.rpc<Hex>('eth_getTransactionCount', [from.address, 'latest'])
  return privateKeyToAccount(from.privateKey).signTransaction({
    type: 'eip1559',
    chainId: node.chainId,
    nonce: Number(nonce),
    gas: 200_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    to: node.usdc,
    data: transferCall({ to, usdcBase }),
  })
}
