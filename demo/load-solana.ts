import type { DemoChain } from './chain.ts'

/** Loaded only when it is asked for: its packages take their time, and complain that they were not compiled for this machine. */
export async function startSolanaChain(): Promise<DemoChain> {
  const { warn } = console
  console.warn = () => {}
  const solana = await import('./solana.ts').finally(() => {
    console.warn = warn
  })
  return solana.startSolanaChain()
}
