import { accountsOf, type RawTransaction, readTokenCalls } from './token-calls.ts'

export type Surplus = { readonly to: string; readonly usdcBase: bigint }

/** Called once for each transaction with a surplus; here `to` is the wallet. */
export type SurplusWatch = (surplus: Surplus & { readonly txHash: string }) => void

/** What came into `tokenAccounts` beyond what its transfers explain. */
export function readSurplus(
  raw: RawTransaction,
  tokenAccounts: { has(account: string): boolean },
): readonly Surplus[] {
  const { preTokenBalances, postTokenBalances, err = null } = raw.meta ?? {}
  if (err !== null || !preTokenBalances || !postTokenBalances) return []
  const keys = accountsOf(raw)
  const explained = new Map<number, bigint>()
  const add = (account: number, usdcBase: bigint) =>
    explained.set(account, (explained.get(account) ?? 0n) + usdcBase)
  for (const { from, to, usdcBase } of readTokenCalls(raw)) {
    add(from, -usdcBase)
    add(to, usdcBase)
  }
  const before = new Map(preTokenBalances.map((one) => [one.accountIndex, one]))
  return postTokenBalances.flatMap(({ accountIndex, uiTokenAmount }): readonly Surplus[] => {
    const to = keys[accountIndex] ?? ''
    const held = BigInt(before.get(accountIndex)?.uiTokenAmount.amount ?? 0)
    const usdcBase = BigInt(uiTokenAmount.amount) - held - (explained.get(accountIndex) ?? 0n)
    return tokenAccounts.has(to) && usdcBase > 0n ? [{ to, usdcBase }] : []
  })
}
