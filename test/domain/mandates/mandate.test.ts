import { describe, expect, test } from 'bun:test'
import {
  type Command,
  decide,
  evolve,
  isActive,
  type Mandate,
} from '../../../src/domain/mandates/mandate.ts'
import { type State, states } from '../../../src/domain/mandates/states.ts'
import {
  eventType,
  isAnchored,
  publicJson,
  rowJson,
  type Transition,
  toJson,
} from '../../../src/domain/mandates/view.ts'
import {
  after,
  anExpiry,
  completing,
  disputing,
  keyId,
  noon,
  proposal,
  signatureOf,
  signing,
  someMandateId,
} from '../../support/mandate.ts'

const byProposer = (mandate: Mandate) => signing(mandate, 'proposer')
const byCounterparty = (mandate: Mandate) => signing(mandate, 'counterparty')
const expiry = new Date(anExpiry)
const expired = evolve(
  after([]).mandate,
  decide(after([]).mandate, { kind: 'expire' }, expiry),
  expiry,
)

const mandates: Readonly<Record<State, Mandate>> = {
  proposed: after([]).mandate,
  signed_by_proposer: after([byProposer]).mandate,
  signed_by_both: after([byProposer, byCounterparty]).mandate,
  in_progress: { ...after([byProposer, byCounterparty]).mandate, state: 'in_progress' },
  completed: after([byProposer, byCounterparty, () => completing]).mandate,
  disputed: after([byProposer, byCounterparty, () => disputing]).mandate,
  expired: expired as Mandate,
}

const commands = {
  'sign as proposer': byProposer,
  'sign as counterparty': byCounterparty,
  complete: () => completing,
  dispute: () => disputing,
  expire: () => ({ kind: 'expire' }) as const,
} as const satisfies Record<string, (mandate: Mandate) => Command>

const no = 'invalid_transition'
const both = ['in_progress', 'completed']

// The outcomes before `expires_at`, written by hand from the specification. A signature that was
// already accepted changes nothing, and neither does `expire`.
const outcomes: Record<keyof typeof commands, Record<State, string | readonly string[]>> = {
  'sign as proposer': {
    proposed: ['signed_by_proposer'],
    signed_by_proposer: [],
    signed_by_both: [],
    in_progress: [],
    completed: [],
    disputed: [],
    expired: no,
  },
  'sign as counterparty': {
    proposed: no,
    signed_by_proposer: ['signed_by_both'],
    signed_by_both: [],
    in_progress: [],
    completed: [],
    disputed: [],
    expired: no,
  },
  complete: {
    proposed: no,
    signed_by_proposer: no,
    signed_by_both: both,
    in_progress: ['completed'],
    completed: no,
    disputed: no,
    expired: no,
  },
  dispute: {
    proposed: no,
    signed_by_proposer: no,
    signed_by_both: ['disputed'],
    in_progress: ['disputed'],
    completed: no,
    disputed: no,
    expired: no,
  },
  expire: {
    proposed: [],
    signed_by_proposer: [],
    signed_by_both: [],
    in_progress: [],
    completed: [],
    disputed: [],
    expired: [],
  },
}

/** The outcomes once `expires_at` has passed. */
const late: typeof outcomes = {
  ...outcomes,
  'sign as proposer': { ...outcomes['sign as proposer'], proposed: no },
  'sign as counterparty': { ...outcomes['sign as counterparty'], signed_by_proposer: no },
  complete: { ...outcomes.complete, signed_by_both: no, in_progress: no },
  dispute: { ...outcomes.dispute, signed_by_both: no, in_progress: no },
  expire: {
    proposed: ['expired'],
    signed_by_proposer: ['expired'],
    signed_by_both: ['expired'],
    in_progress: ['expired'],
    completed: [],
    disputed: [],
    expired: [],
  },
}

function outcomeOf(mandate: Mandate, command: Command, now: Date): string | readonly string[] {
  try {
    return decide(mandate, command, now).map(({ to }) => to)
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

const names = Object.keys(commands) as (keyof typeof commands)[]
const table = names.flatMap((name) => states.map((state) => [name, state] as const))

describe('before it expires', () => {
  test.each(table)('%s in %s', (name, state) => {
    const mandate = mandates[state]
    const justBefore = new Date(expiry.getTime() - 1)
    expect(outcomeOf(mandate, commands[name](mandate), justBefore)).toEqual(outcomes[name][state])
  })
})

describe('once it expires, whether or not anybody has noticed', () => {
  test.each(table)('%s in %s', (name, state) => {
    const mandate = mandates[state]
    expect(outcomeOf(mandate, commands[name](mandate), expiry)).toEqual(late[name][state])
  })
})

describe('a signature', () => {
  test('403 of another secret, another mandate, or the wrong length', () => {
    const { mandate } = after([])
    const other = after([], proposal({ id: someMandateId.replace(/.$/, '2') })).mandate
    const wrong = signing(mandate, 'proposer', 'another secret')
    expect(outcomeOf(mandate, wrong, noon)).toBe('invalid_signature')
    expect(outcomeOf(mandate, byProposer(other), noon)).toBe('invalid_signature')
    const short = { ...byProposer(mandate), signature: 'ab' } as Command
    expect(outcomeOf(mandate, short, noon)).toBe('invalid_signature')
  })

  test('409 in the wrong state, even when it is wrong as well', () => {
    const { mandate } = after([])
    const wrong = signing(mandate, 'counterparty', 'another secret')
    expect(outcomeOf(mandate, wrong, noon)).toBe(no)
  })

  test('409 when it is another one than was accepted', () => {
    const { mandate } = after([byProposer])
    const other = signing(mandate, 'proposer', 'another secret')
    expect(outcomeOf(mandate, other, noon)).toBe(no)
  })

  test('counts under the secret before a rotation', () => {
    const { mandate } = after([])
    const command = {
      ...byProposer(mandate),
      secrets: ['newer', 'test_signing_secret_0123456789abcdef'],
    }
    expect(outcomeOf(mandate, command as Command, noon)).toEqual(['signed_by_proposer'])
  })

  test('is kept in lower case', () => {
    const { mandate } = after([])
    const upper = signatureOf(mandate.canonical).toUpperCase()
    const [event] = decide(mandate, { ...byProposer(mandate), signature: upper } as Command, noon)
    expect(event).toMatchObject({ signature: upper.toLowerCase() })
  })
})

describe('a mandate that nobody has proposed', () => {
  test('is 404 for a command', () => {
    expect(() => decide(undefined, completing, noon)).toThrow('No such mandate')
  })
})

describe('completing', () => {
  test('is two transitions, in order, each with its cause', () => {
    const { mandate, events } = after([byProposer, byCounterparty, () => completing])
    expect(mandate.version).toBe(5)
    expect(events.slice(3)).toEqual([
      { to: 'in_progress', triggeredBy: 'agent_beta', keyId },
      { to: 'completed', triggeredBy: 'agent_beta', keyId },
    ])
  })
})

describe('payments may be bound', () => {
  test('to a mandate that both have signed and that is not over', () => {
    const active = states.filter((state) => isActive(mandates[state], noon))
    expect(active).toEqual(['signed_by_both', 'in_progress'])
    expect(states.filter((state) => isActive(mandates[state], expiry))).toEqual([])
  })
})

describe('the record', () => {
  const shown = (mandate: Mandate, transitions: readonly Transition[] = []) =>
    JSON.parse(toJson({ mandate, transitions }))

  test('holds terms and context byte for byte', () => {
    const { mandate } = after([])
    expect(rowJson(mandate)).toContain(
      '"terms":{"amount": 50, "currency": "USDC"},"context":{ "n": [1, 2] },',
    )
  })

  test('shows signatures only once both have signed', () => {
    const signature = signatureOf(mandates.proposed.canonical)
    const signatures = (mandate: Mandate) => {
      const { proposer_signature, counterparty_signature } = shown(mandate)
      return [proposer_signature, counterparty_signature]
    }
    expect(signatures(mandates.signed_by_proposer)).toEqual([null, null])
    expect(rowJson(mandates.signed_by_proposer)).not.toContain(signature)
    expect(signatures(mandates.signed_by_both)).toEqual([signature, signature])
    expect(signatures(mandates.completed)).toEqual([signature, signature])
  })

  test('tells subscribers of every state but two', () => {
    expect(states.filter((state) => eventType(state) === null)).toEqual(['in_progress', 'expired'])
  })

  test('in public says who, whether and when, and the latest anchor', () => {
    const step = (to: State, anchor: Transition['anchor']): Transition => ({
      id: 'id',
      from: null,
      to,
      triggeredBy: 'system',
      metadata: '{}',
      createdAt: noon.toISOString(),
      anchor,
    })
    const anchored = { status: 'anchored', chainId: 1, txHash: '0x1', blockNumber: 7 } as const
    const waiting = { status: 'pending', chainId: null, txHash: null, blockNumber: null } as const
    const transitions = [step('proposed', null), step('signed_by_proposer', anchored)]
    const mandate = mandates.signed_by_proposer
    expect(JSON.parse(publicJson({ mandate, transitions }))).toEqual({
      id: mandate.id,
      state: 'signed_by_proposer',
      mandate_hash: mandate.hash,
      anchor_tx_hash: '0x1',
      created_at: noon.toISOString(),
      parties: [
        { role: 'proposer', name: 'agent_alpha', agent_id: 'agent_alpha', signed: true },
        { role: 'counterparty', name: 'agent_beta', agent_id: 'agent_beta', signed: false },
      ],
    })
    expect(isAnchored({ mandate, transitions })).toBe(true)
    const more = [...transitions, step('signed_by_both', waiting)]
    expect(isAnchored({ mandate, transitions: more })).toBe(false)
  })
})
