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

/** What a chain says about the token in which invoices on it are paid. */
export type TokenFacts = {
  /** Null where there is no token at that address. */
  readonly decimals: number | null
  /** Null where there is no token, or where tokens have no symbol of their own. */
  readonly symbol: string | null
  /**
   * Whether the wallet can be paid as it is. On Solana it needs an account for the token, which
   * others may have to create and pay for.
   */
  readonly hasAccount: boolean
  /**
   * Whether payers' wallets find the wallet. On Solana it is not there until it holds SOL, and the
   * library of Solana Pay refuses to pay it, even where it has an account for the token.
   */
  readonly isFound: boolean
}

/** Asks the nodes of a chain about the token at `usdc`. Errors: `ChainError`. */
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
    contractSays(rpc, usdc, decimalsSelector),
    contractSays(rpc, usdc, symbolSelector),
  ])
  return {
    decimals: decimals?.length === 66 ? Number(decimals) : null,
    symbol: symbol && textOf(symbol),
    hasAccount: true,
    isFound: true,
  }
}

/** How the token at `usdc` differs from the expected USDC; null where it does not. */
export function tokenComplaint(
  { network, usdc }: { readonly network: Network; readonly usdc: string },
  { decimals, symbol }: Pick<TokenFacts, 'decimals' | 'symbol'>,
): string | null {
  if (decimals === null) return `there is none at ${usdc}`
  if (decimals !== usdcScale) return `${usdc} has ${decimals} decimals`
  const { usdcSymbols } = registry[network]
  if (usdcSymbols.length === 0 || usdcSymbols.includes(symbol ?? '')) return null
  return `${usdc} calls itself ${JSON.stringify(symbol?.slice(0, 40) ?? null)}, not ${usdcSymbols[0]}`
}

/** Where a token is. */
type Place = {
  readonly network: Network
  readonly rpcUrls: readonly string[]
  readonly usdc: string
}

/**
 * Creates a function that rejects unless the token at `usdc` is USDC: with `ChainError`, of the
 * fault `wrong_token` where it is another token or none. The chain is asked until USDC has been
 * found once.
 */
export function createTokenCheck(place: Place): () => Promise<void> {
  let isFound = false
  return async () => {
    if (isFound) return
    const complaint = tokenComplaint(place, await tokenFacts({ ...place, wallet: null }))
    if (complaint !== null) throw new ChainError('wrong_token', `the token: ${complaint}`)
    isFound = true
  }
}

/**
 * Wraps `chain`: `head` rejects until the token has been found to be USDC, as a transfer of
 * anything else would settle invoices.
 */
export function withCheckedToken(chain: Chain, place: Place): Chain {
  const check = createTokenCheck(place)
  return {
    ...chain,
    async head() {
      const [head] = await Promise.all([chain.head(), check()])
      return head
    },
  }
}

/**
 * What a contract answers to a call without arguments; null where there is no contract, or it does
 * not know the call.
 */
async function contractSays(rpc: Rpc, to: string, data: string): Promise<string | null> {
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

/** The selector of `decimals()`. */
const decimalsSelector = '0x313ce567'
/** The selector of `symbol()`. */
const symbolSelector = '0x95d89b41'
/** The size of a Token program mint: authority (36 bytes), supply (8), decimals (1), and more. */
const mintSize = 82
const decimalsAt = 44
