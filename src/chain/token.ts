import { base64 } from '@scure/base'
import { decodeFunctionResult, erc20Abi } from 'viem'
import { usdcScale } from '../domain/money/money.ts'
import type { Network } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { type Chain, ChainError } from './chain.ts'
import { isLacking } from './rpc/fault.ts'
import { createRpc, type Rpc } from './rpc/rpc.ts'
import { associatedTokenAccount } from './solana/accounts.ts'
import { solanaRpc } from './solana/solana.ts'

export type TokenFacts = {
  readonly decimals: number | null
  /** Null where there is no token, or where tokens have no symbol. */
  readonly symbol: string | null
  /** Solana: whether the wallet has an account for the token. */
  readonly hasAccount: boolean
  /** Solana: whether the wallet holds SOL. Solana Pay refuses to pay one that does not. */
  readonly isFound: boolean
}

/** Rejects with `ChainError`. */
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
    const isThere = async (address: string) => (await accountData(rpc, address)) !== null
    const [decimals, hasAccount, isFound] = await Promise.all([
      mintDecimals(rpc, usdc),
      wallet === null || isThere(associatedTokenAccount(wallet, usdc)),
      wallet === null || isThere(wallet),
    ])
    return { decimals, symbol: null, hasAccount, isFound }
  }
  const rpc = createRpc({ urls: rpcUrls, expectedChainId })
  const [decimals, symbol] = await Promise.all([
    callContract(rpc, usdc, decimalsSelector),
    callContract(rpc, usdc, symbolSelector),
  ])
  return {
    decimals: decimals?.length === 66 ? Number(decimals) : null,
    symbol: symbol && textOf(symbol),
    hasAccount: true,
    isFound: true,
  }
}

/** How the token at `usdc` differs from USDC; null where it does not. */
export function tokenProblem(
  { network, usdc }: { readonly network: Network; readonly usdc: string },
  { decimals, symbol }: Pick<TokenFacts, 'decimals' | 'symbol'>,
): string | null {
  if (decimals === null) return `there is none at ${usdc}`
  if (decimals !== usdcScale) return `${usdc} has ${decimals} decimals`
  const { usdcSymbols } = registry[network]
  if (usdcSymbols.length === 0 || usdcSymbols.includes(symbol ?? '')) return null
  return `${usdc} calls itself ${JSON.stringify(symbol?.slice(0, 40) ?? null)}, not ${usdcSymbols[0]}`
}

type TokenSource = {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
}

/** Rejects with `wrong_token` until the token is found to be USDC. */
export function createTokenCheck(source: TokenSource): () => Promise<void> {
  let isFound = false
  return async () => {
    if (isFound) return
    const problem = tokenProblem(source, await tokenFacts({ ...source, wallet: null }))
    if (problem !== null) throw new ChainError('wrong_token', `the token: ${problem}`)
    isFound = true
  }
}

/** Makes `head` reject until the token is found to be USDC: any other would settle invoices. */
export function withCheckedToken(chain: Chain, source: TokenSource): Chain {
  const check = createTokenCheck(source)
  return {
    ...chain,
    async head() {
      const [head] = await Promise.all([chain.head(), check()])
      return head
    },
  }
}

/** The contract's answer; null where there is no contract, or it does not know the call. */
async function callContract(rpc: Rpc, to: string, data: string): Promise<string | null> {
  try {
    const [answer] = await rpc.ask([{ method: 'eth_call', params: [{ to, data }, 'latest'] }])
    return typeof answer === 'string' ? answer : null
  } catch (error) {
    if (isLacking(error)) return null
    throw error
  }
}

function textOf(answer: string): string | null {
  try {
    return decodeFunctionResult({
      abi: erc20Abi,
      functionName: 'symbol',
      data: answer as `0x${string}`,
    })
  } catch {
    return null
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

const decimalsSelector = '0x313ce567'
const symbolSelector = '0x95d89b41'
const mintSize = 82
const decimalsAt = 44
