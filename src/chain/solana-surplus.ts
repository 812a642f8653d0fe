import { accountsOf, type RawTransaction, readTokenCalls } from './solana-token-calls.ts'

/** What a token account was given in a transaction beyond what the transfers that were read of it tell. */
export type Surplus = { readonly to: string; readonly usdcBase: bigint }

/** Hears once of each transaction with a surplus; `to` is the wallet then. */
export type SurplusWatch = (surplus: Surplus & { readonly txHash: string }) => void

/**
 * What came into those of `tokenAccounts` that hold more after a transaction than its transfers explain: in a way of calling the Token
 * program that is not known here. Throws `ChainError` where the node left out what tells of transfers.
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
