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
  for (const aheadMs of [0, 3_600_000, 3_700_000, -3_600_000, -60_000, -1_500, -2_500, 0, 0]) {
    setClock(aheadMs)
    await check()
  }
  expect(lines).toEqual([
    ['error', ahead],
    ['error', behind],
    ['info', "the clock of this process agrees with the database's again"],
  ])
})

test('/readyz notes a clock that is wrong, and the service is ready all the same', async () => {
  const config = readConfig(testEnv(database.url))
  const shown = async () => {
    const { problems, notes } = await readReadiness(config, database.sql)
    expect(problems).toEqual([])
    return notes.filter((note) => note.includes('clock'))
  }
  expect(await shown()).toEqual([])
  setClock(3_600_000)
  expect(await shown()).toEqual([expect.stringMatching(/is 3\d\d\d s ahead of the database's$/)])
  setClock(-3_600_000)
  expect(await shown()).toEqual([behind])
})
