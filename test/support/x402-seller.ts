import { type TestApp, testApp } from './app.ts'
import { type EvmNode, startEvmNode, type Wallet } from './evm-node.ts'
import { type RpcRelay, startRpcRelay } from './rpc-relay.ts'

/** The service as a seller for x402 payments, on its own Base node behind a relay that can fail. */
export type Seller = {
  readonly node: EvmNode
  readonly relay: RpcRelay
  readonly app: TestApp
  /** Holds one USDC. */
  readonly payer: Wallet
  stop(): Promise<void>
}

/**
 * Starts a seller. With `facilitatorUrl` that facilitator settles; otherwise the service does, with
 * its own key.
 */
export async function startSeller(facilitatorUrl?: string): Promise<Seller> {
  const node = await startEvmNode({ chainId: 8453 })
  const relay = startRpcRelay(node.url)
  const payer = node.wallet(1)
  await node.mint(payer.address, 1_000_000n)
  const app = await testApp({
    ROLE: 'http',
    BASE_RPC_URL: relay.url,
    ...(facilitatorUrl === undefined
      ? { FACILITATOR_EVM_PRIVATE_KEY: node.wallet(8).privateKey }
      : { X402_FACILITATOR_URL: facilitatorUrl }),
  })
  return {
    node,
    relay,
    app,
    payer,
    async stop() {
      await app.stop()
      await relay.stop()
      await node.stop()
    },
  }
}
