import { Connection } from '@solana/web3.js'
import { testWallet } from '../test/support/app.ts'
import { startEvmNode } from '../test/support/evm-node.ts'
import { startSolanaNode } from '../test/support/solana-node.ts'
import { transferUsdc } from '../test/support/solana-transfer.ts'

export type PaidChain = {
  readonly name: 'base' | 'solana'
  readonly env: Readonly<Record<string, string>>
  /**
   * Pays independently of the service's polls. Answers when the payment was confirmed, by the
   * monotonic clock.
   */
  pay(payment: { readonly usdcBase: bigint; readonly reference: string }): Promise<number>
  stop(): Promise<void>
}

const confirmations = 3
const payersUsdcBase = 10n ** 12n

/** A Base node whose blocks are made by the payments, not by time. */
export async function paidBase(pollMs: number): Promise<PaidChain> {
  const node = await startEvmNode({ chainId: 8453 })
  const from = node.wallet(1).address
  await node.mint(from, payersUsdcBase)
  return {
    name: 'base',
    env: {
      BASE_RPC_URL: node.url,
      BASE_POLL_MS: `${pollMs}`,
      BASE_CONFIRMATIONS: `${confirmations}`,
    },
    async pay({ usdcBase, reference }) {
      await node.transfer({ from, to: testWallet.toLowerCase(), usdcBase, reference })
      await Bun.sleep(Math.random() * pollMs)
      await node.mine(confirmations - 1)
      return performance.now()
    },
    stop: () => node.stop(),
  }
}

const slotMs = 90
const finalizedLag = 4

/**
 * A Solana ledger. It makes slots by time: a blockhash expires after 150 of them, and the service
 * distrusts a head that stands still for a minute.
 */
export function paidSolana(pollMs: number): PaidChain {
  const node = startSolanaNode({ finalizedLag })
  const [payer, payee] = [node.wallet(1), node.wallet(2).publicKey]
  node.mintTo(payer.publicKey, payersUsdcBase)
  const connection = new Connection(node.url, 'confirmed')
  let atMs = performance.now()
  const clock = setInterval(() => {
    atMs = performance.now()
    node.advance(1)
  }, slotMs)

  async function isFinal(signature: string): Promise<boolean> {
    const { value } = await connection.getSignatureStatuses([signature])
    return value[0]?.confirmationStatus === 'finalized'
  }

  return {
    name: 'solana',
    env: {
      SOLANA_RPC_URL: node.url,
      SOLANA_POLL_MS: `${pollMs}`,
      SOLANA_WALLET: payee.toBase58(),
    },
    async pay({ usdcBase, reference }) {
      await Bun.sleep(Math.random() * pollMs)
      const payment = { mint: node.mint, to: payee.toBase58(), usdcBase, memo: reference }
      const signature = await transferUsdc(connection, payer, payment)
      while (!(await isFinal(signature))) await Bun.sleep(slotMs / 10)
      return atMs
    },
    async stop() {
      clearInterval(clock)
      await node.stop()
    },
  }
}
