import type { DemoChain } from './chain.ts'

/**
 * Loads the Solana packages only when needed: that takes time, and they warn that they were not
 * compiled for this machine.
 */
export async function startSolanaChain(): Promise<DemoChain> {
  const { warn } = console
  console.warn = () => {}
  const solana = await import('./solana.ts').finally(() => {
    console.warn = warn
  })
  return solana.startSolanaChain()
}
