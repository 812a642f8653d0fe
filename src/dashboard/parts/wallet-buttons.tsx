import { useEffect, useState } from 'react'
import type { Words } from '../../documents/words/words.ts'
import type { Payable } from '../../domain/invoices/payable.ts'
import type { PayerTransaction } from '../../domain/invoices/payer-transaction.ts'
import { call, type Refusal } from '../api.ts'
import { useWords } from '../hooks/words.ts'
import { findEvmWallets } from '../wallets/evm.ts'
import { findSolanaWallets } from '../wallets/solana.ts'
import { type Wallet, WalletFailure } from '../wallets/wallet.ts'
import { chainName } from './chain-links.tsx'

type Props = {
  readonly id: string
  readonly invoice: Payable
  onSent(txHash: string | null): void
}

/** A button for each wallet in the browser; the wallet pays with the invoice's reference. */
export function WalletButtons({ id, invoice, onSent }: Props) {
  const words = useWords()
  const { say, amount } = words
  const { chain, amountRemaining } = invoice
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const [busy, setBusy] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(
    () => (chain === 'solana' ? findSolanaWallets(setWallets) : findEvmWallets(setWallets)),
    [chain],
  )
  if (wallets.length === 0 || amountRemaining === null) return null
  async function pay(wallet: Wallet) {
    const name = nameOf(wallet)
    setProblem(null)
    setBusy(name)
    try {
      onSent(
        await wallet.pay((account) =>
          call<PayerTransaction>('POST', `/pay/${id}/transaction`, { account }),
        ),
      )
    } catch (error) {
      setProblem(problemOf(error as Error, { wallet: name, chain: chainName(chain) }, words))
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
          <span>
            {say('payWith', { amount: amount(amountRemaining, 'USDC'), wallet: nameOf(wallet) })}
          </span>
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
