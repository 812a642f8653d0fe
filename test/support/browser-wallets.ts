import { Transaction } from '@solana/web3.js'
import type { Page } from 'playwright-core'
import type { EvmNode } from './evm-node.ts'
import type { SolanaNode } from './solana-node.ts'

type Params = readonly [
  Parameters<EvmNode['submit']>[0] & {
    readonly chainId: string
    readonly rpcUrls: readonly string[]
  },
]
type Call = { readonly method: string; readonly params: Params }
type Answer = { readonly result?: unknown; readonly error?: { code: number; message: string } }

export type EvmWallet = {
  readonly name: string
  readonly address: string
  /** The methods it was asked for, in order. */
  readonly calls: string[]
  chainId: number
  readonly knows: Set<number>
  /** Its owner declines this many of the next payments. */
  declines: number
}

const icon =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1" fill="orange"/></svg>'

/**
 * Puts a wallet into the pages to come, which announces itself by EIP-6963 and pays at `node`, by
 * default as its wallet 1.
 */
export async function injectEvmWallet(
  page: Page,
  node: EvmNode,
  over: Partial<EvmWallet> & { readonly name: string; readonly isLegacy?: true },
): Promise<EvmWallet> {
  const { address } = node.wallet(1)
  const wallet = { address, calls: [], chainId: 1, knows: new Set([1]), declines: 0, ...over }
  const name = `wallet_${over.name}`
  await page.exposeFunction(name, ({ method, params }: Call) => {
    wallet.calls.push(method)
    return answerOf(wallet, node, method, params)
  })
  const info = JSON.stringify({ uuid: over.name, name: over.name, icon, rdns: 'example' })
  await page.addInitScript(`{
    const provider = { request: async ({ method, params }) => {
      const { result, error } = await window['${name}']({ method, params: params ?? [] })
      if (error) throw Object.assign(new Error(error.message), error)
      return result
    } }
    const detail = Object.freeze({ info: ${info}, provider })
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    if (${over.isLegacy ?? false}) window.ethereum = provider
    else { addEventListener('eip6963:requestProvider', announce); announce() }
  }`)
  return wallet
}

async function answerOf(
  wallet: EvmWallet,
  node: EvmNode,
  method: string,
  [first]: Params,
): Promise<Answer> {
  switch (method) {
    case 'eth_requestAccounts':
      return { result: [wallet.address] }
    case 'eth_chainId':
      return { result: `0x${wallet.chainId.toString(16)}` }
    case 'wallet_switchEthereumChain': {
      const chainId = Number(first.chainId)
      if (!wallet.knows.has(chainId)) return { error: { code: 4902, message: 'Unknown chain' } }
      wallet.chainId = chainId
      return { result: null }
    }
    case 'wallet_addEthereumChain': {
      const { chainId, rpcUrls } = first
      if (!rpcUrls.every((url) => url.startsWith('https://')))
        return { error: { code: -32602, message: 'https only' } }
      wallet.knows.add(Number(chainId))
      return { result: null }
    }
    case 'eth_sendTransaction': {
      if (wallet.chainId !== node.chainId)
        return { error: { code: -32603, message: 'no such token here' } }
      if (wallet.declines-- > 0)
        return { error: { code: 4001, message: 'User rejected the request.' } }
      return { result: await node.submit(first) }
    }
    default:
      return { error: { code: -32601, message: `${method} is not known` } }
  }
}

export type SolanaWallet = { declines: number; sent: number }

/** Puts a wallet of the Wallet Standard into the pages to come; it is the node's wallet 1. */
export async function injectSolanaWallet(page: Page, node: SolanaNode): Promise<SolanaWallet> {
  const wallet = { declines: 0, sent: 0 }
  const keypair = node.wallet(1)
  await page.exposeFunction('solanaSend', async (encoded: string) => {
    if (wallet.declines-- > 0) return 'User rejected the request.'
    const transaction = Transaction.from(Buffer.from(encoded, 'base64'))
    transaction.sign(keypair)
    const params = [transaction.serialize().toString('base64'), { encoding: 'base64' }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(node.url, { method: 'POST', headers, body })
    const { error } = (await answer.json()) as { error?: { message: string } }
    if (error) return error.message
    wallet.sent++
    return null
  })
  await page.addInitScript(`{
    const account = { address: '${keypair.publicKey.toBase58()}', chains: ['solana:mainnet'] }
    const wallet = {
      version: '1.0.0', name: 'Sunny', icon: ${JSON.stringify(icon)}, chains: ['solana:mainnet'], accounts: [],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'solana:signAndSendTransaction': { version: '1.0.0', async signAndSendTransaction(input) {
          const problem = await window.solanaSend(btoa(String.fromCharCode(...input.transaction)))
          if (problem) throw new Error(problem)
          return [{ signature: new Uint8Array(64) }]
        } },
      },
    }
    const register = ({ register }) => register(wallet)
    addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail))
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }))
  }`)
  return wallet
}
