import { ed25519 } from '@noble/curves/ed25519.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58 } from '@scure/base'
import { invalidField } from './error.ts'
import { addressKey, isAddress, type Network, networks, noSender } from './network.ts'
import { registry } from './registry.ts'

export const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const associatedProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'
/** Owns wallets; its address is 32 zero bytes. */
export const systemProgram = noSender.solana

export type AddressRules = {
  /** The token's address where it is not the chain's usual one; null for the token itself. */
  readonly usdcAddress?: string | null
  /** Whether a key must sign for it: on Solana only addresses on the curve have one. */
  readonly signs?: boolean
}

/**
 * Why `text` cannot be somebody's address on the network, to follow its name; null if it can. Every
 * address that comes in is asked here.
 */
export function addressProblem(
  network: Network,
  text: string,
  { usdcAddress = registry[network].usdcAddress, signs = false }: AddressRules = {},
): string | null {
  if (!isAddress(network, text)) return `must be an address on ${network}`
  const isSolana = network === 'solana'
  if (!isSolana && !hasChecksum(text))
    return 'has capitals that are not its checksum: it may be mistyped'
  const key = addressKey(text)
  const isToken = usdcAddress !== null && [addressKey(usdcAddress), ...tokens].includes(key)
  if (isToken || (isSolana ? programs.includes(text) : isPrecompile(text)))
    return 'is no wallet: nobody can have what is paid there'
  return isSolana && signs && !isOnCurve(text) ? 'has no key that could sign' : null
}

/** As it is compared. Errors: `invalid_request` at `path`. */
export function addressIn(
  path: string,
  network: Network,
  text: string,
  rules?: AddressRules,
): string {
  const problem = addressProblem(network, text, rules)
  if (problem !== null) throw invalidField(path, problem)
  return addressKey(text)
}

/** The network whose rules hold for an address of which only the kind of chain is known. */
export function networkLike(text: string): Network {
  return text.startsWith('0x') ? 'base' : 'solana'
}

/** An EVM address as EIP-55 writes it. */
export function checksummed(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = Buffer.from(keccak_256(digits)).toString('hex')
  const cased = [...digits].map((digit, at) =>
    (hash[at] ?? '0') > '7' ? digit.toUpperCase() : digit,
  )
  return `0x${cased.join('')}`
}

/** EIP-55; capitals or small letters only say nothing. */
function hasChecksum(address: string): boolean {
  const digits = address.slice(2)
  const saysNothing = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return saysNothing || checksummed(address) === address
}

const tokens = networks.map((network) => addressKey(registry[network].usdcAddress))
const programs = [systemProgram, tokenProgram, associatedProgram]

/** The zero address, and those that chains give to what they compute themselves. */
function isPrecompile(address: string): boolean {
  const number = BigInt(address)
  return number <= 0x11n || number === 0x100n
}

function isOnCurve(address: string): boolean {
  try {
    ed25519.Point.fromBytes(base58.decode(address))
    return true
  } catch {
    return false
  }
}
