import { base64 } from '@scure/base'
import type { Network } from '../domain/network.ts'
import { registry } from './registry.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { isLacking } from './rpc-fault.ts'
import { solanaRpc } from './solana.ts'
import { associatedTokenAccount } from './solana-accounts.ts'

/** What a chain says of the token invoices on it are paid in. */
export type TokenFacts = {
  /** Null where there is no token at that address. */
  readonly decimals: number | null
  /** Whether the wallet can be paid as it is: on Solana it needs an account for the token, which others may have to make and pay for. */
  readonly hasAccount: boolean
}

/** Asks the nodes of a chain for the token at `usdc`. Errors: `ChainError`. */
export async function tokenFacts(options: {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
  readonly wallet: string | null
}): Promise<TokenFacts> {
  const { network, rpcUrls, usdc, wallet } = options
  const { chainId: expectedChainId } = registry[network]
  if (expectedChainId === null) {
    const rpc = solanaRpc({ rpcUrls })
    const account = wallet === null ? null : associatedTokenAccount(wallet, usdc)
    return {
      decimals: await mintDecimals(rpc, usdc),
      hasAccount: account === null || (await accountData(rpc, account)) !== null,
    }
  }
  const rpc = createRpc({ urls: rpcUrls, expectedChainId })
  return { decimals: await contractDecimals(rpc, usdc), hasAccount: true }
}

async function contractDecimals(rpc: Rpc, usdc: string): Promise<number | null> {
  try {
    const call = { to: usdc, data: decimalsSelector }
    const [answer] = await rpc.ask([{ method: 'eth_call', params: [call, 'latest'] }])
    // Where there is no contract, nothing is answered and nothing is wrong.
    return typeof answer === 'string' && answer.length === 66 ? Number(answer) : null
  } catch (error) {
    if (isLacking(error)) return null
    throw error
  }
}

async function mintDecimals(rpc: Rpc, mint: string): Promise<number | null> {
  const data = await accountData(rpc, mint)
  return data?.length === mintSize ? (data[decimalsAt] ?? null) : null
}

async function accountData(rpc: Rpc, address: string): Promise<Uint8Array | null> {
  const options = { commitment: 'finalized', encoding: 'base64' }
  const [answer] = await rpc.ask([{ method: 'getAccountInfo', params: [address, options] }])
  const { value } = answer as { value: { data: [string, string] } | null }
  return value && base64.decode(value.data[0])
}

/** Of `decimals()`. */
const decimalsSelector = '0x313ce567'
/** Of the Token program's mint: authority (36 bytes), supply (8), decimals. */
const mintSize = 82
const decimalsAt = 44
