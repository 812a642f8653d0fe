import { useEffect, useState } from 'react'
import type { Words } from '../../documents/words/words.ts'
import type { PayerTransaction } from '../../domain/invoices/payer-transaction.ts'
import type { Refusal } from '../api.ts'
import { useWords } from '../hooks/words.ts'
import { findEvmWallets } from '../wallets/evm.ts'
import { findSolanaWallets } from '../wallets/solana.ts'
import { type Wallet, WalletFailure } from '../wallets/wallet.ts'
import { chainName } from './chain-links.tsx'

type Props = {
  readonly chain: string
  textFor(wallet: string): string
  /** The transaction for the owner's account. */
  prepare(account: string): Promise<PayerTransaction>
  onSent(txHash: string | null): void
  /** Why nothing could be prepared; absent: in general words. */
  whyNot?(error: Error): string
}

/** A button for each wallet in the browser, which sends what `prepare` gives it. */
export function WalletButtons({ chain, textFor, prepare, onSent, whyNot }: Props) {
  const words = useWords()
  const { say } = words
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(
    () => (chain === 'solana' ? findSolanaWallets(setWallets) : findEvmWallets(setWallets)),
    [chain],
  )
  if (wallets.length === 0) return null
  async function pay(wallet: Wallet) {
    const name = nameOf(wallet)
    setProblem(null)
    setBusy(name)
    try {
      onSent(await wallet.pay(prepare))
    } catch (error) {
      const isOwn = whyNot && !(error instanceof WalletFailure)
      const names = { wallet: name, chain: chainName(chain) }
      setProblem(isOwn ? whyNot(error as Error) : problemOf(error as Error, names, words))
    }
    setBusy(null)
  }
  const nameOf = ({ name }: Wallet) => name || say('browserWallet')
  return (
    <div className="wallets">
      {wallets.map((wallet) => (
        <button
          key={wallet.id}
          type="button"
          className="primary"
          disabled={busy !== null}
          onClick={() => pay(wallet)}
        >
          {wallet.icon && <img src={wallet.icon} alt="" width="20" height="20" />}
          <span>{textFor(nameOf(wallet))}</span>
        </button>
      ))}
      <p role="status">{busy !== null && say('confirmInWallet', { wallet: busy })}</p>
      {problem && <p role="alert">{problem}</p>}
    </div>
  )
}

function problemOf(
  error: Error,
  names: { readonly wallet: string; readonly chain: string },
  { say }: Words,
): string {
  if (!(error instanceof WalletFailure))
    return say((error as Refusal).status === 0 ? 'unreachable' : 'walletNotPrepared')
  if (error.reason === 'declined') return say('walletDeclined', { wallet: names.wallet })
  if (error.reason === 'other_chain') return say('walletElsewhere', names)
  return say('walletFailed', { wallet: names.wallet, reason: error.message })
}
