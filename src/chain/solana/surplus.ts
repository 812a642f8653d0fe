import { accountsOf, type RawTransaction, readTokenCalls } from './token-calls.ts'

/** What a token account received in a transaction beyond the transfers that were read from it. */
export type Surplus = { readonly to: string; readonly usdcBase: bigint }

/** Called once for each transaction with a surplus; here `to` is the wallet. */
export type SurplusWatch = (surplus: Surplus & { readonly txHash: string }) => void

/**
 * What came into `tokenAccounts` in a transaction beyond what its transfers explain, which happens
 * where the Token program was called in a way not known here. Throws `ChainError` where the node
 * left out what transfers are read from.
 */
export function readSurplus(
  raw: RawTransaction,
  tokenAccounts: { has(account: string): boolean },
): readonly Surplus[] {
  const { preTokenBalances, postTokenBalances, err = null } = raw.meta ?? {}
  if (err !== null || !preTokenBalances || !postTokenBalances) return []
  const keys = accountsOf(raw)
  const told = new Map<number, bigint>()
  const add = (account: number, usdcBase: bigint) =>
    told.set(account, (told.get(account) ?? 0n) + usdcBase)
  for (const { from, to, usdcBase } of readTokenCalls(raw)) {
    add(from, -usdcBase)
    add(to, usdcBase)
  }
  const before = new Map(preTokenBalances.map((one) => [one.accountIndex, one]))
  return postTokenBalances.flatMap(({ accountIndex, uiTokenAmount }): readonly Surplus[] => {
    const to = keys[accountIndex] ?? ''
    const held = BigInt(before.get(accountIndex)?.uiTokenAmount.amount ?? 0)
    const usdcBase = BigInt(uiTokenAmount.amount) - held - (told.get(accountIndex) ?? 0n)
    return tokenAccounts.has(to) && usdcBase > 0n ? [{ to, usdcBase }] : []
  })
}
