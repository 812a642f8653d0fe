import { createHmac } from 'node:crypto'
import {
  type Command,
  decide,
  type Event,
  evolve,
  type Mandate,
  type Signer,
} from '../../src/domain/mandates/mandate.ts'

export const noon = new Date('2026-05-01T12:00:00.000Z')
export const secret = 'test_signing_secret_0123456789abcdef'
export const someMandateId = 'mnd_01994a6e-7c1f-7a52-8a3e-5d1f0c9b7e21'
export const keyId = '01994a6e-0000-7000-8000-000000000001'

/** One hour after `noon`. */
export const anExpiry = '2026-05-01T13:00:00.000Z'

export function proposal(
  over: Partial<Extract<Command, { kind: 'propose' }>['agreement']> = {},
): Command {
  const agreement = {
    id: someMandateId,
    proposer: 'agent_alpha',
    counterparty: 'agent_beta',
    scope: 'Summarise 100 documents',
    terms: '{"amount": 50, "currency": "USDC"}',
    expiresAt: anExpiry,
    ...over,
  }
  const accountId = '01994a6e-0000-7000-8000-00000000000a'
  return { kind: 'propose', accountId, agreement, context: '{ "n": [1, 2] }', keyId }
}

export function signatureOf(canonical: string, under = secret): string {
  return createHmac('sha256', under).update(canonical).digest('hex')
}

export function signing(mandate: Mandate, signer: Signer, under = secret): Command {
  const signature = signatureOf(mandate.canonical, under)
  return { kind: 'sign', signer, signature, secrets: [secret], receiptId: 'drs_1', keyId }
}

export const completing: Command = { kind: 'complete', triggeredBy: 'agent_beta', keyId }
export const disputing: Command = {
  kind: 'dispute',
  triggeredBy: 'agent_alpha',
  reason: 'Half is missing',
  keyId,
}

/** The mandate after `first` and `commands`, all at `noon`, and its events. */
export function after(
  commands: readonly ((mandate: Mandate) => Command)[],
  first = proposal(),
): { readonly mandate: Mandate; readonly events: readonly Event[] } {
  const events = [...decide(undefined, first, noon)]
  let mandate = evolve(undefined, events, noon) as Mandate
  for (const command of commands) {
    const more = decide(mandate, command(mandate), noon)
    events.push(...more)
    mandate = evolve(mandate, more, noon) as Mandate
  }
  return { mandate, events }
}
