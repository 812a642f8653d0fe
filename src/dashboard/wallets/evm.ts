import type { EvmPayment } from '../../domain/invoices/payer-transaction.ts'
import { asked, pictureIn, type Wallet, WalletFailure } from './wallet.ts'

type Provider = {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
}

type Announced = {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string }
  readonly provider: Provider
}

/**
 * Reports the wallets that announce themselves (EIP-6963) or, where none does, `window.ethereum`.
 * Returns a function that ends it.
 */
export function findEvmWallets(onFound: (wallets: readonly Wallet[]) => void): () => void {
  const found = new Map<string, Wallet>()
  const onAnnounced = (event: Event) => {
    const { info, provider } = (event as CustomEvent<Announced>).detail
    found.set(info.uuid, walletOf(info.uuid, info.name, info.icon, provider))
    onFound([...found.values()])
  }
  window.addEventListener('eip6963:announceProvider', onAnnounced)
  window.dispatchEvent(new Event('eip6963:requestProvider'))
  const { ethereum } = window as { ethereum?: Provider }
  if (ethereum && found.size === 0) onFound([walletOf('ethereum', null, null, ethereum)])
  return () => window.removeEventListener('eip6963:announceProvider', onAnnounced)
}

function walletOf(id: string, name: string | null, icon: unknown, provider: Provider): Wallet {
  const ask = (method: string, ...params: unknown[]) => asked(provider.request({ method, params }))
  return {
    id,
    name,
    icon: pictureIn(icon),
    async pay(prepare) {
      const [from] = (await ask('eth_requestAccounts')) as string[]
      if (!from) throw new WalletFailure('declined')
      const { chain, ...payment } = (await prepare(from)) as EvmPayment
      await toChain(provider, chain)
      const { to, data, value } = payment
      return (await ask('eth_sendTransaction', { from, to, data, value })) as string
    },
  }
}

async function toChain(provider: Provider, chain: EvmPayment['chain']): Promise<void> {
  const { chainId } = chain
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  const isThere = async () => Number(await asked(ask('eth_chainId'))) === Number(chainId)
  if (await isThere()) return
  const switching = () => ask('wallet_switchEthereumChain', { chainId })
  await asked(
    switching().catch(async (error) => {
      if (!isUnknownChain(error)) throw error
      await ask('wallet_addEthereumChain', chain)
      if (!(await isThere())) await switching()
    }),
  )
  // The payment must not be made anywhere else.
  if (!(await isThere())) throw new WalletFailure('other_chain')
}

/** Some wallets wrap the code of another. */
function isUnknownChain(error: unknown): boolean {
  const { code, data } = (error ?? {}) as {
    code?: number
    data?: { originalError?: { code?: number } }
  }
  return code === unknownChain || data?.originalError?.code === unknownChain
}

const unknownChain = 4902
