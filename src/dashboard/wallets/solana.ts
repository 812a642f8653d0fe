import type { SolanaPayment } from '../../domain/invoices/payer-transaction.ts'
import { asked, pictureIn, type Wallet, WalletFailure } from './wallet.ts'

type Account = { readonly address: string }

type Standard = {
  readonly name: string
  readonly icon: string
  readonly chains: readonly string[]
  readonly features: {
    readonly 'standard:connect'?: { connect(): Promise<{ accounts: readonly Account[] }> }
    readonly 'solana:signAndSendTransaction'?: {
      signAndSendTransaction(input: {
        account: Account
        chain: string
        transaction: Uint8Array
      }): Promise<unknown>
    }
  }
}

type Register = (...wallets: readonly Standard[]) => () => void

const chain = 'solana:mainnet'

/** Reports wallets of the Wallet Standard. Returns a function that ends it. */
export function findSolanaWallets(onFound: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Map<Standard, Wallet>()
  const register: Register = (...wallets) => {
    for (const wallet of wallets) if (canPay(wallet)) found.set(wallet, walletOf(wallet))
    onFound([...found.values()])
    return () => {
      for (const wallet of wallets) found.delete(wallet)
      onFound([...found.values()])
    }
  }
  const api = { register }
  const onRegistered = (event: Event) =>
    (event as CustomEvent<(api: { register: Register }) => void>).detail(api)
  window.addEventListener('wallet-standard:register-wallet', onRegistered)
  window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }))
  return () => window.removeEventListener('wallet-standard:register-wallet', onRegistered)
}

function canPay({ chains, features }: Standard): boolean {
  const { 'standard:connect': connect, 'solana:signAndSendTransaction': send } = features
  return chains.includes(chain) && connect !== undefined && send !== undefined
}

function walletOf({ name, icon, features }: Standard): Wallet {
  return {
    id: name,
    name,
    icon: pictureIn(icon),
    async pay(prepare) {
      const connected = await asked(Promise.try(() => features['standard:connect']?.connect()))
      const account = connected?.accounts[0]
      if (!account) throw new WalletFailure('declined')
      const { transaction } = (await prepare(account.address)) as SolanaPayment
      const bytes = Uint8Array.from(atob(transaction), (char) => char.charCodeAt(0))
      const sending = { account, chain, transaction: bytes }
      await asked(
        Promise.try(() =>
          features['solana:signAndSendTransaction']?.signAndSendTransaction(sending),
        ),
      )
      // The signature comes as bytes; the page learns it once the payment has been seen.
      return null
    },
  }
}
