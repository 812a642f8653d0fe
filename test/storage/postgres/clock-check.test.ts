import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { readReadiness } from '../../../src/actors/readiness.ts'
import { readConfig } from '../../../src/config/config.ts'
import { createClockCheck } from '../../../src/storage/postgres/clock-check.ts'
import { testEnv } from '../../support/app.ts'
import { useWorld } from '../../support/world.ts'

const { database } = useWorld({ service: 'none' })
afterEach(() => void setSystemTime())

/** The clock of this process stands still so far ahead of the right time; 0: it is right. */
function setClock(aheadMs: number) {
  setSystemTime()
  if (aheadMs !== 0) setSystemTime(new Date(Date.now() + aheadMs))
}

const ahead = expect.stringMatching(
  /^the clock of this process is \d+ s ahead of the database's: run an NTP client on both machines$/,
)
const behind = expect.stringContaining("s behind the database's")

test('a clock that goes wrong is an error in the log, once, and so is one that is wrong otherwise', async () => {
  const lines: string[][] = []
  const check = createClockCheck(database.sql, {
    info: (_: object, message: string) => void lines.push(['info', message]),
    error: (_: object, message: string) => void lines.push(['error', message]),
  })
  for (const aheadMs of [
    0, 50_000, 3_600_000, 3_700_000, -3_600_000, -70_000, -40_000, -20_000, -50_000, 0,
  ]) {
    setClock(aheadMs)
    await check()
  }
  expect(lines).toEqual([
    ['error', ahead],
    ['error', behind],
    ['info', "the clock of this process agrees with the database's again"],
  ])
})

test('/readyz notes a clock that is off by more than a minute; by more than five, the process is not ready', async () => {
  const config = readConfig(testEnv(database.url))
  const shown = async (aheadMs: number) => {
    setClock(aheadMs)
    const { problems, notes } = await readReadiness(config, database.sql)
    return { problems, notes: notes.filter((note) => note.includes('clock')) }
  }
  const off = expect.stringMatching(
    /^the clock of this process is \d+ s (ahead of|behind) the database's$/,
  )
  for (const side of [1, -1]) {
    expect(await shown(side * 50_000)).toEqual({ problems: [], notes: [] })
    expect(await shown(side * 70_000)).toEqual({ problems: [], notes: [off] })
    expect(await shown(side * 290_000)).toEqual({ problems: [], notes: [off] })
    expect(await shown(side * 310_000)).toEqual({ problems: [off], notes: [] })
  }
})
