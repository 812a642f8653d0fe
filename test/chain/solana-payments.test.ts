import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Connection } from '@solana/web3.js'
import { solanaRpc } from '../../src/chain/solana.ts'
import { solanaPaymentReader } from '../../src/chain/solana-payments.ts'
import { ofVersion } from '../support/rpc-faults.ts'
import { type RpcRelay, startRpcRelay } from '../support/rpc-relay.ts'
import { type SolanaNode, startSolanaNode } from '../support/solana-node.ts'
import { transferUsdc } from '../support/solana-transfer.ts'

let node: SolanaNode
let relay: RpcRelay
let txHash: string

beforeAll(async () => {
  node = startSolanaNode()
  relay = startRpcRelay(node.url)
  const to = node.wallet(1).publicKey.toBase58()
  const order = { mint: node.mint, to, usdcBase: 1_000n, memo: 'what is sold' }
  node.mintTo(node.wallet(0).publicKey, 1_000n)
  txHash = await transferUsdc(new Connection(node.url), node.wallet(0), order)
  node.advance(5)
})

afterAll(async () => {
  await relay.stop()
  await node.stop()
})

function reader() {
  const rpc = solanaRpc({ rpcUrls: [relay.url] })
  return solanaPaymentReader(rpc, { usdc: node.mint.toBase58() })
}

test('a transfer by a transaction of version 1 is read', async () => {
  relay.misbehave(ofVersion(1))
  const [to, from] = [1, 0].map((index) => node.wallet(index).publicKey.toBase58())
  expect(await reader().transfersTo(`${to}`, txHash)).toMatchObject([{ from, usdcBase: 1_000n }])
})

test('a transaction of the payer that no node tells of keeps no payment open for ever', async () => {
  relay.misbehave(ofVersion(2))
  const signed = {
    payer: node.wallet(0).publicKey.toBase58(),
    nonce: '11'.repeat(64),
    txHash: null,
    claimedAt: new Date(),
    validBefore: new Date(0),
  }
  expect(await reader().settlementOf(signed)).toBe('unpaid')
})
