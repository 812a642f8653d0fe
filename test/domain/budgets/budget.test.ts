import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as Budget from '../../../src/domain/budgets/budget.ts'
import * as Count from '../../../src/domain/budgets/count.ts'
import { type Period, spanAt } from '../../../src/domain/budgets/period.ts'
import { recordOf } from '../../../src/domain/budgets/view.ts'

const noon = new Date('2026-05-01T12:00:00.000Z')
const later = (ms: number) => new Date(noon.getTime() + ms)
const nobody: Count.Agent = { accountId: 'acc', agentId: 'bot', version: 0, budget: null }

/** The agent after a command that must be accepted. */
function after(agent: Count.Agent, command: Budget.Command, now = noon): Count.Agent {
  return Budget.evolve(agent, Budget.decide(agent, command, now), now)
}

function set(change: Budget.Change): Budget.Command {
  return { kind: 'set', change }
}

function reserve(id: string, amount: number): Budget.Command {
  return { kind: 'reserve', id, wish: { amountMinor: BigInt(amount), currency: null } }
}

function close(
  id: string,
  amount: number,
  as: 'committed' | 'released',
  over: Partial<Count.Reservation> = {},
): Budget.Command {
  const expiresAt = Budget.expiryOf(noon)
  const held = { amountMinor: BigInt(amount), periodNumber: 1, expiresAt, state: 'held' } as const
  return { kind: 'close', as, reservation: { id, ...held, ...over } }
}

function figures(agent: Count.Agent, now = noon) {
  const { spent, reserved, remaining } = recordOf('bot', Count.at(agent, now).budget!)
  return [spent, reserved, remaining]
}

const hundred = after(nobody, set({ limitMinor: 100n }))
const reason = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return (error as { reason: string }).reason
  }
}

describe('periods are those of the UTC calendar', () => {
  test.each<[Period, string, string, string | null]>([
    ['day', '2026-05-01T00:00:00.000Z', '2026-05-01', '2026-05-02'],
    ['day', '2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
    ['day', '2028-02-28T12:00:00.000Z', '2028-02-28', '2028-02-29'],
    ['week', '2026-05-04T00:00:00.000Z', '2026-05-04', '2026-05-11'],
    ['week', '2026-05-10T23:59:59.999Z', '2026-05-04', '2026-05-11'],
    ['week', '2027-01-01T12:00:00.000Z', '2026-12-28', '2027-01-04'],
    ['month', '2026-02-28T23:59:59.999Z', '2026-02-01', '2026-03-01'],
    ['month', '2026-12-15T00:00:00.000Z', '2026-12-01', '2027-01-01'],
  ])('%s of %s', (period, now, start, end) => {
    const midnight = (day: string | null) => `${day}T00:00:00.000Z`
    expect(spanAt(period, new Date(now))).toEqual({ start: midnight(start), end: midnight(end) })
  })

  test('total starts when it is set and has no end', () => {
    expect(spanAt('total', noon)).toEqual({ start: noon.toISOString(), end: null })
  })

  test('every moment lies in its period, and the next one starts where it ends', () => {
    const moments = fc.date({
      min: new Date('2000-01-01'),
      max: new Date('2100-01-01'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moments, fc.constantFrom('day', 'week', 'month'), (now, period) => {
        const { start, end } = spanAt(period, now)
        expect(start <= now.toISOString() && now.toISOString() < end!).toBe(true)
        expect(spanAt(period, new Date(end!)).start).toBe(end!)
        expect(spanAt(period, new Date(start))).toEqual({ start, end })
      }),
    )
  })
})

describe('what a budget leaves', () => {
  test('may be reserved to the last unit, and no more', () => {
    const agent = after(after(hundred, reserve('a', 60)), reserve('b', 40))
    expect(figures(agent)).toEqual([0, 100, 0])
    expect(reason(() => Budget.decide(agent, reserve('c', 1), noon))).toBe('budget_exceeded')
  })

  test('is less by what was spent, and is more again by what was released', () => {
    const held = after(after(hundred, reserve('a', 60)), reserve('b', 40))
    const agent = after(after(held, close('a', 60, 'committed')), close('b', 40, 'released'))
    expect(figures(agent)).toEqual([60, 0, 40])
    expect(agent.version).toBe(5)
  })

  test('is whole again in the next period; what was reserved before counts in neither way there', () => {
    const daily = after(after(nobody, set({ limitMinor: 100n, period: 'day' })), reserve('a', 60))
    const midnight = new Date('2026-05-02T00:00:00.000Z')
    expect(figures(daily, new Date(midnight.getTime() - 1))).toEqual([0, 0, 100])
    const lateNow = new Date(midnight.getTime() - 10_000)
    const late = after(daily, reserve('b', 70), lateNow)
    expect(figures(late, midnight)).toEqual([0, 0, 100])
    const expiresAt = Budget.expiryOf(lateNow)
    const spent = after(late, close('b', 70, 'committed', { expiresAt }), midnight)
    expect(figures(spent, midnight)).toEqual([0, 0, 100])
    const next = after(spent, reserve('c', 100), midnight)
    expect(figures(next, midnight)).toEqual([0, 100, 0])
  })

  test('is there again 60 seconds after a reservation that nobody closed', () => {
    const agent = after(hundred, reserve('a', 100))
    expect(figures(agent, later(59_999))).toEqual([0, 100, 0])
    expect(figures(agent, later(60_000))).toEqual([0, 0, 100])
    expect(Budget.decide(agent, reserve('b', 100), later(60_000))).toHaveLength(1)
  })
})

describe('a reservation', () => {
  const agent = after(hundred, reserve('a', 60))

  test('lasts 60 seconds and up to one more, to a whole second', () => {
    expect(Budget.expiryOf(noon)).toBe(later(60_000).toISOString())
    expect(Budget.expiryOf(later(1))).toBe(later(61_000).toISOString())
  })

  test.each<['committed' | 'released', Count.Reservation['state'], string]>([
    ['committed', 'held', 'happens'],
    ['committed', 'committed', 'nothing'],
    ['committed', 'released', 'invalid_state'],
    ['committed', 'expired', 'invalid_state'],
    ['released', 'held', 'happens'],
    ['released', 'committed', 'invalid_state'],
    ['released', 'released', 'nothing'],
    ['released', 'expired', 'nothing'],
  ])('to be %s when %s: %s', (as, state, outcome) => {
    const run = () => Budget.decide(agent, close('a', 60, as, { state }), noon)
    expect(reason(run) ?? (run().length === 1 ? 'happens' : 'nothing')).toBe(outcome)
  })

  test('that has run out cannot be committed, and releasing it frees nothing twice', () => {
    const now = later(60_000)
    expect(reason(() => Budget.decide(agent, close('a', 60, 'committed'), now))).toBe(
      'invalid_state',
    )
    expect(figures(after(agent, close('a', 60, 'released'), now), now)).toEqual([0, 0, 100])
  })

  test('that a process with a faster clock has given away cannot be committed by a slower one', () => {
    const given = after(agent, reserve('b', 100), later(60_000))
    const command = close('a', 60, 'committed')
    expect(reason(() => Budget.decide(given, command, later(59_000)))).toBe('invalid_state')
    expect(figures(after(given, close('a', 60, 'released'), later(59_000)))).toEqual([0, 100, 0])
  })
})

describe('terms', () => {
  test('a new budget needs a limit; zero is one', () => {
    expect(reason(() => Budget.decide(nobody, set({ period: 'day' }), noon))).toBe(
      'invalid_request',
    )
    const none = after(nobody, set({ limitMinor: 0n }))
    expect(reason(() => Budget.decide(none, reserve('a', 1), noon))).toBe('budget_exceeded')
  })

  test('of the same currency keep the count, whatever the period; another currency starts it anew', () => {
    const spent = after(after(hundred, reserve('a', 60)), close('a', 60, 'committed'))
    expect(figures(after(spent, set({ limitMinor: 50n, active: false })))).toEqual([60, 0, 0])
    expect(figures(after(spent, set({ period: 'day' })))).toEqual([60, 0, 40])
    expect(figures(after(spent, set({ currency: 'EUR', limitMinor: 70n })))).toEqual([0, 0, 70])
  })

  test('changed back and forth never let more through than the limit', () => {
    const held = after(after(hundred, reserve('a', 90)), set({ period: 'week' }))
    expect(reason(() => Budget.decide(held, reserve('b', 90), noon))).toBe('budget_exceeded')
    expect(figures(after(held, close('a', 90, 'committed')))).toEqual([90, 0, 10])
    expect(
      reason(() => Budget.decide(held, set({ currency: 'EUR', limitMinor: 100n }), noon)),
    ).toBe('invalid_state')
  })

  test('an agent without a budget may spend anything, and nothing is counted', () => {
    expect(Budget.decide(nobody, reserve('a', 1_000_000), noon)).toEqual([])
    expect(() => Budget.admit(nobody, { amountMinor: 5n, currency: 'EUR' })).not.toThrow()
  })

  test.each<[string, Budget.Change, string | null]>([
    ['inactive', { active: false }, null],
    ['perTransactionLimit', { perTransactionMinor: 9n }, 'USD'],
    ['limit', { limitMinor: 9n }, null],
  ])('refuse 10 and say why: %s', (why, change, currency) => {
    const agent = after(hundred, set(change))
    const details = { allowed: false, requested: 10, currency: 'USD', reason: why }
    expect(() => Budget.admit(agent, { amountMinor: 10n, currency })).toThrow(
      expect.objectContaining({
        reason: 'budget_exceeded',
        details: expect.objectContaining(details),
      }),
    )
  })
})

test('whatever happens in whatever order, the sums are those of the reservations, and never pass the limit', () => {
  const step = fc.record({
    afterMs: fc.constantFrom(0, 1, 500, 20_000, 61_000, 3_600_000),
    what: fc.constantFrom('reserve', 'committed', 'released'),
    amount: fc.integer({ min: 1, max: 60 }),
    pick: fc.nat(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const made: Count.Reservation[] = []
      let now = new Date('2026-05-01T20:00:00.000Z')
      let agent = after(nobody, set({ limitMinor: 100n, period: 'day' }), now)
      const sum = (state: Count.Reservation['state']) =>
        made
          .filter((one) => one.state === state && (state !== 'held' || isOpen(one)))
          .filter((one) => one.periodNumber === Count.at(agent, now).budget!.periodNumber)
          .reduce((total, { amountMinor }) => total + Number(amountMinor), 0)
      const isOpen = ({ expiresAt }: Count.Reservation) => expiresAt > now.toISOString()

      for (const { afterMs, what, amount, pick } of steps) {
        now = new Date(now.getTime() + afterMs)
        const index = made.length === 0 ? -1 : pick % made.length
        const reservation = made[index]
        if (what === 'reserve') {
          const room = 100 - sum('held') - sum('committed')
          const command = reserve(`${made.length}`, amount)
          if (amount > room) {
            expect(reason(() => Budget.decide(agent, command, now))).toBe('budget_exceeded')
            continue
          }
          const [event] = Budget.decide(agent, command, now)
          agent = Budget.evolve(agent, [event!], now)
          made.push((event as Extract<Budget.Event, { reservation: unknown }>).reservation)
        } else if (reservation && reservation.state === 'held') {
          const command: Budget.Command = { kind: 'close', reservation, as: what }
          if (what === 'committed' && !isOpen(reservation)) {
            expect(reason(() => Budget.decide(agent, command, now))).toBe('invalid_state')
            continue
          }
          agent = after(agent, command, now)
          made[index] = { ...reservation, state: what }
        }
        expect(figures(agent, now)).toEqual([
          sum('committed'),
          sum('held'),
          100 - sum('committed') - sum('held'),
        ])
        expect(sum('committed') + sum('held')).toBeLessThanOrEqual(100)
      }
    }),
  )
})
