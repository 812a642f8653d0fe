import { readFileSync } from 'node:fs'
import { parseInstant } from '../domain/instant.ts'
import { builtIn, type RateRow, type TaxTable, withOthers } from '../domain/money/tax-rates.ts'
import type { EnvReader } from './env.ts'

/** The built-in tax rates and those of the file that `TAX_RATES` names. */
export function taxTableFrom(read: EnvReader): TaxTable {
  const path = read.text('TAX_RATES')
  if (path === null) return builtIn
  const refuse = (problem: string) => read.problems.push(`TAX_RATES, ${path}: ${problem}`)
  const given = rowsIn(path)
  if (typeof given === 'string') {
    refuse(given)
    return builtIn
  }
  const problems = given.flatMap((row, at) =>
    problemsOf(row, given.slice(0, at)).map((problem) => `${titleOf(row, at)} ${problem}`),
  )
  for (const problem of problems) refuse(problem)
  return problems.length > 0 ? builtIn : withOthers(given.map((row) => rowOf(row as FileRow)))
}

type Given = Readonly<Record<string, unknown>>

/** A row of the file; the rates are in percent. */
type FileRow = Omit<RateRow, 'standardBasisPoints' | 'reducedBasisPoints'> & {
  readonly standard: number
  readonly reduced: number
}

/** A text says why the file has no rows. */
function rowsIn(path: string): readonly Given[] | string {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return Array.isArray(value) ? value : 'must be a JSON array of rows'
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`
  }
}

function titleOf(row: Given, at: number): string {
  const named = [row?.country, row?.from].filter((part) => typeof part === 'string')
  return named.length < 2 ? `row ${at + 1}` : `row ${at + 1} (${named.join(' from ')})`
}

type Check = readonly [fits: (value: unknown) => boolean, described: string]

const line: Check = [like(/^\P{Cc}{1,200}$/u), 'one line of text']
const percent: Check = [isPercent, 'a number of percent such as 27 or 13.5, to two decimals']
const checks: Readonly<Record<keyof FileRow, Check>> = {
  country: [like(/^[A-Z]{2}$/), 'a country code of two capital letters'],
  name: line,
  from: [isDay, 'a day such as 2026-01-01'],
  standard: percent,
  reduced: percent,
  source: line,
}

function problemsOf(row: Given, before: readonly Given[]): readonly string[] {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return ['must be an object']
  const wrong = Object.entries(checks).flatMap(([name, [fits, described]]) =>
    fits(row[name]) ? [] : [`${name} must be ${described}`],
  )
  const unknown = Object.keys(row).filter((name) => !Object.hasOwn(checks, name))
  const { country, from, standard, reduced } = row as FileRow
  return [
    ...wrong,
    ...unknown.map((name) => `${JSON.stringify(name)} is none of its members`),
    ...(builtIn.has(country) ? ['is of a country whose rates are built in'] : []),
    ...(wrong.length === 0 && reduced > standard ? ['reduced must not exceed standard'] : []),
    ...(before.some((other) => other?.country === country && other.from === from)
      ? ['repeats the day of another row of the country']
      : []),
  ]
}

function rowOf({ standard, reduced, ...row }: FileRow): RateRow {
  const basisPoints = (percent: number) => Math.round(percent * 100)
  return {
    ...row,
    standardBasisPoints: basisPoints(standard),
    reducedBasisPoints: basisPoints(reduced),
  }
}

function like(pattern: RegExp) {
  return (value: unknown) => typeof value === 'string' && pattern.test(value)
}

function isDay(value: unknown): boolean {
  return like(/^\d{4}-\d{2}-\d{2}$/)(value) && parseInstant(value as string) !== null
}

function isPercent(value: unknown): boolean {
  return typeof value === 'number' && /^\d{1,2}(?:\.\d{1,2})?$|^100$/.test(`${value}`)
}
