import { expect, test } from 'bun:test'
import { base58 } from '@scure/base'
import { createTransferInstruction, getAssociatedTokenAddressSync } from '@solana/spl-token'
import { Connection, Keypair, Transaction } from '@solana/web3.js'
import { solanaFacilitator } from '../../../src/chain/facilitator/solana.ts'
import { solanaAuthorization } from '../../../src/chain/solana/message.ts'
import { solanaRpc } from '../../../src/chain/solana/solana.ts'
import { entryOf } from '../../../src/domain/x402/payment-required.ts'
import type { OwnRequirements } from '../../../src/domain/x402/requirements.ts'
import { solanaClient } from '../../support/solana-payer.ts'
import { useWorld } from '../../support/world.ts'

const { solana: node, relay } = useWorld({
  chains: ['solana'],
  funded: [0, 1],
  relayed: true,
  service: 'no database',
})

/** A facilitator with this key, and a payment to be settled by it. */
async function aPayment(key: Keypair, onFault: (fault: Error) => void = () => {}) {
  const rpc = solanaRpc({ rpcUrls: [relay.url] })
  const privateKey = base58.encode(key.secretKey)
  const facilitator = solanaFacilitator(rpc, { privateKey, settleWithinMs: 5_000, onFault })
  const requirements: OwnRequirements = {
    network: 'solana',
    usdcBase: 10_000n,
    asset: node.mint.toBase58(),
    payTo: node.wallet(1).publicKey.toBase58(),
    extra: { feePayer: facilitator.feePayer },
  }
  const client = await solanaClient(node.url, node.wallet(0))
  const { payload } = await client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'https://pay.example/thing', description: 'A thing', mimeType: '' },
    accepts: [entryOf(requirements)],
  })
  return { ...facilitator, requirements, payment: solanaAuthorization(payload, new Date())! }
}

test('a payment that others see to by the time its signature is noted is not sent', async () => {
  const { settle, payment, requirements } = await aPayment(node.wallet(2))
  expect(await settle(payment, requirements, async () => false)).toEqual({ kind: 'unknown' })
  expect(relay.requests.flat()).toEqual([])
  expect(await settle(payment, requirements, async () => true)).toMatchObject({
    kind: 'settled',
  })
  expect(relay.requests.flat()).toContain('sendTransaction')
})

test('where the fee payer has no SOL the payment is refused and the operator told, until it has some', async () => {
  const faults: string[] = []
  const key = Keypair.generate()
  const { verify, payment, requirements } = await aPayment(key, ({ message }) => {
    faults.push(message)
  })
  const refused = { kind: 'refused', problem: 'settlement_unavailable' } as const
  expect(await verify(payment, requirements)).toEqual(refused)
  expect(faults).toEqual([
    `${key.publicKey.toBase58()} has too little SOL for the fee of a payment`,
  ])
  await new Connection(node.url).requestAirdrop(key.publicKey, 1_000_000_000)
  expect(await verify(payment, requirements)).toEqual({ kind: 'valid' })
  expect(faults).toHaveLength(1)
})

test('where the payer lacks the money the operator is told nothing', async () => {
  const faults: string[] = []
  const onFault = ({ message }: Error) => void faults.push(message)
  const { verify, payment, requirements } = await aPayment(node.wallet(2), onFault)
  const { mint } = node
  const [from, to] = [0, 1].map((n) =>
    getAssociatedTokenAddressSync(mint, node.wallet(n).publicKey),
  )
  if (!from || !to) throw new Error('two accounts')
  const payer = node.wallet(0)
  const left = await new Connection(node.url).getTokenAccountBalance(from)
  const all = BigInt(left.value.amount)
  const spends = createTransferInstruction(from, to, payer.publicKey, all)
  await new Connection(node.url).sendTransaction(new Transaction().add(spends), [payer])
  expect(await verify(payment, requirements)).toMatchObject({
    kind: 'refused',
    problem: expect.stringContaining('simulation_failed'),
  })
  expect(faults).toEqual([])
})
