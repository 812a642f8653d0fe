import { InvalidArgumentError } from 'commander'
import {
  type Preset,
  presetNames,
  type Scope,
  scopes,
  scopesNamed,
} from '../domain/accounts/scopes.ts'
import { addressProblem } from '../domain/address.ts'
import { daysOfPeriod } from '../domain/books/period.ts'
import { isUuid } from '../domain/id.ts'
import { parseDeadline, parseInstant } from '../domain/instant.ts'
import { type Network, networks } from '../domain/network.ts'
import { registry } from '../domain/registry.ts'
import { oneLinePattern } from '../domain/unprintable.ts'
import type { WalletChanges } from '../storage/accounts/accounts.ts'

/** Parsers of command-line arguments and options. */

export function positive(text: string): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : 0
  if (number < 1) throw new InvalidArgumentError('must be an integer from 1 to 999999999')
  return number
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be an integer from 0 to 999999999')
}

export function blockNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('must be a block number')
}

export function uuid(text: string): string {
  if (isUuid(text.toLowerCase())) return text
  throw new InvalidArgumentError('must be an id such as 0190a000-0000-7000-8000-000000000000')
}

/** Of an option that takes several. */
export function eachAddress(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, evmAddress(text)]
}

export function evmAddress(text: string): string {
  const problem = addressProblem('base', text)
  if (problem === null) return text
  throw new InvalidArgumentError(problem.replace('on base', 'of an EVM chain'))
}

export function period(text: string): string {
  if (daysOfPeriod(text)) return text
  throw new InvalidArgumentError('must be a year, a quarter or a month: 2026, 2026-Q4, 2026-10')
}

/** The rule for names in requests. */
export function oneLine(text: string): string {
  const name = text.trim()
  const { length } = [...name]
  if (length >= 1 && length <= 256 && new RegExp(oneLinePattern).test(name)) return name
  throw new InvalidArgumentError('must be a text of 1 to 256 characters without control characters')
}

export function futureDate(text: string): Date {
  const instant = parseDeadline(text)
  if (!instant || instant <= new Date())
    throw new InvalidArgumentError('must be an ISO 8601 date or timestamp in the future')
  return instant
}

export function date(text: string): Date {
  const instant = parseInstant(text)
  if (instant) return instant
  throw new InvalidArgumentError('must be an ISO 8601 date or timestamp')
}

export function nodeUrl(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return text
  throw new InvalidArgumentError('must be a URL with http:// or https://')
}

export function wallet(
  text: string,
  wallets: Partial<Record<Network, string>>,
): Partial<Record<Network, string>> {
  const { chain, address } = chainAndAddress(text, wallets)
  return { ...wallets, [chain]: checkedWallet(chain, address) }
}

/** Like `wallet`; `<chain>=` removes the wallet (null). */
export function walletChange(text: string, changes: WalletChanges = {}): WalletChanges {
  const { chain, address } = chainAndAddress(text, changes)
  return { ...changes, [chain]: address === '' ? null : checkedWallet(chain, address) }
}

function chainAndAddress(text: string, before: WalletChanges) {
  const [name, ...rest] = text.split('=')
  const chain = networks.find((network) => network === name)
  if (!chain || rest.length === 0) {
    throw new InvalidArgumentError(
      `must be <chain>=<address>, where chain is one of ${Object.keys(registry).join(', ')}`,
    )
  }
  if (before[chain] !== undefined) {
    throw new InvalidArgumentError(
      `must be given once for each chain: there is already one on ${chain}`,
    )
  }
  return { chain, address: rest.join('=') }
}

function checkedWallet(chain: Network, address: string): string {
  const problem = addressProblem(chain, address)
  if (problem === null) return address
  throw new InvalidArgumentError(`must be <chain>=<address>: the address ${problem}`)
}

export function scopeList(text: string): readonly Scope[] {
  return scopesNamed(text.split(',').map((name) => scopeOrPreset(name.trim())))
}

function scopeOrPreset(name: string): Scope | Preset {
  const known = [...scopes, ...presetNames].find((one) => one === name)
  if (!known) throw new InvalidArgumentError(`${name} is not a scope`)
  return known
}
