import { isObject, unpacked } from '../json-text.ts'

/** An option of the Machine Payments Protocol, which the proxy does not pay. */
export type MppOption = Readonly<
  Record<'method' | 'intent' | 'amount' | 'currency', string | null>
> & { readonly unsupported: readonly ['scheme'] }

/** The payments that `WWW-Authenticate: Payment …` asks for, of which there may be several. */
export function mppOptionsIn(header: string | null): readonly MppOption[] {
  const [, ...challenges] = (header ?? '').slice(0, mostCharacters).split(/(?:^|,\s{0,8})Payment /i)
  return challenges.map((challenge) => {
    const said = new Map([...challenge.matchAll(parameter)].map(([, name, value]) => [name, value]))
    const request = unpacked(said.get('request') ?? '')
    const { amount = null, currency = null } = isObject(request) ? request : {}
    return {
      method: said.get('method') ?? null,
      intent: said.get('intent') ?? null,
      amount: textIn(amount),
      currency: textIn(currency),
      unsupported: ['scheme'],
    }
  })
}

/** Other challenges than those of the protocol; null: none. */
export function withoutMpp(header: string): string | null {
  return /(?:^|,\s{0,8})Payment /i.test(header.slice(0, mostCharacters)) ? null : header
}

const mostCharacters = 16_384
const parameter = /([a-z]{1,32})="([^"]*)"/g

function textIn(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : null
}
