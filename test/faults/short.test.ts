import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { seeded } from './random.ts'
import { type Stage, startStage } from './stage.ts'
import { faults, sets } from './table.ts'

/** The faults that take seconds. `bun run faults` runs all of them. */

const seed = '9'

let stage: Stage

beforeAll(async () => {
  stage = await startStage(sets.short.share)
})
afterAll(() => stage?.stop())

describe('nothing is lost, done twice or told wrongly after', () => {
  test.each(faults.filter(({ id }) => sets.short.ids.some((short) => short === id)))(
    '$id: $what',
    async ({ id, inject }) => {
      expect(await inject(stage, seeded(`${seed} ${id}`))).toEqual([])
      expect(await stage.judge()).toEqual([])
    },
    400_000,
  )
})
