import { type ChildProcess, spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { encodeFunctionData, type Hex, pad, parseAbi, toHex } from 'viem'
import { HDKey, hdKeyToAccount, privateKeyToAccount } from 'viem/accounts'
import { installUsdc } from './usdc.ts'

export const usdcOnBase: Hex = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'

/** One of anvil's ten funded accounts; the node signs for it in `send`. */
export type Wallet = { readonly address: Hex; readonly privateKey: Hex }

export type RpcCall = { readonly method: string; readonly params?: readonly unknown[] }

type Transaction = { readonly from: string; readonly to: string; readonly data: Hex }
type Payment = { readonly to: string; readonly usdcBase: bigint }
type Authorization = Payment & { readonly from: Wallet; readonly reference: string }

/** An anvil process with the real USDC contract. */
export type EvmNode = {
  readonly url: string
  readonly chainId: number
  readonly usdc: Hex
  /** From 0 to 8; account 9 is the minter of USDC. */
  wallet(index: number): Wallet
  rpc<Result = unknown>(method: string, params?: readonly unknown[]): Promise<Result>
  /** In one request; answers come in the order of the calls. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>
  mine(blocks: number): Promise<void>
  mint(to: string, usdcBase: bigint): Promise<Hex>
  /** How much USDC an address has, in base units. */
  balanceOf(address: string): Promise<bigint>
  /** Hands a transaction to the node, which signs it. Resolves with the hash before it is mined. */
  submit(transaction: Transaction): Promise<Hex>
  /** Resolves once the transaction is mined, even if it reverted; so do the payments below. */
  send(transaction: Transaction): Promise<Hex>
  /** Of USDC by default; `reference` is appended to the calldata. */
  transfer(payment: Payment & { from: string; reference?: string; token?: Hex }): Promise<Hex>
  /** EIP-3009 with `reference` as nonce, submitted by another account than the payer's. */
  transferWithAuthorization(authorization: Authorization): Promise<Hex>
  /** Submitted by another account; no payment is made. */
  cancelAuthorization(from: Wallet, nonce: Hex): Promise<Hex>
  /** For a test that submits it in its own way. */
  signedAuthorization(authorization: Authorization): Promise<Hex>
  /** A second token with the code of USDC; `holder` gets `usdcBase` of it. */
  installFakeUsdc(address: Hex, holder: string, usdcBase: bigint): Promise<void>
  /** Replaces the newest `depth` blocks with empty ones, or with these transactions. */
  reorg(depth: number, transactions?: readonly [Hex, blockOffset: number][]): Promise<void>
  stop(): Promise<void>
}

type Options = {
  readonly chainId: number
  readonly blockTimeSeconds?: number
  readonly usdcAddress?: Hex
  /** Part of its EIP-712 domain. */
  readonly usdcName?: string
  readonly isGasless?: boolean
}

/** It makes a block for each transaction, or one every `blockTimeSeconds`. */
export async function startEvmNode(options: Options): Promise<EvmNode> {
  const { chainId, usdcAddress: usdc = usdcOnBase, usdcName = 'USD Coin' } = options
  const folder = mkdtempSync(join(tmpdir(), 'quittance-anvil-'))
  const child = spawn(anvilBinary(), [...anvilArguments(options), '--cache-path', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // A process that ends while the node starts has nobody yet to stop it.
  const endWithUs = () => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endWithUs)
  const url = await listeningUrl(child)
  const { rpc, batch } = rpcOver(url)
  // Only now: a node that is silent from the start does not print its port.
  await rpc('anvil_setLoggingEnabled', [false])
  await setRight(rpc)
  const minter = wallet(9).address
  await installUsdc(batch, { address: usdc, name: usdcName }, minter)

  function submit(transaction: Transaction): Promise<Hex> {
    return rpc('eth_sendTransaction', [{ gas: toHex(500_000), ...transaction }])
  }

  async function send(transaction: Transaction): Promise<Hex> {
    const txHash = await submit(transaction)
    for (let look = 1; (await rpc('eth_getTransactionReceipt', [txHash])) === null; look++) {
      // One that arrives while the node mines may wait for a next block that never comes.
      if (look % 500 === 0 && options.blockTimeSeconds === undefined) await rpc('evm_mine')
      await Bun.sleep(2)
    }
    return txHash
  }

  function mint(to: string, usdcBase: bigint, token = usdc): Promise<Hex> {
    const args = [to as Hex, usdcBase] as const
    const data = encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args })
    return send({ from: minter, to: token, data })
  }

  const domain = { name: usdcName, chainId, verifyingContract: usdc }

  async function signedAuthorization(authorization: Authorization): Promise<Hex> {
    return authorizationCall(authorization, domain)
  }

  return {
    url,
    chainId,
    usdc,
    wallet,
    rpc,
    batch,
    submit,
    send,
    mint,
    signedAuthorization,
    async balanceOf(address) {
      const args = [address.toLowerCase() as Hex] as const
      const data = encodeFunctionData({ abi: usdcAbi, functionName: 'balanceOf', args })
      return BigInt(await rpc<string>('eth_call', [{ to: usdc, data }, 'latest']))
    },
    async mine(blocks) {
      await rpc('anvil_mine', [toHex(blocks)])
    },
    transfer({ from, reference = '0x', token = usdc, ...payment }) {
      return send({ from, to: token, data: `${transferCall(payment)}${reference.slice(2)}` })
    },
    async transferWithAuthorization(authorization) {
      return send({ from: minter, to: usdc, data: await signedAuthorization(authorization) })
    },
    async cancelAuthorization(from, nonce) {
      return send({ from: minter, to: usdc, data: await cancellationCall(from, nonce, domain) })
    },
    async installFakeUsdc(address, holder, usdcBase) {
      await installUsdc(batch, { address, name: usdcName }, minter)
      await mint(holder, usdcBase, address)
    },
    async reorg(depth, transactions = []) {
      await rpc('anvil_reorg', [depth, transactions])
      // Its clock goes on from the last block that stayed.
      await setRight(rpc)
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve))
      if (child.exitCode === null && child.kill('SIGKILL')) await exited
      process.off('exit', endWithUs)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export function transferCall({ to, usdcBase }: Payment): Hex {
  const args = [to as Hex, usdcBase] as const
  return encodeFunctionData({ abi: usdcAbi, functionName: 'transfer', args })
}

const usdcAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function transfer(address to, uint256 value)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
])

const mnemonic = 'test test test test test test test test test test test junk'
const wallets = new Map<number, Wallet>()

/** viem's derivation from the mnemonic takes 40 ms every time. */
function wallet(index: number): Wallet {
  const known = wallets.get(index)
  if (known) return known
  const seed = HDKey.fromMasterSeed(pbkdf2Sync(mnemonic, 'mnemonic', 2048, 64, 'sha512'))
  const account = hdKeyToAccount(seed, { addressIndex: index })
  const made = {
    address: account.address,
    privateKey: toHex(account.getHdKey().privateKey ?? ''),
  }
  wallets.set(index, made)
  return made
}

/** The platform's own binary. Killing a launcher script would leave the node running. */
function anvilBinary(): string {
  const machine = process.arch === 'arm64' ? 'arm64' : 'amd64'
  return Bun.resolveSync(
    `@foundry-rs/anvil-${process.platform}-${machine}/bin/anvil`,
    import.meta.dir,
  )
}

function anvilArguments({ chainId, blockTimeSeconds, isGasless }: Options): string[] {
  const blockTime = blockTimeSeconds === undefined ? [] : ['--block-time', `${blockTimeSeconds}`]
  // With epochs of one block, `safe` and `finalized` follow the head.
  const finality = ['--slots-in-an-epoch', '1']
  // By default the node writes the state of every block to disk and never removes it.
  const memory = ['--prune-history', '256']
  const fees = isGasless ? ['--block-base-fee-per-gas', '0', '--gas-price', '0'] : []
  return ['--port', '0', '--chain-id', `${chainId}`, ...finality, ...memory, ...blockTime, ...fees]
}

function listeningUrl(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  child.once('error', reject)
  child.once('exit', (code) => reject(new Error(`anvil ended with ${code} before it listened`)))
  if (!child.stdout) throw new Error('anvil was spawned without a pipe')
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [, address] = line.match(/^Listening on (\S+)/) ?? []
    if (address) resolve(`http://${address}`)
  })
  return promise
}

function rpcOver(url: string) {
  async function batch(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    const answers = await post(calls).catch((error: Error) => {
      if (error.name !== 'TimeoutError' || !calls.every(isRepeatable)) throw error
      // Seen a few times in ten thousand requests: the node is alive, but the answer never comes.
      console.warn(`asked the node again for ${calls.map(({ method }) => method)}`)
      return post(calls)
    })
    const failed = answers.find(({ error }) => error)
    if (failed) throw new Error(`${calls[failed.id]?.method}: ${JSON.stringify(failed.error)}`)
    return answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result)
  }

  async function post(calls: readonly RpcCall[]): Promise<readonly RpcResult[]> {
    const body = calls.map((call, id) => ({ jsonrpc: '2.0', id, params: [], ...call }))
    const isLong = calls.some(({ method }) => /^anvil_(?:mine|reorg)$/.test(method))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(isLong ? 240_000 : 15_000),
    })
    return (await response.json()) as RpcResult[]
  }

  async function rpc<Result>(method: string, params: readonly unknown[] = []): Promise<Result> {
    const [result] = await batch([{ method, params }])
    return result as Result
  }

  return { rpc, batch }
}

/** Once in a hundred starts anvil's clock is a second behind for ever. */
async function setRight(rpc: EvmNode['rpc']): Promise<void> {
  const aheadSeconds = await rpc<number>('evm_increaseTime', [0])
  if (aheadSeconds < 0) await rpc('evm_increaseTime', [-aheadSeconds])
}

type RpcResult = { readonly id: number; readonly result?: unknown; readonly error?: object }

/** Whether repeating a call changes nothing, or only mines a block. */
function isRepeatable({ method }: RpcCall): boolean {
  return /^(?:evm_mine|eth_(?:get|call|blockNumber|chainId)|anvil_(?:set|(?:auto)?impersonate))/i.test(
    method,
  )
}

type Domain = { readonly name: string; readonly chainId: number; readonly verifyingContract: Hex }

async function cancellationCall(from: Wallet, nonce: Hex, domain: Domain): Promise<Hex> {
  const signature = await privateKeyToAccount(from.privateKey).signTypedData({
    domain: { version: '2', ...domain },
    types: {
      CancelAuthorization: [
        { name: 'authorizer', type: 'address' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'CancelAuthorization',
    message: { authorizer: from.address, nonce },
  })
  const args = [from.address, nonce, signature] as const
  return encodeFunctionData({ abi: usdcAbi, functionName: 'cancelAuthorization', args })
}

/** What a payer signs for `transferWithAuthorization` (EIP-3009). */
export const authorizationFields = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const

async function authorizationCall(
  { from, to, usdcBase, reference }: Authorization,
  domain: Domain,
): Promise<Hex> {
  const message = {
    from: from.address,
    to: to as Hex,
    value: usdcBase,
    validAfter: 0n,
    validBefore: 2n ** 40n,
    nonce: pad(reference as Hex),
  }
  const signature = await privateKeyToAccount(from.privateKey).signTypedData({
    domain: { version: '2', ...domain },
    types: {
      TransferWithAuthorization: authorizationFields,
    },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { value, validAfter, validBefore, nonce } = message
  const args = [message.from, message.to, value, validAfter, validBefore, nonce, signature] as const
  return encodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization', args })
}
