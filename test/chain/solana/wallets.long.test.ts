import { expect, test } from 'bun:test'
import { Keypair } from '@solana/web3.js'
import { associatedTokenAccount } from '../../../src/chain/solana/accounts.ts'
import { solanaChain } from '../../../src/chain/solana/solana.ts'
import { registry } from '../../../src/domain/registry.ts'
import { startRpcRelay } from '../../support/rpc-relay.ts'
import { ledgerOf, startSolanaStub } from './stub.ts'

const usdc = registry.solana.usdcAddress

test('more wallets than a slow node lists in ten seconds are read', async () => {
  const wallets = Array.from({ length: 480 }, () => Keypair.generate().publicKey.toBase58())
  const paid = wallets.at(-1) as string
  const account = associatedTokenAccount(paid, usdc)
  const stub = startSolanaStub(
    ledgerOf([{ signature: 'paid', slot: 250, account, usdcBase: 7n, err: null, isLost: false }]),
  )
  const relay = startRpcRelay(stub.url)
  relay.misbehave(async (request, forward) => {
    if (request.some(({ method }) => method === 'getSignaturesForAddress')) await Bun.sleep(2_700)
    return Response.json(await forward(request))
  })
  const chain = solanaChain({ rpcUrls: [relay.url], usdc })
  const { transfers } = await chain.transfers({ from: 200, to: 300 }, wallets)
  expect(transfers).toMatchObject([{ to: paid, usdcBase: 7n }])
  relay.stop()
  await stub.stop()
})
