import { describe, expect, test } from 'bun:test'
import * as Event from '../../../src/domain/webhooks/event.ts'
import { types } from '../../../src/domain/webhooks/events.ts'

const subjectId = '0193a5c0-0000-7000-8000-000000000001'
const scheduleMs = [0, 5_000, 60_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000]

function failed(attempt: number, retryAfterSeconds: number | null = null) {
  return { attempt, retryAfterSeconds }
}

describe('the list of events', () => {
  test('is the specification’s, and those of credit notes', () => {
    expect([...types]).toEqual([
      'invoice.created',
      'invoice.sent',
      'invoice.paid',
      'invoice.settled',
      'invoice.completed',
      'invoice.failed',
      'settlement.confirmed',
      'settlement.failed',
      'credit_note.issued',
      'refund.confirmed',
      'refund.failed',
      'mandate.proposed',
      'mandate.signed_by_proposer',
      'mandate.signed_by_both',
      'mandate.completed',
      'mandate.disputed',
    ])
  })
})

describe('an event’s id', () => {
  test('is the same whenever it is asked for, and a plain UUID', () => {
    const id = Event.id(subjectId, 3)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(Event.id(subjectId, 3)).toBe(id)
  })

  test('never belongs to two events', () => {
    const other = '0193a5c0-0000-7000-8000-000000000002'
    const ids = [subjectId, other].flatMap((subject) =>
      Array.from({ length: 500 }, (_, sequence) => Event.id(subject, sequence)),
    )
    expect(new Set(ids).size).toBe(1_000)
  })
})

describe('the envelope', () => {
  test('holds the five members, and data to the letter', () => {
    const data = '{ "amount":12.50,"big":9007199254740993,"b":1,"a":"\\u00e9","1":[]}'
    const text = Event.envelope(Event.id(subjectId, 7), {
      subjectId,
      sequence: 7,
      type: 'invoice.settled',
      data,
      createdAt: new Date('2026-11-21T03:00:00.123Z'),
    })
    expect(text).toBe(
      `{"id":"${Event.id(subjectId, 7)}","type":"invoice.settled","createdAt":"2026-11-21T03:00:00.123Z","sequence":7,"data":${data}}`,
    )
    expect(Object.keys(JSON.parse(text))).toEqual(['id', 'type', 'createdAt', 'sequence', 'data'])
  })
})

describe('after a failed attempt', () => {
  test('the next one waits as the schedule says, give or take a tenth', () => {
    for (let attempt = 1; attempt < scheduleMs.length; attempt++) {
      const delayMs = scheduleMs[attempt]!
      expect(Event.retryDelayMs(failed(attempt), scheduleMs, 0.5)).toBe(delayMs)
      expect(Event.retryDelayMs(failed(attempt), scheduleMs, 0)).toBe(Math.round(delayMs * 0.9))
      expect(Event.retryDelayMs(failed(attempt), scheduleMs, 1)).toBe(Math.round(delayMs * 1.1))
    }
  })

  test('the eighth is the last', () => {
    expect(Event.retryDelayMs(failed(8), scheduleMs, 0.5)).toBeNull()
    expect(Event.retryDelayMs(failed(8, 60), scheduleMs, 0.5)).toBeNull()
  })

  test('Retry-After puts the next one off', () => {
    expect(Event.retryDelayMs(failed(1, 120), scheduleMs, 0.5)).toBe(120_000)
  })

  test('Retry-After never brings it forward', () => {
    expect(Event.retryDelayMs(failed(4, 1), scheduleMs, 0.5)).toBe(1_800_000)
  })

  test('Retry-After counts for an hour at most', () => {
    expect(Event.retryDelayMs(failed(1, 999_999_999), scheduleMs, 0.5)).toBe(3_600_000)
  })
})
